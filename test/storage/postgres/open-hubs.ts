import pg from 'pg'
import type { Claim } from '../../../src/storage/claim.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { DAY, PLENTY, SHOP } from '../acting.ts'
import { migratedSchema, SERVER } from './schema.ts'

/** So many hubs' stores on a schema of their own; `sql` asks the server beside them. */
export async function openHubs(count: number) {
  await using opened = new AsyncDisposableStack()
  const schema = opened.use(await migratedSchema())
  const options = { url: schema.url, sameBytesWindow: DAY, connections: 3 }
  const all = await Promise.all(
    Array.from({ length: count }, async () => opened.use(await openPostgresStorage(options))),
  )
  const [first, second = first] = all
  if (!first || !second) throw new Error('There is one at least.')
  const client = new pg.Client({ connectionString: SERVER, options: `-c search_path=${schema.name}` })
  await client.connect()
  opened.defer(() => client.end())
  const sql = async (text: string) => (await client.query(text)).rows
  const kept = opened.move()
  return { all, first, second, sql, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** The only claim that there is to make, for so long (milliseconds). */
export async function claimFor(storage: Storage, lease: number): Promise<Claim> {
  const { calls } = await storage.claim(SHOP, PLENTY, lease)
  const [one] = calls.flat()
  if (!one) throw new Error('One was due.')
  return one
}
