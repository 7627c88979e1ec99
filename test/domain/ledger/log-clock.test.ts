import { expect, test } from 'vitest'
import { isSameClock, NARROW } from '../../../src/domain/ledger/log-clock.ts'

const MINUTE = 60_000
const from = Date.parse('2026-11-20T12:00:00Z')
const asked = { from, to: from + NARROW }

test.each([
  ['what was asked for', [from, from + 5 * MINUTE, from + NARROW], true],
  ['the tenth of a second besides', [from - 90, from + NARROW + 90], true],
  ['nothing', [], null],
  ['another quarter of an hour', [from + 15 * MINUTE], false],
  ['another hour, by a clock that is ahead', [from - 60 * MINUTE], false],
  ['the whole day', [from - 600 * MINUTE, from + MINUTE, from + 300 * MINUTE], false],
])('when a narrow question is answered with %s, then that tells whose clock it is', (_, answer, is) => {
  expect(isSameClock(asked, answer)).toBe(is)
})

test('when a question is not narrow, then its answer does not tell', () => {
  expect(isSameClock({ from, to: from + 15 * MINUTE }, [from])).toBeNull()
})
