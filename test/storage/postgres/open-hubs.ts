import pg from 'pg'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import { eventually } from '../../eventually.ts'
import { DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { migratedSchema, SERVER } from './schema.ts'

export type Hubs = Awaited<ReturnType<typeof openHubs>>

/** Soon over, so that nobody waits long for it (milliseconds). */
const LEASE = 1_000
const BEAT = 100

/** So many hubs' stores on a schema of their own, and what may arrive at them; `sql` asks the server beside them. */
export async function openHubs(count: number) {
  await using opened = new AsyncDisposableStack()
  const schema = opened.use(await migratedSchema())
  const options = { url: schema.url, sameBytesWindow: DAY, connections: 3, lease: LEASE, lookEvery: BEAT }
  const all = await Promise.all(
    Array.from({ length: count }, async () => opened.use(await openPostgresStorage(options))),
  )
  const [first, second = first] = all
  if (!first || !second) throw new Error('There is one at least.')
  const client = new pg.Client({ connectionString: SERVER, options: `-c search_path=${schema.name}` })
  await client.connect()
  opened.defer(() => client.end())
  const sql = async (text: string) => (await client.query(text)).rows
  const beats = async () => (await sql('select sum(beat)::int as n from hubs'))[0].n as number
  const kept = opened.move()
  return {
    options,
    all,
    first,
    second,
    sql,
    ...createArrivals(first),

    /** Each hub has looked around once more, at least. */
    async untilBeaten(): Promise<void> {
      const before = await beats()
      await eventually(async () => {
        if ((await beats()) < before + 3 * count) throw new Error('They beat.')
      })
    },

    /** What does not beat from now has no lease any more. */
    async untilLeaseIsOver(): Promise<void> {
      const end = performance.now() + LEASE
      await eventually(() => performance.now() > end)
    },

    /** Another hub, whose way to the server can be shut. */
    async openThroughProxy() {
      await using stack = new AsyncDisposableStack()
      const proxy = stack.use(await startCuttingProxy(schema.url))
      const storage = stack.use(await openPostgresStorage({ ...options, url: proxy.through(schema.url) }))
      const rest = stack.move()
      return { storage, proxy, [Symbol.asyncDispose]: () => rest.disposeAsync() }
    },

    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
