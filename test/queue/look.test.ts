import { describe, expect, test } from 'vitest'
import {
  HeldError,
  PermanentError,
  RetryLaterError,
  UnfinishedLookError,
  UnknownOutcomeError,
} from '../../src/domain/values/errors.ts'
import { type Attempt, type Call, type Effect, mayStillLand, type Ports } from '../../src/ports/ports.ts'
import { lookUpAndPerform, whenUnknown } from '../../src/queue/call.ts'
import { flowOf } from './kit/parts.ts'

type Find = (attempt: Attempt) => Promise<Effect | null>
const publishes = (find?: Find): Ports => ({
  publish: { publish: async () => ({ note: 'made' }), ...(find && { find }) },
})
const there: Find = async () => ({ note: '99' })

describe('the way on when nobody knows whether a call had its effect', () => {
  test.each([
    [undefined, 'hold'],
    ['hold', 'hold'],
    ['repeat', 'repeat'],
  ] as const)('of what must not, and cannot be looked for, then the flow says so: %s is %s', (onUnknown, way) => {
    const more = onUnknown === undefined ? {} : { whenInDoubt: onUnknown }
    expect(whenUnknown(flowOf('order', { atMostOnce: true, ...more }), publishes())).toBe(way)
    expect(whenUnknown(flowOf('order', { atMostOnce: true, noLookup: true, ...more }), publishes(there))).toBe(way)
  })
})

describe('an earlier try that may have had its effect', () => {
  const call: Call = {
    port: 'publish',
    method: 'publish',
    argument: { kind: 'SaleCreated', body: Buffer.from('{}'), receivedAt: 0 },
  }

  /** What comes of it where the destination answers a look so. */
  async function looking(
    find: Find | undefined,
    more: {
      onlyLook?: boolean
      rule?: 'repeat' | 'hold'
      previous?: Attempt['previous']
      signal?: AbortSignal
      inDoubtUntil?: number | null
    } = {},
  ) {
    const { onlyLook = false, rule = 'hold', previous = 'open', signal = new AbortController().signal } = more
    const { inDoubtUntil = null } = more
    const made: unknown[] = []
    let looked = 0
    const ports: Ports = {
      publish: {
        async publish() {
          made.push('made')
          return { note: 'made' }
        },
        ...(find && {
          find(attempt: Attempt) {
            looked += 1
            return find(attempt)
          },
        }),
      },
    }
    const attempt: Attempt = { key: 'k', previous, firstTriedAt: null, signal, links: async () => [] }
    const one = { call, attempt, onlyLook, unlessFindable: rule, inDoubtUntil }
    const ends = await lookUpAndPerform(ports, [one]).catch((error: Error) => error)
    return { made: made.length, looked, end: Array.isArray(ends) ? ends[0] : ends, thrown: !Array.isArray(ends) }
  }

  test('when it is not there, then it is made now; but for what was invalidated meanwhile', async () => {
    expect(await looking(async () => null)).toMatchObject({ looked: 1, made: 1, end: { note: 'made' } })
    expect(await looking(async () => null, { onlyLook: true })).toMatchObject({ made: 0, end: null })
    expect(await looking(undefined)).toMatchObject({ looked: 0, made: 1 })
  })

  test('an effect that is not there and may still come is not made, and looked up again when it may come no more, also where it was invalidated', async () => {
    for (const onlyLook of [false, true])
      expect(await looking(async () => null, { inDoubtUntil: 99, onlyLook })).toMatchObject({
        looked: 1,
        made: 0,
        thrown: false,
        end: { name: 'WaitError', code: 'not-found-yet', until: 99 },
      })
    expect(await looking(there, { inDoubtUntil: 99 })).toMatchObject({ end: { note: 'found there: 99' } })
    const bare = await looking(async () => ({}), { inDoubtUntil: 99 })
    expect(bare).toMatchObject({ made: 0, end: { note: 'found there: it had happened' } })
  })

  test('an effect that would have to be made a second time to complete it waits until the first may come no more', async () => {
    const half = () => Promise.reject(mayStillLand())
    expect(await looking(half, { inDoubtUntil: 99 })).toMatchObject({ made: 0, end: { code: 'not-found-yet' } })
  })

  test('a system that knows the key is called again at once', async () => {
    const knows = () => Promise.reject(new PermanentError('it knows the key', { code: 'may-repeat' }))
    expect(await looking(knows, { inDoubtUntil: 99 })).toMatchObject({ made: 1 })
  })

  test('when the destination has no way to look, then the flow decides: it is made, or only a person can find out', async () => {
    const blind = () => Promise.reject(new PermanentError('there is no way to look', { code: 'cannot-find' }))
    expect(await looking(blind, { rule: 'repeat' })).toMatchObject({ made: 1, end: { note: 'made' } })
    expect(await looking(blind)).toMatchObject({
      made: 0,
      end: { name: 'UnknownOutcomeError', code: 'cannot-find', byHand: true },
    })
  })

  test.each([
    ['is unreachable', new RetryLaterError('away', { scope: 'destination' })],
    ['says that a person must look', new HeldError('look', { code: 'x' })],
    [
      'says that only a person can find out',
      new UnknownOutcomeError('two of them', { byHand: true, code: 'cannot-find' }),
    ],
  ])('when the destination %s, then that is the outcome', async (_, error) => {
    expect(await looking(() => Promise.reject(error), { rule: 'repeat' })).toMatchObject({
      made: 0,
      thrown: true,
      end: error,
    })
  })

  test.each([
    ['is refused', new PermanentError('no', { code: 'http-400' }), 'find-failed', 'http-400', 'no'],
    ['fails', new RetryLaterError('later', { code: 'http-500' }), 'find-failed', 'http-500', 'later'],
    [
      'fails for now by that name',
      new RetryLaterError('later', { code: 'cannot-find' }),
      'find-failed',
      'cannot-find',
      'later',
    ],
    ['is not answered', new UnknownOutcomeError('inactivity'), 'find-unanswered', 'unknown-outcome', 'inactivity'],
    ['breaks', new TypeError('oops'), 'find-unanswered', 'unexpected-error', 'TypeError: oops'],
    ['has come further', new UnfinishedLookError('page 3'), 'find-unfinished', 'unknown-outcome', 'page 3'],
  ])('when a look %s, then it stays uncertain, and the cause is kept', async (_, error, code, because, why) => {
    const { made, end } = await looking(() => Promise.reject(error))
    expect(made).toBe(0)
    expect(end).toMatchObject({
      name: 'UnknownOutcomeError',
      code,
      because,
      cause: error,
      message: `looking for the effect of an earlier try failed: ${why}`,
    })
  })

  test('when the time was over while it looked, then it is not made: another attempt may have begun', async () => {
    const signal = AbortSignal.abort()
    expect(await looking(async () => null, { signal })).toMatchObject({
      made: 0,
      end: { message: 'No time was left for the call.', code: 'no-time-left' },
    })
    expect(await looking(there, { signal })).toMatchObject({ end: { note: 'found there: 99' } })
    expect(await looking(there, { signal, previous: 'none' })).toMatchObject({ made: 1 })
    // One that is uncertain is enough to keep its whole call back.
    const setLevels = async () => [{}, {}]
    const ports = { stock: { setLevels, find: async () => null } } as unknown as Ports
    const levels = { port: 'stock', method: 'setLevels', argument: [] } as unknown as Call
    const both = (['none', 'open'] as const).map((previous) => ({
      call: levels,
      attempt: {
        ...{ key: 'k', previous, firstTriedAt: null, links: async () => [] },
        signal: previous === 'open' ? signal : new AbortController().signal,
      },
      onlyLook: false,
      unlessFindable: 'hold' as const,
      inDoubtUntil: null,
      noteSecondCall: async () => {},
    }))
    await expect(lookUpAndPerform(ports, both)).rejects.toThrow('No time was left for the call.')
  })
})
