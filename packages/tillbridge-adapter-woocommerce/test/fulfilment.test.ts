import { describe, expect, test } from 'vitest'
import { UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { storeOrder } from '../src/intake.ts'
import { WholeOrder } from '../src/shop-order.ts'
import woocommerce from '../src/woocommerce.ts'
import { act, again, askShop, callOf, GTIN, KEY, lineOf, startWithOrder, type WithOrder } from './kit.ts'

const IN_STORE = { payment_method: 'cod', set_paid: false, status: 'processing' }
const READY = { statuses: { ready: 'ready-for-pickup' } }

describe('it lies ready', () => {
  test('When the shop has a status for it, then the order gets it, and the shop writes to the customer', async () => {
    await using it = await startWithOrder({}, READY)
    await act(it, callOf.ready(it.number))
    expect(it.order()).toMatchObject({
      status: 'ready-for-pickup',
      reported: [`Your order ${it.number} is ready for you at Oslo City.`],
    })
  })

  test('When it has none, and the shop is not to write, then people in the shop read it', async () => {
    await using it = await startWithOrder(
      {},
      { tellCustomer: [], texts: { ready: 'Bestilling {number}: klar i {store}' } },
    )
    await act(it, callOf.ready(it.number))
    expect(it.order()).toMatchObject({ status: 'processing', reported: [] })
    expect(it.order().notes).toContain(`Bestilling ${it.number}: klar i Oslo City`)
  })

  for (const fault of ['drop-before', 'drop-answer', 'error-500-after-save'] as const)
    test(`When the change of the order meets ${fault}, then the customer is told once`, async () => {
      await using it = await startWithOrder({}, READY)
      it.shop.faults.next(fault, { method: 'PUT' })
      await expect(act(it, callOf.ready(it.number))).rejects.toThrow(UnknownOutcomeError)
      await it.lookOrDo(callOf.ready(it.number))
      await act(it, callOf.ready(it.number), again())
      expect(it.order()).toMatchObject({ status: 'ready-for-pickup', reported: [expect.any(String)] })
    })

  test('When the note is there but its answer is lost, then the customer is told once', async () => {
    await using it = await startWithOrder()
    it.shop.faults.next('drop-answer', { method: 'POST' })
    await expect(act(it, callOf.ready(it.number))).rejects.toThrow(UnknownOutcomeError)
    expect(await it.lookOrDo(callOf.ready(it.number))).toBe('done')
    expect(it.order().reported).toHaveLength(1)
  })

  test('When somebody cancelled it in the shop, then nobody is told, and a person hears of it', async () => {
    await using it = await startWithOrder()
    await askShop(it.shop, 'PUT', `/orders/${it.number}`, { status: 'cancelled' })
    await expect(act(it, callOf.ready(it.number))).rejects.toMatchObject({ code: 'order-off' })
    await expect(act(it, callOf.collected(it.number))).rejects.toMatchObject({ code: 'order-off' })
    expect(it.order().reported).toEqual([])
  })
})

describe('the customer has it', () => {
  test('When it is paid in cash there, then it is completed, and counts as paid', async () => {
    await using it = await startWithOrder(IN_STORE)
    expect(it.order().datePaid).toBeNull()
    await act(it, callOf.collected(it.number))
    expect(it.order()).toMatchObject({ status: 'completed', datePaid: expect.any(String) })
  })

  for (const fault of ['drop-before', 'drop-answer', 'error-500-after-save'] as const)
    test(`When the shop meets ${fault}, then it is completed once`, async () => {
      await using it = await startWithOrder()
      it.shop.faults.next(fault, { method: 'PUT' })
      await expect(act(it, callOf.collected(it.number))).rejects.toThrow(UnknownOutcomeError)
      expect(await it.lookOrDo(callOf.collected(it.number))).toBe(fault === 'drop-before' ? 'done' : 'found')
      await act(it, callOf.collected(it.number), { key: 'a second destination of the same shop' })
      expect(it.order().notes.filter((note) => note.includes('to Completed'))).toHaveLength(1)
    })
})

describe('nobody fetched it', () => {
  test('When it was paid, then all is refunded with shipping, the customer is told, and it is cancelled', async () => {
    await using it = await startWithOrder({
      shipping_lines: [{ method_id: 'local_pickup', method_title: 'Pickup', total: '20.00' }],
    })
    await act(it, callOf.expire(it.number))
    expect(it.order()).toMatchObject({
      total: '325.00',
      status: 'cancelled',
      refunds: [{ amount: '325.00', paidBack: true }],
      reported: [`Your order ${it.number} was not collected in time and is cancelled.`],
    })
    expect(it.shop.products().find(({ id }) => id === 11)?.stock).toBe(20)
  })

  test('When it was to be paid in the store, then it is cancelled, and nothing is refunded', async () => {
    await using it = await startWithOrder(IN_STORE)
    await act(it, callOf.expire(it.number))
    await act(it, callOf.expire(it.number), again())
    expect(it.order()).toMatchObject({ status: 'cancelled', refunds: [], reported: [expect.any(String)] })
  })

  test('When the customer has it, then it stays, and a person hears of it', async () => {
    await using it = await startWithOrder()
    await act(it, callOf.collected(it.number), { key: 'collected' })
    await expect(act(it, callOf.expire(it.number))).rejects.toMatchObject({ code: 'order-completed' })
    expect(it.order()).toMatchObject({ status: 'completed', refunds: [] })
  })

  test('When a person has cancelled it, then it is left as it is', async () => {
    await using it = await startWithOrder()
    await askShop(it.shop, 'PUT', `/orders/${it.number}`, { status: 'cancelled' })
    expect(await act(it, callOf.expire(it.number))).toMatchObject({ note: expect.stringContaining('left as it is') })
    expect(it.order()).toMatchObject({ refunds: [], reported: [] })
  })

  test.each([
    ['drop-answer', 'POST'],
    ['drop-before', 'PUT'],
    ['drop-answer', 'PUT'],
    ['error-500-after-save', 'PUT'],
  ] as const)('When %s strikes a %s, then each step is done once', async (fault, method) => {
    await using it = await startWithOrder()
    it.shop.faults.next(fault, { method })
    await expect(act(it, callOf.expire(it.number))).rejects.toThrow(UnknownOutcomeError)
    expect(await it.lookOrDo(callOf.expire(it.number))).toBe('found')
    expect(it.order()).toMatchObject({
      status: 'cancelled',
      refunds: [{ amount: '300.00', paidBack: true }],
      reported: [expect.any(String)],
    })
  })
})

const parcelNotes = (notes: string[]) => notes.filter((note) => note.startsWith('Parcel'))

test('When parcels leave, then each is noted once, and with the last piece the order is completed', async () => {
  await using it = await startWithOrder()
  const effect = await act(it, callOf.ship(it.number, 'P-1', 2), { key: 'one' })
  expect(effect).toEqual({
    links: [{ kind: 'shipment', id: 'P-1', theirId: it.number }],
    note: `order ${it.number}, processing, parcel of 2 noted`,
  })
  await act(it, callOf.ship(it.number, 'P-1', 2), { ...again(), key: 'one' })
  expect(it.order().status).toBe('processing')
  await act(it, callOf.ship(it.number, 'P-2', 1), { key: 'two' })
  expect(it.order().status).toBe('completed')
  expect(parcelNotes(it.order().notes)).toEqual([
    `Parcel P-1 was sent from Oslo City: 2 × T-shirt (${GTIN})`,
    `Parcel P-2 was sent from Oslo City: 1 × T-shirt (${GTIN})`,
  ])
})

test('When what is missing was declined, then the parcel with the rest completes the order', async () => {
  await using it = await startWithOrder()
  await act(it, callOf.decline(it.number), { key: 'declined' })
  await act(it, callOf.ship(it.number, 'P-1', 2))
  expect(it.order().status).toBe('completed')
})

for (const money of ['paid', 'to be paid'] as const)
  test(`When what is missing is declined after the parcel left, of an order that is ${money}, then that completes it`, async () => {
    await using it = await startWithOrder(money === 'paid' ? {} : { payment: 'cod' })
    await act(it, callOf.ship(it.number, 'P-1', 2), { key: 'packed' })
    expect(it.order().status).toBe('processing')
    await act(it, callOf.decline(it.number), { key: 'declined' })
    expect(it.order().status).toBe('completed')
  })

test.each([
  ['drop-answer', 'POST'],
  ['drop-before', 'PUT'],
  ['drop-answer', 'PUT'],
  ['error-500-after-save', 'PUT'],
] as const)('When %s strikes a %s, then the parcel is noted once', async (fault, method) => {
  await using it = await startWithOrder()
  it.shop.faults.next(fault, { method })
  await expect(act(it, callOf.ship(it.number, 'P-1', 3))).rejects.toThrow(UnknownOutcomeError)
  await it.lookOrDo(callOf.ship(it.number, 'P-1', 3))
  expect(it.order().status).toBe('completed')
  expect(parcelNotes(it.order().notes)).toHaveLength(1)
})

describe('goods that the store does not have', () => {
  test('When they were paid, then they are paid back, and the customer is told which', async () => {
    await using it = await startWithOrder()
    const effect = await act(it, callOf.decline(it.number, 2))
    expect(effect).toEqual({ note: `order ${it.number}, 2 × T-shirt declined: 200.00 NOK paid back` })
    expect(it.order()).toMatchObject({
      status: 'processing',
      refunds: [{ amount: '200.00', paidBack: true, reason: expect.stringMatching(/^Not available: 2 × T-shirt \[/) }],
      reported: [`We are sorry: of your order ${it.number}, we cannot deliver 2 × T-shirt.`],
    })
  })

  test('When they are declined piece by piece, then each piece is paid back once', async () => {
    await using it = await startWithOrder()
    for (const key of ['first', 'second', 'second']) await act(it, callOf.decline(it.number), { ...again(), key })
    expect(it.order().refunds.map(({ amount }) => amount)).toEqual(['100.00', '100.00'])
  })

  test('When they are to be paid in the store, then they are taken off the order', async () => {
    await using it = await startWithOrder(IN_STORE)
    await act(it, callOf.decline(it.number))
    await act(it, callOf.decline(it.number), again())
    expect(it.order()).toMatchObject({
      status: 'processing',
      total: '200.00',
      lines: [{ quantity: 2, total: '160.00', totalTax: '40.00' }],
      refunds: [],
      reported: [expect.any(String)],
    })
  })

  test('When a plugin for payments in the store dates them before, then nothing is paid back all the same', async () => {
    await using it = await startWithOrder({ payment_method: 'in_store' }, { payInStore: ['in_store'] })
    expect(it.order().datePaid).not.toBeNull()
    await act(it, callOf.decline(it.number))
    expect(it.order()).toMatchObject({ total: '200.00', refunds: [] })
  })

  test('When a whole line is declined before it is paid, then it is gone, and the try after knows it', async () => {
    const lines = [
      { product_id: 11, quantity: 1 },
      { product_id: 12, quantity: 1 },
    ]
    await using it = await startWithOrder({ ...IN_STORE, line_items: lines })
    it.shop.faults.next('drop-answer', { method: 'PUT' })
    await expect(act(it, callOf.decline(it.number))).rejects.toThrow(UnknownOutcomeError)
    expect(await it.lookOrDo(callOf.decline(it.number))).toBe('found')
    expect(it.order()).toMatchObject({ lines: [{ name: 'Cap' }], reported: [expect.stringContaining('1 × ')] })
  })

  test('When the word comes only after the customer has fetched and paid the rest, then they are taken off; of an order of nothing, nobody but a person does it', async () => {
    await using it = await startWithOrder(IN_STORE)
    await act(it, callOf.collected(it.number))
    await act(it, callOf.decline(it.number))
    expect(it.order()).toMatchObject({ status: 'completed', total: '200.00', refunds: [] })
    await expect(act(it, callOf.decline(it.number, 2), { ...again(), key: 'the rest' })).rejects.toMatchObject({
      code: 'cannot-pay-back',
    })
    expect(it.order()).toMatchObject({ status: 'completed', total: '200.00', refunds: [] })
  })

  test('When nothing would be left to pay for, then the order is cancelled', async () => {
    await using it = await startWithOrder(IN_STORE)
    await act(it, callOf.decline(it.number, 3))
    expect(it.order()).toMatchObject({ status: 'cancelled', lines: [{ quantity: 3 }], refunds: [] })
  })

  test.each([{}, IN_STORE])('When somebody cancelled the order (%o), then it is left as it is', async (order) => {
    await using it = await startWithOrder(order)
    await askShop(it.shop, 'PUT', `/orders/${it.number}`, { status: 'cancelled' })
    await act(it, callOf.decline(it.number))
    expect(it.order()).toMatchObject({ status: 'cancelled', total: '300.00', refunds: [], reported: [] })
  })

  test.each([{}, IN_STORE])('When more is declined than was ordered (%o), then it is refused', async (order) => {
    await using it = await startWithOrder(order)
    await expect(act(it, callOf.decline(it.number, 4))).rejects.toThrow('3 were ordered')
    await expect(act(it, callOf.decline(it.number, 1, lineOf({ gtin: '1' })))).rejects.toMatchObject({
      code: 'no-such-line',
    })
    expect(it.order()).toMatchObject({ refunds: [], reported: [], total: '300.00' })
  })

  test.each([
    ['drop-answer', 'found'],
    ['drop-before', 'done'],
  ] as const)('When the refund meets %s, then it is %s, once, and the customer is told once', async (fault, next) => {
    await using it = await startWithOrder()
    it.shop.faults.next(fault, { method: 'POST' })
    await expect(act(it, callOf.decline(it.number))).rejects.toThrow(UnknownOutcomeError)
    expect(await it.lookOrDo(callOf.decline(it.number))).toBe(next)
    expect(it.order()).toMatchObject({ refunds: [{ paidBack: true }], reported: [expect.any(String)] })
  })
})

const LINES = [
  { product_id: 11, quantity: 3 },
  { product_id: 12, quantity: 1 },
]

/** What the shop says of an order for a store. */
async function saidOf(it: WithOrder) {
  const order = WholeOrder.parse(await askShop(it.shop, 'GET', `/orders/${it.order().id}`))
  const options = woocommerce.options.parse({ url: it.shop.url, ...KEY })
  return storeOrder(order, { type: 'pickup', place: 'Oslo City' }, options)
}

for (const pieces of [1, 3] as const)
  test(`When a store declines ${pieces} pieces of an order that is to be paid there, then the shop’s word about it is no change`, async () => {
    await using it = await startWithOrder({ ...IN_STORE, line_items: LINES })
    const before = await saidOf(it)
    await act(it, callOf.decline(it.number, pieces))
    expect(it.order().lines).not.toHaveLength(0)
    expect(await saidOf(it)).toEqual(before)
  })

test('When the shop takes the rest off after a store declined a part, then that is a change: no store hands the rest out', async () => {
  await using it = await startWithOrder({ ...IN_STORE, line_items: LINES })
  await act(it, callOf.decline(it.number, 1))
  const [line] = it.order().lines
  await askShop(it.shop, 'PUT', `/orders/${it.order().id}`, { line_items: [{ id: line?.id, quantity: 0 }] })
  expect(it.order().lines).toHaveLength(1)
  expect((await saidOf(it))?.orderLines).toMatchObject([{ quantity: '1' }, { quantity: '1' }])
})
