import { describe, expect, test } from 'vitest'
import { inDoubtSince, nextLookup } from '../../../src/domain/queue/delivery.ts'

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
