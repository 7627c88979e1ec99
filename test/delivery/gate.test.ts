import { expect, test } from 'vitest'
import { createGate } from '../../src/delivery/gate.ts'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import { createLogger } from '../../src/lib/logger.ts'

const SECOND = 1_000
const TOO_MANY: Outcome = { type: 'retry', scope: 'destination', notBefore: null, code: 'http-429', why: '429' }
const NAMED: Outcome = { ...TOO_MANY, notBefore: 9 * SECOND }

/** A gate of a destination that refused half of twenty calls in two seconds. */
function slowed(refusal: Outcome) {
  const gate = createGate('shop', createLogger('silent'))
  for (let no = 0; no < 20; no += 1)
    gate.follow(no % 2 === 0 ? { type: 'delivered', links: [], note: null } : refusal, no * 100 + 100)
  return gate
}

test('When half of the calls are refused as too many, then as many pass as it took, and the gate says when the next may', () => {
  const gate = slowed(TOO_MANY)
  expect(gate.limit()).toBeCloseTo(5, 0)
  expect(gate.room(2 * SECOND)).toBe(0)
  const opens = gate.opensAt(2 * SECOND) ?? 0
  expect(gate.room(opens)).toBe(1)
  // What holds back then are the slots: nobody is to wake for the gate.
  expect(gate.opensAt(opens)).toBe(null)
  gate.passed(1, opens)
  expect(gate.room(opens)).toBe(0)
})

test('When it says when it takes the next, then that is waited for, and nothing is slowed', () => {
  expect(slowed(NAMED).limit()).toBe(null)
})
