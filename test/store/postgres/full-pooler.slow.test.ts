import { expect, test } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { NO_POOLER, startOwnPooler } from './own-pooler.ts'
import { migratedSchema } from './schema.ts'

test.skipIf(NO_POOLER !== null)(
  `When a pooler takes no more connections of the hub, then it does with those that it has (${NO_POOLER ?? 'PgBouncer'})`,
  async () => {
    await using schema = await migratedSchema()
    await using pooler = await startOwnPooler(5)
    await using store = await openPostgresStore({
      url: pooler.through(schema.url),
      sameBytesWindow: DAY,
      connections: 10,
    })
    const { about } = createArrivals(store)
    await store.accept([about('a')])
    await store.status()
    const asked = Array.from({ length: 20 }, (_, n) => [store.accept([about(`b${n}`)]), store.check(), store.status()])
    const answers = await Promise.allSettled(asked.flat())
    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([])
  },
)
