import { createDirectoryPort } from '../../../src/adapters/directory/directory.ts'
import type { CustomerRecord } from '../../../src/domain/customers/customer-record.ts'
import { DIRECTORY } from '../../../src/domain/queue/event.ts'
import { openTestStore } from '../../empty-store.ts'
import { createFolder } from '../../hub.ts'
import { type LookupApp, startLookups } from './app.ts'

/** The POS's question, answered by the real directory in a store of its own, with these customers in it. */
export async function startDirectory(customers: CustomerRecord[], config: object = {}) {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createFolder())
  const storage = opened.use(await openTestStore(`${folder.path}/tillbridge.db`))
  await storage.saveCustomers(customers, Date.now())
  const port = createDirectoryPort(storage)
  const app: LookupApp = opened.use(
    await startLookups({ customers: [{ name: DIRECTORY, search: port.search }], config: { customers: config } }),
  )
  const all = opened.move()
  return { app, port, storage, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
