import { expect, test } from 'vitest'
import { HeldError, RetryLaterError } from '../../src/domain/values/errors.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import { articleName, placedOrder, settlementRecord, shipping } from '../../src/flows/context.ts'
import { type CallContext, EMPTY_CONTEXT, type Guard } from '../../src/flows/flow.ts'
import { orderUpdate } from '../fixtures/payloads.ts'
import { claimOf, eventOf, NOW } from './kit/parts.ts'
import { placedOf, sourcesOf } from './sources.ts'

const TEE = '7090012340011'
const { signal } = new AbortController()

/** What a guard tells the call of an event. */
async function told(
  guard: Guard,
  payload: object,
  given: Parameters<typeof sourcesOf>[0] = {},
  more: Partial<CallContext> = {},
) {
  const { sources } = sourcesOf(given)
  const known = { ...EMPTY_CONTEXT, storeOf: sources.storeOf, ...more }
  const claim = claimOf({}, { event: eventOf(payload) })
  const verdict = await guard.check?.(
    { ...claim, part: '', now: NOW, onlyLook: false, known, makesCall: () => true },
    sources,
    signal,
  )
  return verdict && 'known' in verdict ? verdict.known : verdict
}

test('When an order is looked for, then by its number and its lines, as of the event; without a number nobody looks', async () => {
  const asked: unknown[] = []
  const placed = async (...given: unknown[]) => {
    asked.push(given)
    return placedOf()
  }
  expect(
    await told(
      placedOrder(() => 'A1'),
      orderUpdate(),
      { orders: { placed } },
    ),
  ).toEqual({ order: placedOf() })
  expect(
    await told(
      placedOrder(() => 'A2'),
      {},
      { orders: { placed } },
    ),
  ).toEqual({ order: placedOf() })
  expect(
    await told(
      placedOrder(() => null),
      {},
      { orders: { placed } },
    ),
  ).toBeNull()
  const [line] = [{ key: '1', rowId: '1', gtin: TEE, quantity: '1', status: 'Picked' }]
  expect(asked).toEqual([
    [{ number: 'A1', lines: [line] }, NOW, signal],
    [{ number: 'A2', lines: [] }, NOW, signal],
  ])
})

test('When the platform is away, then the step is tried again, and says what could not be read; what a person must decide is held', async () => {
  const fail = (error: Error) => async () => {
    throw error
  }
  const away = new RetryLaterError('it is away')
  const settlement = settlementRecord(() => ({ settlementId: '1', days: [] }))
  const order = { name: 'RetryLaterError', code: 'unread', message: 'the order could not be read first: it is away' }
  await expect(
    told(
      placedOrder(() => 'A1'),
      {},
      { orders: { placed: fail(away) } },
    ),
  ).rejects.toMatchObject(order)
  const shipped = told(
    shipping(() => 'anyone'),
    orderUpdate(),
    { orders: { isSentByRecord: fail(away) } },
  )
  await expect(shipped).rejects.toMatchObject(order)
  await expect(told(settlement, {}, { settlements: fail(away) })).rejects.toMatchObject({
    ...{ name: 'RetryLaterError', message: 'the settlement could not be read first: it is away' },
  })
  const held = new HeldError('ask the store', { code: 'asked' })
  await expect(told(settlement, {}, { settlements: fail(held) })).rejects.toBe(held)
})

test('When an article is named, then as in the order, else as the platform says; nobody’s refusal to tell stops the message', async () => {
  const name = articleName(() => TEE)
  const order = placedOf(
    { gtin: '7090012349999', name: 'Socks', quantity: parseDecimal(1) },
    { gtin: TEE, name: 'T-shirt', quantity: parseDecimal(1) },
  )
  const orders = { articleName: async () => 'Tee' }
  expect(await told(name, {}, { orders }, { order })).toEqual({ articleName: 'T-shirt' })
  expect(await told(name, {}, { orders }, { order: placedOf() })).toEqual({ articleName: 'Tee' })
  expect(await told(name, {}, { orders })).toBeNull()
  expect(
    await told(
      articleName(() => null),
      {},
      { orders },
      { order },
    ),
  ).toBeNull()
  const refusing = {
    articleName: async () => {
      throw new Error('403')
    },
  }
  expect(await told(name, {}, { orders: refusing }, { order: placedOf() })).toEqual({ articleName: null })
})
