import { expect, test } from 'vitest'
import { createPostgresReading, createSnapshots } from '../../../src/storage/postgres/reading.ts'
import { createScrubbing } from '../../../src/storage/postgres/scrubbing.ts'
import { readAddress } from '../../../src/storage/postgres/server/address.ts'
import { createConnections, createPool } from '../../../src/storage/postgres/server/pool.ts'
import { asOwner, migratedSchema, NO_SERVER, SERVER } from './schema.ts'

test.skipIf(SERVER === undefined)(
  `When a table takes longer to look through than one statement may, then the second pass ends, and finds what is there (${NO_SERVER} otherwise)`,
  async () => {
    await using schema = await migratedSchema()
    await asOwner(
      `set search_path = ${schema.name}; insert into lookups (at, number, found, missing, ms)
         select n, repeat(md5(n::text), 60) || case when n % 10000 = 0 then ' zeb@example.com' else '' end, '[]', '[]', 1
           from generate_series(1, 30000) as n;
       alter table lookups alter column number set storage plain; update lookups set number = number || ''`,
    )
    const address = readAddress(schema.url)
    const pool = createConnections(address, 1)
    pool.on('connect', (client) => void client.query('set statement_timeout = 500'))
    await using db = createPool(pool, address)
    const texts = ['zeb@example.com', ...Array.from({ length: 60 }, (_, n) => `zeb-${n}@example.com`)]
    const scrub = createScrubbing(db, createPostgresReading(createSnapshots(pool, address)))
    expect(await scrub(texts, ['lookups'])).toMatchObject({ found: 3 })
  },
)
