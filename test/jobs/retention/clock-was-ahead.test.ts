import { join } from 'node:path'
import { expect, test } from 'vitest'
import { retentionJob } from '../../../src/jobs/retention/retention.ts'
import { openTestStore } from '../../empty-store.ts'
import { by, DAY } from '../../storage/acting.ts'
import { createArrivals } from '../../storage/arrivals.ts'
import { AGES, NOW } from '../../storage/retention/pruned-store.ts'
import { temporaryFolder } from '../../storage/sqlite/file.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'

const YEARS = 700 * DAY

/** A store whose events came by a clock that was years ahead for a while; kinds in the order in which they came. */
async function storeOf(path: string, came: readonly { kind: string; at: number; times?: number }[]) {
  const storage = await openTestStore(join(path, 'store.db'), { clock: () => NOW })
  const { arrival } = createArrivals({ now: () => NOW })
  for (const { kind, at, times = 1 } of came)
    await storage.accept(Array.from({ length: times }, () => arrival({ kind, receivedAt: at, deliveries: [] })))
  return storage
}

const kindsIn = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind).sort()

test('When events came by a clock that was years ahead, then those behind them go in their time, and they go with them', async () => {
  using folder = temporaryFolder()
  const old = NOW - AGES.events - 10 * DAY
  await using storage = await storeOf(folder.path, [
    { kind: 'Old', at: old },
    { kind: 'Ahead', at: NOW + YEARS, times: 2_500 },
    { kind: 'Old', at: old + DAY },
    { kind: 'Young', at: NOW - DAY },
    { kind: 'AheadAndYoung', at: NOW + YEARS },
    { kind: 'Young', at: NOW },
  ])
  for (const kind of ['Old', 'Ahead', 'Young', 'AheadAndYoung']) await storage.dismiss({ kind }, by(NOW))
  const job = retentionJob({
    ...{ storage, ages: AGES, archive: null, room: async () => null, logger: createTestLogger().logger },
  })

  await createRunner(job, () => NOW).run()
  expect(kindsIn(await storage.events({ limit: 10_000 }))).toEqual(['AheadAndYoung', 'Young', 'Young'])
})
