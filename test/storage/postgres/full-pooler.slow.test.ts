import { expect, test } from 'vitest'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import { DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { NO_POOLER, startOwnPooler } from './own-pooler.ts'
import { migratedSchema } from './schema.ts'

test.skipIf(NO_POOLER !== null)(
  `When a pooler takes no more connections of the hub, then it does with those that it has (${NO_POOLER ?? 'PgBouncer'})`,
  async () => {
    await using schema = await migratedSchema()
    await using pooler = await startOwnPooler(5)
    await using storage = await openPostgresStorage({
      url: pooler.through(schema.url),
      sameBytesWindow: DAY,
      connections: 10,
    })
    const { about } = createArrivals(storage)
    await storage.accept([about('a')])
    await storage.status()
    const asked = Array.from({ length: 20 }, (_, n) => [
      storage.accept([about(`b${n}`)]),
      storage.check(),
      storage.status(),
    ])
    const answers = await Promise.allSettled(asked.flat())
    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([])
  },
)
