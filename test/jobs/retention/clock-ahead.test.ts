import { join } from 'node:path'
import { expect, test } from 'vitest'
import { retentionJob } from '../../../src/jobs/retention/retention.ts'
import { openTestStore } from '../../empty-store.ts'
import { by, DAY } from '../../store/acting.ts'
import { createArrivals } from '../../store/arrivals.ts'
import { AGES, NOW } from '../../store/retention/pruned-store.ts'
import { temporaryFolder } from '../../store/sqlite/file.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'

test('When the walks began anew by a clock that was ahead, then they do so once it is put back, and what was settled since goes', async () => {
  using folder = temporaryFolder()
  await using store = await openTestStore(join(folder.path, 'store.db'), { clock: () => NOW })
  const { arrival } = createArrivals({ now: () => NOW - AGES.events - 10 * DAY })
  await store.accept([arrival({ kind: 'Stays', deliveries: [] })])
  const { arrival: young } = createArrivals({ now: () => NOW })
  await store.accept([young({ kind: 'Young', deliveries: [] })])
  const job = retentionJob({
    ...{ store, ages: AGES, archive: null, room: async () => null, logger: createTestLogger().logger },
  })
  let now = NOW + 30 * DAY
  const runner = createRunner(job, () => now)
  await runner.run()
  now = NOW
  await store.dismiss({ kind: 'Stays' }, by(NOW))

  await runner.run()
  expect((await store.events({})).map(({ kind }) => kind)).toEqual(['Young'])
})
