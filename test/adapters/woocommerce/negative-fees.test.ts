import { expect, test } from 'vitest'
import { act, askShop, type ConnectedShop, callOf, startConnected, startWithOrder } from './kit.ts'

/*
 * Fees below zero, by which plugins and people of a shop take something off an order as a whole. WooCommerce keeps the lines at their
 * price, and the fee is off the total (`calculate_totals` in abstract-wc-order.php; `wc_create_refund` takes a refund of such a fee as
 * it takes others; read 2026-11-26).
 */

const DISCOUNT = { fee_lines: [{ name: 'Friends of the shop', total: '-98.00', tax_status: 'none' }] }
const TWO = [{ sku: 'TEE-BLK-M', quantity: 2 }]
const PICKUP = { method: 'pickup_location', location: 'Oslo City' } as const

/** Two T-shirts for 349 each, 98 off. */
async function discounted(it: ConnectedShop, more: Partial<Parameters<ConnectedShop['shop']['placeOrder']>[0]> = {}) {
  const { id } = await it.shop.placeOrder({ lines: TWO, ...more })
  await askShop(it.shop, 'PUT', `/orders/${id}`, DISCOUNT)
  return id
}

test.each([{}, { freightGtin: '9990000000017' }])(
  'When an order with a fee below zero is completed (%o), then the sale is at what was paid for its goods',
  async (options) => {
    await using it = await startConnected(options)
    await it.shop.setStatus(await discounted(it), 'completed')
    expect((await it.handedOver()).at(-1)?.value).toMatchObject({
      salesLines: [{ price: '300', qty: '2' }],
      paymentLines: [{ amount: '600' }],
    })
  },
)

test.each([
  ['paid', {}, [{ amount: '600' }]],
  ['to be paid in the store', { payment: 'cod' } as const, undefined],
])(
  'When such an order is for a store, and is %s, then the store has its goods at that price',
  async (_, more, paid) => {
    await using it = await startConnected()
    await discounted(it, { shipping: PICKUP, ...more })
    const { orderLines, paymentLines } = (await it.handedOver()).at(-1)?.value ?? {}
    expect(orderLines).toMatchObject([{ price: '300', quantity: '2' }])
    if (paid) expect(paymentLines).toMatchObject(paid)
    else expect(paymentLines).toBeUndefined()
  },
)

test('When a POS asks for it, then no piece is dearer than what was paid for it', async () => {
  await using it = await startConnected()
  const id = await discounted(it)
  const found = await it.ports.orders.search?.(String(id), { signal: AbortSignal.timeout(5_000) })
  expect(found).toMatchObject([{ total: '600', lines: [{ unitPrice: '300', quantity: '2' }] }])
})

/** Three T-shirts for 300 with tax, 60 off. */
const OFF = { fee_lines: [{ name: 'Friends of the shop', total: '-60.00', tax_status: 'none' }] }

test('When its goods come back piece by piece, then each piece refunds what was paid for it', async () => {
  await using it = await startWithOrder(OFF)
  expect(it.order().total).toBe('240.00')
  for (const refundId of ['R-1', 'R-2', 'R-3'])
    await act(it, callOf.refund(it.number, 1, undefined, refundId), { key: refundId })
  const { refunds, status } = it.order()
  expect(status).toBe('refunded')
  expect(refunds.map(({ amount }) => amount)).toEqual(['80.00', '80.00', '80.00'])
})

test('When nobody comes for it, then what was paid goes back, and the shop’s books say of what', async () => {
  await using it = await startWithOrder(OFF)
  await act(it, callOf.expire(it.number))
  const [refund] = it.order().refunds
  expect(refund?.amount).toBe('240.00')
  const of = (refund?.lines ?? []).map(({ total, totalTax }) => Number(total) + Number(totalTax))
  expect(of.reduce((sum, one) => sum + one, 0)).toBe(240)
})
