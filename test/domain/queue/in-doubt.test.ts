import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  effectAgain,
  inDoubtSince,
  isAgain,
  keyOfFirst,
  nextLookup,
  partAgain,
  partOf,
  repeats,
} from '../../../src/domain/queue/delivery.ts'
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

const [SECOND, MINUTE] = [1_000, 60_000]
const NOW = 100 * MINUTE

const tried = (at: number, outcome: string, code: string, ms = 0) => ({ at, ms, outcome, code })

test.each([
  ['the end of the call that went unanswered', [tried(5, 'unknown', 'timeout', 20)], 25],
  ['the end of the last of several', [tried(5, 'unknown', 'timeout', 20), tried(90, 'unknown', 'timeout', 10)], 100],
  [
    'no lookup, and no call of which the outcome is known',
    [
      tried(5, 'unknown', 'timeout', 20),
      tried(60, 'unknown', 'find-failed'),
      tried(70, 'unknown', 'find-unfinished'),
      tried(75, 'unknown', 'no-time-left'),
      tried(80, 'retry', 'unreachable'),
      tried(90, 'wait', 'not-found-yet'),
    ],
    25,
  ],
  [
    'the end of a lookup that made what was missing, and got no answer',
    [tried(5, 'unknown', 'timeout', 20), tried(60, 'unknown', 'find-unanswered', 20)],
    80,
  ],
  ['the end of a hub that had it out', [tried(5, 'unknown', 'timeout'), tried(70, 'unknown', 'lease-over')], 70],
  [
    'the first lookup where no attempt tells of a call',
    [tried(60, 'wait', 'not-found-yet'), tried(90, 'wait', 'not-found-yet')],
    60,
  ],
  ['now where nothing tells of it', [], NOW],
  [
    'not what a clock that was ahead has noted',
    [tried(5, 'unknown', 'timeout'), tried(NOW + 2 * MINUTE, 'unknown', 'timeout')],
    5,
  ],
  ['never later than now', [tried(NOW - 5, 'unknown', 'timeout', 20)], NOW],
])('since when a delivery is in doubt: is %s', (_, attempts, since) => {
  expect(inDoubtSince(attempts, NOW)).toBe(since)
})

test('a delivery in doubt is looked up in pauses that double, at last when its doubt is over, and then no more', () => {
  const at: number[] = []
  for (let now = 20 * SECOND; ; ) {
    const next = nextLookup(0, now, 5 * MINUTE, 20 * SECOND)
    if (next === null) break
    at.push(next / SECOND)
    now = next
  }
  expect(at).toEqual([40, 80, 160, 300])
  expect(nextLookup(0, 0, 0, 20 * SECOND)).toBeNull()
})

const again = partAgain({ part: 'shipment 2', id: 41 }, 0)
const third = partAgain({ part: again, id: 41 }, 2)

test('When a message is sent once more, then its part says which one it repeats, and the how manieth time', () => {
  expect(again).toBe('shipment 2~again-41')
  expect(third).toBe('shipment 2~again-41.2')
  expect(partAgain({ part: '', id: 5 }, 0)).toBe('~again-5')
})

test('When a part is read, then what its flow called it is known, and whether it repeats something', () => {
  expect([again, third, 'shipment 2', '', '~again-5'].map(partOf)).toEqual([
    'shipment 2',
    'shipment 2',
    'shipment 2',
    '',
    '',
  ])
  expect([again, third, 'shipment 2', '', '~again-5'].map(isAgain)).toEqual([true, true, false, false, true])
})

test('When a delivery is asked for, then only its own repetitions are found', () => {
  expect([again, third, '~again-41'].map((part) => repeats(part, 41))).toEqual([true, true, true])
  expect([again, third, 'shipment 2', '41', ''].map((part) => repeats(part, 4))).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
  // A part of a flow that only looks like a number.
  expect(repeats('12345678', 8)).toBe(false)
})

test('When it is repeated, then its effect is owed beside the first, and its key leads back to that', () => {
  expect(effectAgain('receipt:101', again)).toBe('receipt:101~again-41')
  expect(
    ['SaleCreated:101:receipt:~again-41', 'SaleCreated:101:receipt:~again-41.2', 'a~again-41%2E2'].map(keyOfFirst),
  ).toEqual(['SaleCreated:101:receipt', 'SaleCreated:101:receipt', 'a'])
  expect(keyOfFirst('SaleCreated:101:receipt')).toBe('SaleCreated:101:receipt')
})

describe('when it is tried again', () => {
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
})
