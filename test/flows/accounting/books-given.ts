import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestClock, type TestClock } from '../../clock.ts'
import { type OpenStore, openStorage, type StoreGiven } from '../days/open-store.ts'

export const ACCOUNTS = {
  payments: { Card: '1900', Cash: '1910', Giftcard: '2900', Invoice: '1500' },
  rounding: '7770',
  vat: { 25: { sales: '3000', vat: '2700' }, 15: { sales: '3010', vat: '2710' }, 12: { sales: '3020', vat: '2720' } },
  areas: { 1: 25, 2: 15, 3: 12 },
  discrepancy: '7799',
  differences: '1999',
}

const KINDS =
  'sale invoice settlement received cost delivery movement count adjustment transfer giftCard terminal reservation'

/** A store with an ERP that reads files, one a record, as JSON. */
export interface BookedStore extends OpenStore {
  clock: TestClock
  /** The records of a kind in the ERP's folder, in the order of their files' names. */
  booked<T = Record<string, unknown>>(kind: string): Promise<T[]>
  files(): Promise<string[]>
}

export async function openBooked(
  given: Omit<StoreGiven, 'clock' | 'others'> & { erp?: object } = {},
): Promise<BookedStore & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-erp-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  // Adapters go by the machine's clock, which nobody puts forward: the ERP's folder remembers days of it.
  const clock = { ...createTestClock(), machineNow: Date.now }
  const { erp, ...more } = given
  const write = Object.fromEntries(KINDS.split(' ').map((kind) => [kind, { name: `${kind}-{key}`, format: 'json' }]))
  const storage = opened.use(
    await openStorage({
      ...more,
      clock,
      others: { erp: { adapter: 'files', folder, write, accounts: ACCOUNTS, ...erp } },
    }),
  )
  await storage.hub.admin('jobs/stores/run', {})
  const open = opened.move()
  const files = async () => (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  return {
    ...storage,
    clock,
    files,
    async booked(kind) {
      const own = (await files()).filter((name) => name.startsWith(`${kind}-`))
      const read = await Promise.all(own.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))))
      return read.flat()
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
