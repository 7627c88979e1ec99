import { join } from 'node:path'
import { expect, test } from 'vitest'
import { retentionJob } from '../../../src/jobs/retention/retention.ts'
import { openTestStore } from '../../empty-store.ts'
import { by, DAY } from '../../storage/acting.ts'
import { createArrivals } from '../../storage/arrivals.ts'
import { AGES, NOW } from '../../storage/retention/pruned-store.ts'
import { temporaryFolder } from '../../storage/sqlite/file.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'

/** A store with an event of yesterday, and the job; `schedule`: not each night. */
async function started(path: string, schedule?: string) {
  const storage = await openTestStore(join(path, 'store.db'), { clock: () => NOW })
  const { arrival } = createArrivals({ now: () => NOW - DAY })
  await storage.accept([arrival({ kind: 'Sold', transportKey: 'e-1', deliveries: [] }), arrival({ kind: 'Newest' })])
  await storage.dismiss({ kind: 'Sold' }, by(NOW))
  let now = NOW
  const job = retentionJob({
    ...{ storage, ages: AGES, archive: null, room: async () => null, logger: createTestLogger().logger },
    ...(schedule !== undefined && { schedule }),
  })
  const runner = createRunner(job, () => now)
  return {
    storage,
    runner,
    kinds: async () => (await storage.events({})).map(({ kind }) => kind),
    at: (instant: number, asked = false) => {
      now = instant
      return runner.run({ asked })
    },
  }
}

test('When the clock is suddenly years ahead, then the nightly run prunes nothing, and says why; once it is put back, all goes on', async () => {
  using folder = temporaryFolder()
  const { storage, at, kinds, runner } = await started(folder.path)
  await using _ = storage
  await at(NOW)
  const before = JSON.stringify(runner.state)

  for (const days of [730, 731])
    await expect(at(NOW + days * DAY)).rejects.toThrow(
      /^By this clock it is 2028-.*, and retention ran last on 2026-02-06: nothing is pruned.*timedatectl.*tillbridge retention run/,
    )
  expect(await kinds()).toEqual(['Newest', 'Sold'])
  expect(JSON.stringify(runner.state)).toBe(before)

  expect(await at(NOW + DAY)).toMatch(/^pruned /)
})

test('When a hub was off for so long, then it prunes once a person has said so', async () => {
  using folder = temporaryFolder()
  const { storage, at, kinds } = await started(folder.path)
  await using _ = storage
  await at(NOW)
  await expect(at(NOW + 730 * DAY)).rejects.toThrow('nothing is pruned')

  expect(await at(NOW + 730 * DAY, true)).toMatch(/^pruned 1 event,/)
  expect(await kinds()).toEqual(['Newest'])
  expect(await at(NOW + 731 * DAY)).toMatch(/^pruned /)
})

test('When it was off for a few weeks, or runs twice a year, then nobody is asked', async () => {
  using folder = temporaryFolder()
  const { storage, at } = await started(folder.path)
  await using _ = storage
  await at(NOW)
  expect(await at(NOW + 25 * DAY)).toMatch(/^pruned /)

  using other = temporaryFolder()
  const seldom = await started(other.path, '40 1 1 1,7 *')
  await using __ = seldom.storage
  await seldom.at(Date.parse('2026-01-01T01:40:00Z'))
  expect(await seldom.at(Date.parse('2026-07-01T01:40:00Z'))).toMatch(/^pruned /)
})
