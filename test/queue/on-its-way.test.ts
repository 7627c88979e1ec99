import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { dependsOn, retryWhilePending } from '../../src/flows/guards.ts'
import { afterRefusal, createPending } from '../../src/queue/execute.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../storage/acting.ts'
import { claimOf, eventOf, flowOf, NOW } from './kit/parts.ts'

const MADE_BY_ORDER: Partial<Flow> = { guards: [dependsOn(() => 'order:A1')] }
const never = async () => false
const NOT_THERE: Outcome = { type: 'dead', code: 'no-such-order', why: 'The shop has no order A1.' }

/** A step about an event that came so long ago. */
const came = (ago: number) => claimOf({ destination: 'shop' }, { event: eventOf({}, { receivedAt: NOW - ago }) })

describe('when a destination does not have what a step is about', () => {
  const outcomeAfter = (age: number, outcome: Outcome = NOT_THERE, flow = flowOf('capture', MADE_BY_ORDER)) =>
    afterRefusal(outcome, came(age), flow, NOW, never)

  test('then it waits for it for a day: a quarter of the time that it has waited, ten minutes at most', async () => {
    const wait = (until: number) => ({
      type: 'wait',
      until: NOW + until,
      code: 'no-such-order',
      why: 'The shop has no order A1. It may be on its way: this waits for it, for a day.',
    })
    expect(await outcomeAfter(0)).toEqual(wait(SECOND))
    expect(await outcomeAfter(20 * MINUTE)).toEqual(wait(5 * MINUTE))
    expect(await outcomeAfter(DAY - 1)).toEqual(wait(10 * MINUTE))
  })

  test('then after a day a person looks', async () => {
    expect(await outcomeAfter(DAY)).toEqual({
      type: 'held',
      code: 'no-such-order',
      why: 'The shop has no order A1. It did not come within a day.',
    })
  })

  test('then it is no wait where nobody else makes it, or where it was refused for another reason', async () => {
    expect(await outcomeAfter(0, NOT_THERE, flowOf('publish'))).toBe(NOT_THERE)
    const refused: Outcome = { type: 'dead', code: 'http-400', why: 'bad' }
    expect(await outcomeAfter(0, refused)).toBe(refused)
    const later: Outcome = { type: 'retry', scope: 'item', notBefore: null, code: 'no-such-order', why: 'x' }
    expect(await outcomeAfter(0, later)).toBe(later)
  })
})

describe('when what a step follows may still be on its way to the destination', () => {
  const REFUSED: Outcome = { type: 'dead', code: 'http-404', why: 'There is no such product.' }
  const price = flowOf('set-prices', { guards: [retryWhilePending('create-products', 'update-products')] })

  function following(hasPending: (asked: number) => boolean | Error) {
    let now = NOW
    const asked: [string, readonly string[]][] = []
    const arePending = async (destination: string, flows: readonly string[]) => {
      asked.push([destination, flows])
      const answer = hasPending(asked.length)
      if (answer instanceof Error) throw answer
      return answer
    }
    const follow = createPending(arePending, () => now)
    const outcome = (given: Outcome = REFUSED, flow = price, { age = 0, since = NOW, to = 'shop' } = {}) =>
      afterRefusal(given, came(age), flow, now, (flows) => follow.isPending(to, flows, since))
    return {
      asked,
      outcome,
      ended: follow.ended,
      later(ms: number) {
        now += ms
      },
    }
  }

  test('then a refusal is tried again soon, with its cause, as long as that is owed', async () => {
    const { outcome, asked } = following(() => true)
    expect(await outcome()).toEqual({
      type: 'wait',
      until: NOW + SECOND,
      code: 'http-404',
      why: 'There is no such product. What it is about may be on its way there: it is tried again after that',
    })
    expect(asked).toEqual([['shop', ['create-products', 'update-products']]])
    expect(await outcome(REFUSED, price, { age: HOUR })).toMatchObject({ until: NOW + MINUTE })
  })

  test('then it is refused for good where nothing of it is owed, or it has waited for a day', async () => {
    expect(await following(() => false).outcome()).toBe(REFUSED)
    const { outcome, asked } = following(() => true)
    expect(await outcome(REFUSED, price, { age: DAY })).toBe(REFUSED)
    expect(asked).toEqual([])
  })
  test('then what has ended since the call began counts, too, and only for its own flow and destination', async () => {
    const { outcome, ended, later } = following(() => false)
    ended('shop', 'update-products')
    expect(await outcome()).toMatchObject({ type: 'wait' })
    expect(await outcome(REFUSED, price, { to: 'other' })).toBe(REFUSED)
    expect(await outcome(REFUSED, flowOf('set-stock', { guards: [retryWhilePending('create-products')] }))).toBe(
      REFUSED,
    )
    later(10)
    expect(await outcome(REFUSED, price, { since: NOW + 1 })).toBe(REFUSED)
  })

  test('then what ends while the store is asked counts, too: it is not owed any more', async () => {
    const { outcome, ended } = following(() => {
      ended('shop', 'update-products')
      return false
    })
    expect(await outcome()).toMatchObject({ type: 'wait' })
  })
})
