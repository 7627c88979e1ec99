import { join } from 'node:path'
import { expect, test } from 'vitest'
import { retentionJob } from '../../../src/jobs/retention/retention.ts'
import { openTestStore } from '../../empty-store.ts'
import { by, claim, DAY, DELIVERED, settle } from '../../storage/acting.ts'
import { createArrivals } from '../../storage/arrivals.ts'
import { AGES, NOW } from '../../storage/retention/pruned-store.ts'
import { temporaryFolder } from '../../storage/sqlite/file.ts'
import { createTestLogger } from '../engine/run.ts'

const HELD = 'price:under a legal hold'

test('When the events of a price have had their time, then it is not kept which of them was made last, unless one of them is here still', async () => {
  using folder = temporaryFolder()
  await using storage = await openTestStore(join(folder.path, 'store.db'), { clock: () => NOW })
  for (const [entity, age] of [
    ['price:a campaign of long ago', AGES.events + DAY],
    [HELD, AGES.events + DAY],
    ['price:a campaign of today', 0],
  ] as const) {
    const { about } = createArrivals({ now: () => NOW - age })
    const [verdict] = await storage.accept([about(entity, { latestWins: true })])
    if (entity === HELD) await storage.holdEvents([verdict?.id ?? 0], by(NOW))
    await settle(storage, await claim(storage), DELIVERED, NOW)
  }
  const job = retentionJob({
    storage,
    ages: AGES,
    archive: null,
    room: async () => null,
    logger: createTestLogger().logger,
  })
  const { signal } = new AbortController()

  await job.run({ now: NOW, asked: false, signal, state: null, save: async () => {} })

  const { rows } = await storage.personalPage({ place: 'acknowledged', containing: ['price:'], after: 0 })
  expect(rows.map(({ values }) => values[2])).toEqual(['price:a campaign of today', HELD])
})
