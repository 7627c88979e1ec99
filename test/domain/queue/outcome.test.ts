import { describe, expect, test } from 'vitest'
import { cutShort, isUnreachable, type Outcome, outcomeOf, wasCut } from '../../../src/domain/queue/outcome.ts'
import {
  HeldError,
  PermanentError,
  RefusedTogetherError,
  RetryLaterError,
  UnknownOutcomeError,
  WaitError,
} from '../../../src/domain/values/errors.ts'

const why = 'it said so'

describe('what follows from an error', () => {
  test.each<[string, unknown, Outcome]>([
    ['never works', new PermanentError(why), { type: 'dead', code: 'permanent', why }],
    ['is refused', new PermanentError(why, { code: 'http-400' }), { type: 'dead', code: 'http-400', why }],
    ['is refused with others', new RefusedTogetherError(why), { type: 'dead', code: 'permanent', why }],
    ['needs a person', new HeldError(why), { type: 'held', code: 'held', why }],
    [
      'needs a person for a reason',
      new HeldError(why, { code: 'unbalanced' }),
      { type: 'held', code: 'unbalanced', why },
    ],
    [
      'must wait',
      new WaitError(why, { code: 'no-order-yet', until: 7 }),
      { type: 'wait', until: 7, code: 'no-order-yet', why },
    ],
    [
      'may work later',
      new RetryLaterError(why),
      { type: 'retry', scope: 'item', notBefore: null, code: 'retry-later', why },
    ],
    [
      'is stopped for everybody until a time',
      new RetryLaterError(why, { scope: 'destination', code: 'http-429', notBefore: 9 }),
      { type: 'retry', scope: 'destination', notBefore: 9, code: 'http-429', why },
    ],
    ['may have worked', new UnknownOutcomeError(why), { type: 'unknown', code: 'unknown-outcome', why }],
    [
      'may have worked, and only a person can tell',
      new UnknownOutcomeError(why, { code: 'no-answer', byHand: true, because: 'http-401' }),
      { type: 'unknown', code: 'no-answer', why, byHand: true, because: 'http-401' },
    ],
    ['is a fault of ours', new TypeError(why), { type: 'unknown', code: 'unexpected-error', why: `TypeError: ${why}` }],
    ['is no error', why, { type: 'unknown', code: 'unexpected-error', why }],
  ])('When it %s, then that is the outcome', (_, error, outcome) => {
    expect(outcomeOf(error)).toStrictEqual(outcome)
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, null])(
    'When the other side names %s as the time to come back, then it named none',
    (notBefore) => {
      expect(outcomeOf(new RetryLaterError(why, notBefore === undefined ? {} : { notBefore }))).toMatchObject({
        notBefore: null,
      })
    },
  )

  test('When an error has a cause, then it is kept', () => {
    const cause = new Error('below')
    for (const error of [
      new PermanentError(why, { cause }),
      new RetryLaterError(why, { cause }),
      new UnknownOutcomeError(why, { cause }),
      new HeldError(why, { cause }),
    ])
      expect(error.cause).toBe(cause)
  })
})

describe('how an attempt ended', () => {
  const item = { type: 'retry', scope: 'item', notBefore: null, code: 'http-500', why } as const
  const wide = { ...item, scope: 'destination' } as const
  const unknown = { type: 'unknown', code: 'no-answer', why } as const
  const dead = { type: 'dead', code: 'http-400', why } as const

  test('When the whole destination is down, then nobody got through; nobody else is said to be', () => {
    expect([wide, item, unknown, dead].map(isUnreachable)).toEqual([true, false, false, false])
  })

  test('When time was over, then that is said of what may still have worked, and of nothing that says how it stands', () => {
    expect([item, wide, unknown, dead].map((outcome) => wasCut(outcome))).toEqual([false, false, false, false])
    expect([item, wide, unknown, dead].map((outcome) => wasCut(cutShort(outcome)))).toEqual([true, true, true, false])
    expect(cutShort(dead)).toBe(dead)
    expect(cutShort(unknown)).toEqual({ ...unknown, cut: true })
  })
})
