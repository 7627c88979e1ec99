import { expect, test } from 'vitest'
import { createPostgresReading, createSnapshots } from '../../../src/storage/postgres/reading.ts'
import { readAddress } from '../../../src/storage/postgres/server/address.ts'
import type { Database } from '../../../src/storage/postgres/server/database.ts'
import { createConnections, createPool } from '../../../src/storage/postgres/server/pool.ts'
import { createPostgresStorage, openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import { DAY, deliverAll, HOUR, SECOND } from '../acting.ts'
import { createArrivals, pending } from '../arrivals.ts'
import { migratedSchema, NO_SERVER, SERVER } from './schema.ts'

/* Two hubs: one plans an event again while the other moves what the event owed to the past. */

test.skipIf(SERVER === undefined)(
  `When a delivery goes to the past just after another hub has looked there whether its event owes it, then it is not owed again (${NO_SERVER} otherwise)`,
  async () => {
    await using schema = await migratedSchema()
    await using mover = await openPostgresStorage({ url: schema.url, sameBytesWindow: DAY, connections: 3 })
    const { arrival } = createArrivals(mover)
    // The delivery of the highest id stays where it is.
    const [event] = await mover.accept([arrival(), arrival()])
    expect(await deliverAll(mover, mover.now() - SECOND)).toHaveLength(2)
    let moved = 0
    await using enqueuing = await openBetween(schema.url, async () => {
      moved += (await mover.movePast(0, mover.now() + HOUR, 100)).moved
    })
    expect(await enqueuing.enqueue(event?.id ?? 0, [pending()])).toBe(0)
    expect(moved).toBe(1)
    expect((await mover.event(event?.id ?? 0))?.deliveries).toMatchObject([{ state: 'delivered' }])
  },
)

/** A store that does something else each time that it has looked into the past. */
async function openBetween(url: string, between: () => Promise<void>) {
  const address = readAddress(url)
  const pool = createConnections(address, 3)
  const db = createPool(pool, address)
  const halting: Database = {
    ...db,
    transaction: (work) =>
      db.transaction((session) =>
        work({
          async query(statement, values) {
            const rows = await session.query(statement, values)
            if (statement.text.includes('from past_deliveries join')) await between()
            return rows
          },
        }),
      ),
  }
  const reading = createPostgresReading(createSnapshots(pool, address))
  const given = { migrate: async () => {}, channel: 'hubs', sameBytesWindow: DAY, lookEvery: 20 }
  return await createPostgresStorage({ db: halting, reading, ...given })
}
