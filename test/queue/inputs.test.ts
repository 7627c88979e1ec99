import { describe, expect, test } from 'vitest'
import { HeldError, PermanentError, RetryLaterError } from '../../src/domain/values/errors.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { asked as ask, isOfAnother, learn, stillHolds } from '../../src/queue/inputs.ts'
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

describe('what would be done although an event says that it is past that', () => {
  const holding: Partial<Flow> = { orderOf: () => 'A1', stillHolds: (status) => status === 'Picked' }
  const holds = (status: string | null | Error, more: Partial<Flow> = holding, tries = 0) => {
    const { sources, asked } = sourcesOf({
      orders: {
        async status(number, since) {
          asked.push(`${number} ${since}`)
          if (status instanceof Error) throw status
          return status
        },
      },
    })
    const claim = claimOf({ tries }, { event: eventOf({}, { receivedAt: NOW - 5 }) })
    return { asked, ends: stillHolds(claim, flowOf('ready', more), sources, signal) }
  }

  test('when the platform says so, then it still holds; else not; and where it cannot tell, nobody knows', async () => {
    const { asked, ends } = holds('Picked')
    expect(await ends).toBe(true)
    expect(asked).toEqual([`A1 ${NOW - 5}`])
    expect(await holds('Expired').ends).toBe(false)
    expect(await holds(null).ends).toBe(null)
  })

  test('when the flow cannot tell by a status, or the event names no order, then it does not hold', async () => {
    for (const more of [{ orderOf: () => 'A1' }, { ...holding, orderOf: () => null }]) {
      const { asked, ends } = holds('Picked', more)
      expect(await ends).toBe(false)
      expect(asked).toEqual([])
    }
    const { orderOf: _, ...without } = holding
    expect(await holds('Picked', without).ends).toBe(false)
  })

  test('when the status cannot be had, then it is asked for three times; a refusal is an answer at once', async () => {
    const away = new RetryLaterError('away')
    for (const tries of [0, 1, 2])
      await expect(holds(away, holding, tries).ends).rejects.toMatchObject({ code: 'unread' })
    expect(await holds(away, holding, 3).ends).toBe(null)
    expect(await holds(new PermanentError('403')).ends).toBe(null)
  })
})

describe('whether what overtook it is said of another order of the same number', () => {
  const bodyOf = (id: string | null) => Buffer.from(JSON.stringify(orderUpdate({ id })))
  const another = (own: string | null, other: string | null | undefined, invalidated: number | null = 5) =>
    isOfAnother(claimOf({}, { event: eventOf(orderUpdate({ id: own })), invalidated }), {
      event: (async (id: number) => {
        expect(id).toBe(5)
        return other === undefined ? null : { body: bodyOf(other) }
      }) as never,
    })

  test('when both tell an id of the platform’s, then these decide', async () => {
    expect(await another('one', 'other')).toBe(true)
    expect(await another('one', 'one')).toBe(false)
  })

  test('when one of them tells none, or is not kept any more, then it is taken for the same', async () => {
    expect(await another(null, 'other')).toBe(false)
    expect(await another('one', null)).toBe(false)
    expect(await another('one', undefined)).toBe(false)
    expect(await another('one', 'other', null)).toBe(false)
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
