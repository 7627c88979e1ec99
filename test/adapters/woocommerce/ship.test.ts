import { expect, test } from 'vitest'
import { UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { OrdersCall } from '../../../src/ports/ports.ts'
import { act, again, declined, GTIN, startWithOrder, updateOf } from './given.ts'

function ship(number: string, id: string, pieces: number): OrdersCall {
  const parcel = { id, items: [{ gtin: GTIN, quantity: parseDecimal(pieces) }] }
  return { port: 'orders', method: 'ship', argument: { order: updateOf(number, { shipments: [parcel] }), parcel } }
}

const parcelNotes = (notes: string[]) => notes.filter((note) => note.startsWith('Parcel'))

test('When parcels leave, then each is noted once, and with the last piece the order is completed', async () => {
  await using it = await startWithOrder()
  const effect = await act(it, ship(it.number, 'P-1', 2), { key: 'one' })
  expect(effect).toEqual({
    links: [{ kind: 'shipment', id: 'P-1', theirId: it.number }],
    note: `order ${it.number}, processing, parcel of 2 noted`,
  })
  await act(it, ship(it.number, 'P-1', 2), { ...again(), key: 'one' })
  expect(it.order().status).toBe('processing')
  await act(it, ship(it.number, 'P-2', 1), { key: 'two' })
  expect(it.order().status).toBe('completed')
  expect(parcelNotes(it.order().notes)).toEqual([
    `Parcel P-1 was sent from Oslo City: 2 × T-shirt (${GTIN})`,
    `Parcel P-2 was sent from Oslo City: 1 × T-shirt (${GTIN})`,
  ])
})

test('When what is missing was declined, then the parcel with the rest completes the order', async () => {
  await using it = await startWithOrder()
  await act(it, { port: 'orders', method: 'decline', argument: declined(it.number) }, { key: 'declined' })
  await act(it, ship(it.number, 'P-1', 2))
  expect(it.order().status).toBe('completed')
})

test.each(['paid', 'to be paid'])(
  'When what is missing is declined after the parcel left, of an order that is %s, then that completes it',
  async (money) => {
    await using it = await startWithOrder(money === 'paid' ? {} : { payment: 'cod' })
    await act(it, ship(it.number, 'P-1', 2), { key: 'packed' })
    expect(it.order().status).toBe('processing')
    await act(it, { port: 'orders', method: 'decline', argument: declined(it.number) }, { key: 'declined' })
    expect(it.order().status).toBe('completed')
  },
)

test.each([
  ['drop-answer', 'POST'],
  ['drop-before', 'PUT'],
  ['drop-answer', 'PUT'],
  ['error-500-after-save', 'PUT'],
] as const)('When %s strikes a %s, then the parcel is noted once', async (fault, method) => {
  await using it = await startWithOrder()
  it.shop.faults.next(fault, { method })
  await expect(act(it, ship(it.number, 'P-1', 3))).rejects.toThrow(UnknownOutcomeError)
  await it.lookOrDo(ship(it.number, 'P-1', 3))
  expect(it.order().status).toBe('completed')
  expect(parcelNotes(it.order().notes)).toHaveLength(1)
})
