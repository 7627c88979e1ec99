import pg from 'pg'
import { expect, test } from 'vitest'
import { createPostgresReading, createSnapshots } from '../../../src/storage/postgres/reading.ts'
import { createScrubbing } from '../../../src/storage/postgres/scrubbing.ts'
import { readAddress } from '../../../src/storage/postgres/server/address.ts'
import { createConnections, createPool } from '../../../src/storage/postgres/server/pool.ts'
import { eventually } from '../../eventually.ts'
import { NO_POOLER, startOwnPooler } from './own-pooler.ts'
import { migratedSchema, NO_SERVER, SERVER } from './schema.ts'

test.skipIf(SERVER === undefined)(
  `When VACUUM takes longer than a statement of the hub may, then it ends all the same, and nothing is left to do by hand (${NO_SERVER} otherwise)`,
  async () => {
    await using schema = await migratedSchema()
    const address = readAddress(schema.url)
    const pool = createConnections(address, 1)
    pool.on('connect', (client) => void client.query('set statement_timeout = 300'))
    await using db = createPool(pool, address)
    const [other, watcher] = [0, 1].map(() => new pg.Client({ connectionString: SERVER })) as [pg.Client, pg.Client]
    await Promise.all([other.connect(), watcher.connect()])
    try {
      // What VACUUM waits for is as good as a table that takes long.
      await other.query(`begin; lock table ${schema.name}.lookups in share update exclusive mode`)
      const scrub = createScrubbing(db, createPostgresReading(createSnapshots(pool, address)))
      const ended = scrub(['zeb@example.com'], ['lookups', 'gaps'])
      await eventually(async () => {
        const { rows } = await watcher.query(
          `select 1 from pg_stat_activity where query like 'vacuum%${schema.name}.lookups'
             and wait_event_type = 'Lock' and clock_timestamp() - query_start > '1 s'`,
        )
        expect(rows).toHaveLength(1)
      })
      await other.query('commit')
      const { warnings } = await ended
      expect(warnings.filter((warning) => warning.includes('by hand.'))).toEqual([])
    } finally {
      await Promise.all([other.end(), watcher.end()])
    }
  },
)

test.skipIf(NO_POOLER !== null)(
  `When a pooler stands before the server, then VACUUM reaches it (${NO_POOLER ?? 'PgBouncer'})`,
  async () => {
    await using schema = await migratedSchema()
    await using pooler = await startOwnPooler()
    const address = readAddress(pooler.through(schema.url))
    const pool = createConnections(address, 1)
    await using db = createPool(pool, address)
    const scrub = createScrubbing(db, createPostgresReading(createSnapshots(pool, address)))
    const { warnings } = await scrub(['zeb@example.com'], ['lookups'])
    expect(warnings.filter((warning) => warning.includes('could not be'))).toEqual([])
  },
)
