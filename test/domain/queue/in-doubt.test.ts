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

const [SECOND, MINUTE] = [1_000, 60_000]
const NOW = 100 * MINUTE

const tried = (at: number, outcome: string, code: string, ms = 0) => ({ at, ms, outcome, code })

describe('since when a delivery is in doubt', () => {
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
  ])('is %s', (_, attempts, since) => {
    expect(inDoubtSince(attempts, NOW)).toBe(since)
  })
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
