import { expect, test } from 'vitest'
import { createRateLimiter } from '../../src/delivery/trouble.ts'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import { createTestLog, DELIVERED } from './kit/parts.ts'

const SECOND = 1_000
const TOO_MANY: Outcome = { type: 'retry', scope: 'destination', notBefore: null, code: 'http-429', why: '429' }
const NAMED: Outcome = { ...TOO_MANY, notBefore: 9 * SECOND }

/** A limiter of a destination that refused half of twenty calls in two seconds. */
function slowed(refusal: Outcome) {
  const { logger, said } = createTestLog()
  const limiter = createRateLimiter('shop', logger)
  for (let no = 0; no < 20; no += 1) limiter.follow(no % 2 === 0 ? DELIVERED : refusal, no * 100 + 100)
  return { ...limiter, said }
}

test('When half of the calls are refused as too many, then as many pass as it took, and the limiter says when the next may', () => {
  const limiter = slowed(TOO_MANY)
  expect(limiter.limit()).toBeCloseTo(5, 0)
  expect(limiter.room(2 * SECOND)).toBe(0)
  const opens = limiter.opensAt(2 * SECOND) ?? 0
  expect(limiter.room(opens)).toBe(1)
  // What holds back then are the slots: nobody is to wake for the limiter.
  expect(limiter.opensAt(opens)).toBe(null)
  limiter.passed(1, opens)
  expect(limiter.room(opens)).toBe(0)
})

test('When it says when it takes the next, then that is waited for, and nothing is slowed', () => {
  expect(slowed(NAMED).limit()).toBe(null)
})

test('When it is slowed, then the log says so once, and once more when it goes as fast as before', () => {
  const limiter = slowed(TOO_MANY)
  const limit = limiter.limit()
  expect(limiter.said).toMatchObject([
    { level: 40, msg: 'destination.slowed', destination: 'shop', callsPerSecond: limit },
  ])
  for (let no = 1; no <= 20; no += 1) limiter.follow(no % 2 === 0 ? TOO_MANY : DELIVERED, 2 * SECOND + no * 100)
  expect(limiter.said).toHaveLength(1)
  // Few calls, far apart: the limit holds nothing back any more.
  for (let no = 1; no <= 20; no += 1) limiter.follow(DELIVERED, no * 30 * SECOND)
  expect(limiter.limit()).toBe(null)
  expect(limiter.said.slice(1)).toMatchObject([
    { level: 30, msg: 'destination.as-fast-as-before', destination: 'shop' },
  ])
})

test('When nothing was refused, then it opens at once, and any number of calls may begin', () => {
  const limiter = createRateLimiter('shop', createTestLog().logger)
  limiter.passed(1_000, 0)
  expect([limiter.room(0), limiter.opensAt(0), limiter.limit()]).toEqual([Number.POSITIVE_INFINITY, null, null])
})
