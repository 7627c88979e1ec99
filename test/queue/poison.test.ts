import { expect, test } from 'vitest'
import { StorageUnavailableError } from '../../src/domain/values/errors.ts'
import type { AttemptedBatch } from '../../src/queue/execute.ts'
import { createIsolation } from '../../src/queue/execute.ts'
import type { Claim } from '../../src/storage/claim.ts'
import { claimOf } from './kit/parts.ts'

const claimsWith = (...crashes: number[]) => crashes.map((one, index) => claimOf({ id: index + 1, crashes: one }))
const idsOf = (claims: readonly Claim[]) => claims.map(({ delivery: { id } }) => id)
const done = (claims: readonly Claim[]): AttemptedBatch => ({
  outcomes: claims.map(() => ({ type: 'delivered', links: [], note: null })),
  mostTelling: { type: 'delivered', links: [], note: null },
  calls: 1,
})

/** Runs calls by an isolation, and says who was in flight together. */
function createRuns({ isRunning = true, isFull = false, stalls = () => false as boolean } = {}) {
  const runs: number[][] = []
  const marked: (number | null)[][] = []
  const isolated = createIsolation({
    eventLoop: { hasStalledSince: stalls },
    isRunning: () => isRunning,
    async markIsolated(delivery, before) {
      if (isFull) throw new StorageUnavailableError('the disk is full')
      marked.push([delivery, before])
    },
  })
  let alone = 0
  let most = 0
  const run = (claims: readonly Claim[]) =>
    isolated(claims, async (these) => {
      const isSuspect = these.some(({ delivery: { crashes } }) => crashes >= 2)
      runs.push(idsOf(these))
      if (isSuspect) most = Math.max(most, ++alone)
      await new Promise(setImmediate)
      if (isSuspect) alone -= 1
      return done(these)
    })
  return { run, runs, marked, most: () => most }
}

test('deliveries that were in flight at no crash, or at one, go out together', async () => {
  const { run, runs } = createRuns()
  const { outcomes, calls } = await run(claimsWith(0, 1, 0))
  expect(runs).toEqual([[1, 2, 3]])
  expect(outcomes.map(({ type }) => type)).toEqual(['delivered', 'delivered', 'delivered'])
  expect(calls).toBe(1)
})

test('those that were in flight at two crashes run alone, one at a time over all calls; at three, they are held', async () => {
  const { run, runs, most } = createRuns()
  const [first] = await Promise.all([run(claimsWith(2, 0, 3, 2)), run(claimsWith(2, 2)), run(claimsWith(0))])
  expect(runs.filter((ids) => ids.includes(3))).toEqual([])
  expect(most()).toBe(1)
  expect(first.outcomes.map(({ type }) => type)).toEqual(['delivered', 'delivered', 'held', 'delivered'])
  expect(first.calls).toBe(3)
})

test('each that runs isolated is marked before; one that cannot be marked is left', async () => {
  const { run, marked } = createRuns()
  await run(claimsWith(2, 0, 3, 1, 2))
  // With the one before, which did no harm: its outcome may not be written when the next one kills the process.
  expect(marked).toEqual([
    [1, null],
    [5, 1],
  ])
  const full = createRuns({ isFull: true })
  expect((await full.run(claimsWith(2, 0))).outcomes).toMatchObject([{ code: 'not-its-turn' }, { type: 'delivered' }])
  expect(full.runs).toEqual([[2]])
})

test('a hub that stops leaves those whose turn has not come', async () => {
  const { run, runs } = createRuns({ isRunning: false })
  const { outcomes, mostTelling } = await run(claimsWith(2, 2))
  expect(runs).toEqual([])
  expect(outcomes).toMatchObject([{ code: 'not-its-turn' }, { code: 'not-its-turn' }])
  expect(mostTelling).toBe(null)
})

test('a stall is that of the calls that it was during', async () => {
  const stalls = [true, false, false]
  const { run } = createRuns({ stalls: () => stalls.shift() ?? false })
  const { stalled } = await run(claimsWith(2, 0, 2))
  expect([...stalled]).toEqual([2])
})
