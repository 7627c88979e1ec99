import { expect, test } from 'vitest'
import { StorageUnavailableError } from '../../src/domain/values/errors.ts'
import { begin, type InFlight } from '../../src/queue/call.ts'
import { createIsolation } from '../../src/queue/execute.ts'
import { claimOf, DELIVERED, destinationOf, flowOf, NOW } from './kit/parts.ts'
import { sourcesOf } from './sources.ts'

const { sources } = sourcesOf()
const claimsWith = (...crashes: number[]) =>
  crashes.map((one, index) =>
    begin(claimOf({ id: index + 1, crashes: one }), flowOf('step'), destinationOf(), sources, NOW),
  )
const idsOf = (claims: readonly InFlight[]) => claims.map(({ delivery: { id } }) => id)

/** Runs calls by an isolation, and says who was in flight together. */
function createRuns({ isRunning = true, isFull = false } = {}) {
  const runs: number[][] = []
  const marked: (number | null)[][] = []
  const isolated = createIsolation({
    isRunning: () => isRunning,
    async markIsolated(delivery, before) {
      if (isFull) throw new StorageUnavailableError('the disk is full')
      marked.push([delivery, before])
    },
  })
  let alone = 0
  let most = 0
  const run = async (claims: readonly InFlight[]) => {
    await isolated(claims, async (these) => {
      const isSuspect = these.some(({ delivery: { crashes } }) => crashes >= 2)
      runs.push(idsOf(these))
      if (isSuspect) most = Math.max(most, ++alone)
      await new Promise(setImmediate)
      if (isSuspect) alone -= 1
      for (const one of these) one.outcome = DELIVERED
    })
    return claims.map(({ outcome }) => outcome?.type ?? null)
  }
  return { run, runs, marked, most: () => most }
}

test('deliveries that were in flight at no crash, or at one, go out together', async () => {
  const { run, runs } = createRuns()
  expect(await run(claimsWith(0, 1, 0))).toEqual(['delivered', 'delivered', 'delivered'])
  expect(runs).toEqual([[1, 2, 3]])
})

test('those that were in flight at two crashes run alone, one at a time over all calls; at three, they are held', async () => {
  const { run, runs, most } = createRuns()
  const [first] = await Promise.all([run(claimsWith(2, 0, 3, 2)), run(claimsWith(2, 2)), run(claimsWith(0))])
  expect(runs.filter((ids) => ids.includes(3))).toEqual([])
  expect(most()).toBe(1)
  expect(first).toEqual(['delivered', 'delivered', 'held', 'delivered'])
  // Three of the first, two of the second, one of the third.
  expect(runs).toHaveLength(6)
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
  expect(await full.run(claimsWith(2, 0))).toEqual([null, 'delivered'])
  expect(full.runs).toEqual([[2]])
})

test('a hub that stops leaves those whose turn has not come', async () => {
  const { run, runs } = createRuns({ isRunning: false })
  expect(await run(claimsWith(2, 2))).toEqual([null, null])
  expect(runs).toEqual([])
})
