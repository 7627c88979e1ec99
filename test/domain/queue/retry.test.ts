import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  CUT_OFF_DELAY,
  findDelay,
  ITEM_LIFETIME,
  itemDelay,
  jobDelay,
  PUSH_DELAYS,
  probeDelay,
  readDelay,
} from '../../../src/domain/queue/retry.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const NONE = 0.5

/** In [0, 1). */
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('when an item has failed', () => {
  test('then it is tried again after 5 s, and later and later, up to every 12 h', () => {
    const delays = Array.from({ length: 16 }, (_, index) => itemDelay(index + 1, NONE))
    const soon = [5 * SECOND, 30 * SECOND, ...[2, 4, 5, 5, 5, 5, 5].map((minutes) => minutes * MINUTE)]
    expect(delays).toEqual([...soon, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 12 * HOUR, 12 * HOUR])
    expect(ITEM_LIFETIME).toBe(72 * HOUR)
  })

  test('then the delay is off by at most a fifth, in whole milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), chance, (tries, random) => {
        const plain = itemDelay(tries, NONE)
        const delay = itemDelay(tries, random)
        return delay >= plain * 0.8 && delay <= plain * 1.2 && Number.isInteger(delay)
      }),
    )
    expect([itemDelay(1, 0), itemDelay(1, 0.999_999)]).toEqual([4_000, 6_000])
  })

  test('then each of the first nine tries comes within six minutes, whatever chance says', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 9 }), chance, (tries, a) => itemDelay(tries, a) <= 6 * MINUTE))
  })

  test('then a later try is never sooner than an earlier one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 14 }), (tries) => itemDelay(tries, NONE) <= itemDelay(tries + 1, NONE)),
    )
  })
})

test('when a look for an effect has failed, then it is looked for again within seconds, later minutes, and after an hour no more', () => {
  const minutes = [2, 5, 5, 5, 5, 5].map((number) => number * MINUTE)
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(findDelay)).toEqual([
    5 * SECOND,
    30 * SECOND,
    ...minutes,
    HOUR,
    null,
    null,
  ])
})

describe('when a destination is down', () => {
  test('then it is probed after 5 s, doubling, to every 5 min, however long it lasts', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 2_000].map((failures) => probeDelay(failures, NONE) / SECOND)
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
  })

  test('then the delay is off by at most a fifth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), chance, (failures, random) => {
        const delay = probeDelay(failures, random)
        return delay >= 4 * SECOND && delay <= 6 * MINUTE
      }),
    )
  })
})

test('when a job has failed, then it runs again after 1, 5 and 15 min, and then by its schedule; one cut off after the first of them', () => {
  expect([1, 2, 3, 4, 50].map(jobDelay)).toEqual([MINUTE, 5 * MINUTE, 15 * MINUTE, null, null])
  expect(CUT_OFF_DELAY).toBe(MINUTE)
})

test('when a read of the platform has failed, then it is tried twice more, up to a fifth later', () => {
  expect([1, 2, 3, 50].map((tries) => readDelay(tries, 0))).toEqual([250, SECOND, null, null])
  fc.assert(
    fc.property(chance, (random) => (readDelay(2, random) ?? 0) >= SECOND && (readDelay(2, random) ?? 0) <= 1_200),
  )
})

test('when nobody answers a push, then it tries again within seconds first, and each minute at last', () => {
  expect(PUSH_DELAYS[0]).toBe(500)
  expect(PUSH_DELAYS.at(-1)).toBe(MINUTE)
  expect([...PUSH_DELAYS]).toEqual(PUSH_DELAYS.toSorted((a, b) => a - b))
})
