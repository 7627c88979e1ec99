import { describe, expect, test } from 'vitest'
import { HeldError, RetryLaterError } from '../../src/domain/values/errors.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { asked as ask, learn } from '../../src/queue/inputs.ts'
import { orderUpdate } from '../fixtures/payloads.ts'
import { claimOf, destinationOf, eventOf, flowOf, NOW } from './kit/parts.ts'
import { placedOf, sourcesOf } from './sources.ts'

const TEE = '7090012340011'
const { signal } = new AbortController()
const update = claimOf(
  { destination: 'shop', part: 'line-1~again-4' },
  { event: eventOf(orderUpdate(), { receivedAt: NOW - 5 }) },
)

describe('what a call must know besides its event', () => {
  const learnt = (more: Partial<Flow>, given: Parameters<typeof sourcesOf>[0] = {}, claim = update) => {
    const { sources, asked } = sourcesOf(given)
    return { asked, ends: learn(claim, flowOf('flow', more), destinationOf({ name: 'shop' }), sources, signal) }
  }
  test('when what was done before may contradict it, then all effects that begin so are known', async () => {
    const effectsOf = async (how: string, beginning: string) => [`${how} ${beginning}1`, `${how} ${beginning}2`]
    const { known } = await learnt({ prior: () => ['a/', 'b/'] }, { effectsOf }).ends
    expect(known.prior).toEqual(['delivered a/1', 'delivered a/2', 'delivered b/1', 'delivered b/2'])
  })

  describe('when it needs the order', () => {
    const needs: Partial<Flow> = { needsOrder: true, orderOf: () => 'A1' }

    test('then it is read by its number and its goods, as of the event or later', async () => {
      const order = placedOf()
      const placed = async (...given: unknown[]) => {
        expect(given).toEqual([{ number: 'A1', lines: [expect.objectContaining({ gtin: TEE })] }, NOW - 5, signal])
        return order
      }
      expect((await learnt(needs, { orders: { placed } }).ends).known.order).toBe(order)
    })
    test('and it cannot be read now, then the step is tried later, and why is told', async () => {
      const placed = () => Promise.reject(new RetryLaterError('the platform is away', { scope: 'destination' }))
      await expect(learnt(needs, { orders: { placed } }).ends).rejects.toMatchObject({
        code: 'unread',
        scope: 'item',
        message: 'the order could not be read first: the platform is away',
      })
    })
  })
})

test('When what a person must look at is asked for, then that is the outcome; everything else is tried later', async () => {
  const held = new HeldError('look')
  await expect(ask('the order', () => Promise.reject(held))).rejects.toBe(held)
  const cause = new TypeError('oops')
  await expect(ask('the order', () => Promise.reject(cause))).rejects.toMatchObject({
    name: 'RetryLaterError',
    message: 'the order could not be read first: TypeError: oops',
    code: 'unread',
    cause,
  })
})
