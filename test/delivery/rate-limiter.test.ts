import { expect, test } from 'vitest'
import { createRateLimiter } from '../../src/delivery/rate-limiter.ts'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import { createLogger } from '../../src/lib/logger.ts'

const SECOND = 1_000
const TOO_MANY: Outcome = { type: 'retry', scope: 'destination', notBefore: null, code: 'http-429', why: '429' }
const NAMED: Outcome = { ...TOO_MANY, notBefore: 9 * SECOND }

/** A limiter of a destination that refused half of twenty calls in two seconds. */
function slowed(refusal: Outcome) {
  const limiter = createRateLimiter('shop', createLogger('silent'))
  for (let no = 0; no < 20; no += 1)
    limiter.follow(no % 2 === 0 ? { type: 'delivered', links: [], note: null } : refusal, no * 100 + 100)
  return limiter
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
