import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { UnknownOutcomeError } from '../../src/domain/values/errors.ts'
import { withTimeout } from '../../src/queue/call.ts'
import { createStillClock, settled } from './kit/parts.ts'

/** A call with a second of time; `ends` when the test says so. */
function calling(clock = createStillClock()) {
  const underWay = new Map<number, AbortController>()
  const answer = Promise.withResolvers<string>()
  const overs: string[] = []
  let signal = new AbortController().signal
  const ends = withTimeout(
    { clock, timeout: 1_000, underWay },
    7,
    (given) => {
      signal = given
      return answer.promise
    },
    () => overs.push('over'),
  ).catch((error: Error) => error)
  return { clock, underWay, answer, overs, ends, signal: () => signal }
}

test('When a call ends in time, then its answer counts, and nothing of it is left', async () => {
  const { clock, underWay, answer, overs, ends, signal } = calling()
  expect(underWay.has(7)).toBe(true)
  clock.advance(999)
  answer.resolve('done')
  expect(await ends).toBe('done')
  expect([[...underWay.values()], clock.waiting(), overs]).toEqual([[], 0, []])
  expect(getEventListeners(signal(), 'abort')).toEqual([])
  expect(signal().aborted).toBe(false)
})

describe('when its time is over', () => {
  test('then it is told to stop, and why; what it ends with counts, and that it was late is told', async () => {
    const { clock, underWay, answer, overs, ends, signal } = calling()
    clock.advance(1_000)
    expect(signal().reason).toEqual(new Error('no result within 1000 ms'))
    await settled()
    expect([underWay.has(7), overs]).toEqual([true, []])
    answer.reject(new Error('stopped'))
    expect(await ends).toEqual(new Error('stopped'))
    expect([[...underWay.values()], clock.waiting(), overs]).toEqual([[], 0, ['over']])
  })

  test('and it does not stop, then it is left behind a second later: nobody knows what came of it', async () => {
    const { clock, ends, overs } = calling()
    clock.advance(1_999)
    await settled()
    expect(overs).toEqual([])
    clock.advance(1)
    expect(await ends).toBeInstanceOf(UnknownOutcomeError)
    expect(overs).toEqual(['over'])
  })
})

describe('when the hub stops', () => {
  test('and the call ends with that, then it was not late', async () => {
    const { underWay, answer, ends, overs } = calling()
    underWay.get(7)?.abort(new Error('the hub is stopping'))
    answer.reject(new Error('stopped'))
    expect(await ends).toEqual(new Error('stopped'))
    expect(overs).toEqual([])
  })

  test('then the call ends with that, and was not late, however long it takes after that', async () => {
    const { clock, underWay, ends, overs } = calling()
    clock.advance(500)
    for (const call of underWay.values()) call.abort(new Error('the hub is stopping'))
    clock.advance(1_000)
    expect(await ends).toEqual(new UnknownOutcomeError('The adapter did not stop when told to.'))
    expect(overs).toEqual([])
  })
})

test('When a call is told twice to stop, then it has no longer for it than when it is told once', async () => {
  const { clock, underWay, ends } = calling()
  const [call] = underWay.values()
  call?.abort(new Error('the hub is stopping'))
  clock.advance(600)
  call?.abort(new Error('the hub is stopping'))
  clock.advance(400)
  await settled()
  expect([clock.waiting(), underWay.size]).toEqual([0, 0])
  expect(await ends).toBeInstanceOf(UnknownOutcomeError)
})

for (const [ms, reported] of [
  [1_000, ['over']],
  [999, []],
] as const)
  test(`When the process stood still for ${ms} ms, so that no timer went off, then the clock says whether it was late`, async () => {
    let now = 0
    const { answer, ends, overs } = calling({ ...createStillClock(), now: () => now, after: () => () => {} })
    now = ms
    answer.resolve('done')
    expect(await ends).toBe('done')
    expect(overs).toEqual(reported)
  })
