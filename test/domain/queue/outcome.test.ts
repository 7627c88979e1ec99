import { describe, expect, test } from 'vitest'
import {
  causeOf,
  cutShort,
  isRateLimited,
  isUnreachable,
  mayBeDestinationWide,
  type Outcome,
  outcomeOf,
  unlessDestinationWide,
  wasAnswered,
  wasCut,
} from '../../../src/domain/queue/outcome.ts'
import {
  ConfigIssueError,
  configIssuesOf,
  HeldError,
  PermanentError,
  RefusedTogetherError,
  RetryLaterError,
  UnknownOutcomeError,
  UserError,
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

  for (const notBefore of [Number.NaN, Number.POSITIVE_INFINITY, undefined, null] as const)
    test(`When the other side names ${notBefore} as the time to come back, then it named none`, () => {
      expect(outcomeOf(new RetryLaterError(why, notBefore === undefined ? {} : { notBefore }))).toMatchObject({
        notBefore: null,
      })
    })

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

const dead = (code: string): Outcome => ({ type: 'dead', code, why })
const retry = (code: string): Outcome => ({ type: 'retry', scope: 'item', notBefore: null, code, why })
const unknown = (code: string, more = {}) => ({ type: 'unknown', code, why, ...more }) as const
const wide = (code: string, notBefore: number | null = null): Outcome => ({
  type: 'retry',
  scope: 'destination',
  notBefore,
  code,
  why,
})

const DAY = 24 * 60 * 60_000
const unless = (outcome: Outcome, own: boolean) => unlessDestinationWide(outcome, { own, alone: null }, null, DAY)

describe('when a refusal does not say what of a call was wrong', () => {
  const bare = (code: string): Outcome => ({ ...dead(code), mayBeWide: true }) as Outcome
  const tried = (code: string, ms: number, alone: number | null) =>
    unlessDestinationWide(bare(code), { own: false, alone }, 0, ms).type

  test('the delivery is tried again, whatever the code, until another delivery got through', () => {
    for (const code of ['http-400', 'http-404', 'http-410', 'http-402', 'smtp-550', 'gateway-refused', 'no-table']) {
      expect(mayBeDestinationWide(bare(code))).toBe(true)
      expect(wasAnswered(bare(code))).toBe(false)
      expect(unless(bare(code), false)).toEqual({ ...retry(code), mayBeWide: true })
      expect(unless(bare(code), true)).toEqual(bare(code))
    }
  })

  test('a delivery that is refused alone for a day is dead, one that is refused with others is not', () => {
    expect(tried('http-422', DAY - 1, 9)).toBe('retry')
    expect(tried('http-422', DAY, 1)).toBe('retry')
    expect(tried('http-422', DAY, 2)).toBe('dead')
    expect(tried('http-422', 9 * DAY, null)).toBe('retry')
  })

  test('a delivery that is refused alone because of our key lives until that is repaired', () => {
    expect(tried('http-401', 9 * DAY, 9)).toBe('retry')
  })
})

describe('when a destination answers one delivery', () => {
  test('with a refusal of us, a breakdown, another shape or inactivity, then it may answer everybody so', () => {
    for (const code of ['http-301', 'http-302', 'http-401', 'http-403', 'login-refused', 'no-api'])
      expect(mayBeDestinationWide(dead(code))).toBe(true)
    for (const code of ['http-500', 'http-408', 'half-answer', 'unreadable-answer'])
      expect(mayBeDestinationWide(retry(code))).toBe(true)
    for (const code of ['no-answer', 'http-500', 'unreadable-answer'])
      expect(mayBeDestinationWide(unknown(code))).toBe(true)
    expect(mayBeDestinationWide(cutShort(retry('http-409')))).toBe(true)
  })

  test('with a refusal of what was sent, then it is about this one', () => {
    for (const code of ['http-400', 'http-404', 'http-409', 'http-422', 'bad-record'])
      for (const outcome of [dead(code), retry(code)]) {
        expect(mayBeDestinationWide(outcome)).toBe(false)
        expect(wasAnswered(outcome)).toBe(true)
      }
    expect(mayBeDestinationWide(unknown('cannot-find', { byHand: true }))).toBe(false)
  })

  test('a look for an earlier effect with either, then what it met tells', () => {
    const look = (because: string) => unknown('find-failed', { because })
    expect(['http-401', 'http-500', 'ambiguous-order'].map((code) => mayBeDestinationWide(look(code)))).toEqual([
      true,
      true,
      false,
    ])
    expect(causeOf(look('http-401'))).toBe('http-401')
  })

  test('with 429, then it wants fewer calls, unless it says when it takes the next', () => {
    expect(isRateLimited(wide('http-429'))).toBe(true)
    expect(isRateLimited(wide('http-429', 1))).toBe(false)
    expect(isRateLimited(wide('http-503'))).toBe(false)
  })

  test('with a refusal of us, then nothing dies of it until others got through; of a refusal of its own it does', () => {
    expect(unless(dead('http-401'), false)).toEqual(retry('http-401'))
    expect(unless(dead('http-401'), true)).toEqual(dead('http-401'))
    expect(unless(dead('http-400'), false)).toEqual(dead('http-400'))
  })

  test('with anything else that says how it stands, then it got through; with inactivity, outage or a wait it did not', () => {
    const delivered: Outcome = { type: 'delivered', links: [], note: null }
    const held: Outcome = { type: 'held', code: 'unbalanced', why }
    const wait: Outcome = { type: 'wait', until: 5, code: 'no-order-yet', why }
    for (const outcome of [delivered, held]) expect(wasAnswered(outcome)).toBe(true)
    for (const outcome of [wait, wide('http-400'), dead('http-401'), retry('http-500'), unknown('find-failed')])
      expect(wasAnswered(outcome)).toBe(false)
    expect(wasAnswered(unknown('cannot-find', { byHand: true }))).toBe(false)
    expect([delivered, held, wait, wide('http-401')].map(mayBeDestinationWide)).toEqual([false, false, false, false])
  })

  test('with an error, then its code is the cause, unless a look for an earlier effect met another', () => {
    expect(causeOf(unknown('find-failed'))).toBe('find-failed')
    expect(causeOf({ ...dead('http-400'), code: 'http-400', because: 'http-401' } as never)).toBe('http-400')
  })

  test('with 429 to this one alone, or about something else, then it does not want fewer', () => {
    expect(isRateLimited(retry('http-429'))).toBe(false)
    expect(isRateLimited(dead('http-429'))).toBe(false)
  })

  test('with a refusal that was no death, then that stays what it is', () => {
    expect(unless(retry('http-500'), false)).toEqual(retry('http-500'))
    expect(unless(unknown('no-answer'), false)).toEqual(unknown('no-answer'))
  })
})

describe('what config says and cannot be', () => {
  test('When several things do not fit, then each has its line: where, what was found, what belongs there', () => {
    const configIssues = [
      { path: ['destinations', 'shop', 'url'], found: 'no host', expected: 'an address' },
      { path: ['stores', 0], expected: 'a number' },
    ]
    const error = new ConfigIssueError(configIssues)
    expect(error.message).toBe('destinations.shop.url: found no host, expected an address\nstores.0: expected a number')
    expect(error).toBeInstanceOf(UserError)
    expect(configIssuesOf(error, ['other'])).toBe(configIssues)
  })

  const expected = 'a value that can be used: it is too long'
  test.each([
    ['about the very key', 'destinations.shop: it is too long.', ['destinations', 'shop']],
    [
      'about a key below',
      'destinations.shop.sftp.host-key: it is too long',
      ['destinations', 'shop', 'sftp', 'host-key'],
    ],
    ['about nothing in particular', 'it is too long.', ['destinations', 'shop']],
  ])('When a part complains %s, then the fault is there', (_, message, path) => {
    expect(configIssuesOf(new UserError(message), ['destinations', 'shop'])).toEqual([{ path, expected }])
  })

  test.each([['shop.url: no host'], ['destinations.shopping: no host'], ['x: destinations.shop.']])(
    'When it begins with a word that is no key below it (%s), then all of it is said of the part',
    (message) => {
      const says = `a value that can be used: ${message.replace(/\.$/, '')}`
      expect(configIssuesOf(new UserError(message), ['destinations', 'shop'])).toEqual([
        { path: ['destinations', 'shop'], expected: says },
      ])
    },
  )

  test('When it says so in several lines, then all of them are told', () => {
    const [fault] = configIssuesOf(new UserError('shop: one\ntwo'), ['shop'])
    expect(fault?.expected).toBe('a value that can be used: one\ntwo')
  })
})
