import { describe, expect, test } from 'vitest'
import { COAT, givenShop, paidOrder } from './given.ts'

const NO_25 = { name: 'MVA', percent: '25', country: 'NO' }

describe('a paid order', () => {
  test('when set_paid is left out, then it waits for money, and a later set_paid pays it once', async () => {
    await using shop = await givenShop()
    await shop.post('/orders', paidOrder({ set_paid: false }))
    const id = shop.orders()[0]?.id
    expect(shop.orders()).toMatchObject([{ status: 'pending', datePaid: null }])
    expect(stockOf(shop, 'COAT')).toBe(10)
    await shop.put(`/orders/${id}`, { set_paid: true, transaction_id: 'T-2' })
    await shop.put(`/orders/${id}`, { set_paid: true, transaction_id: 'T-2' })
    expect(shop.orders()).toMatchObject([{ status: 'processing', transactionId: 'T-2', total: '2500.00' }])
    expect(stockOf(shop, 'COAT')).toBe(8)
  })

  test('when the shop does not have the product, then the order is taken with an empty line', async () => {
    await using shop = await givenShop()
    const answer = await shop.post(
      '/orders',
      paidOrder({ line_items: [{ product_id: 999 }, { sku: 'NONE', total: '5.00' }] }),
    )
    expect(answer).toMatchObject({ status: 201, json: { total: '5.00' } })
    // Nothing to pack: WooCommerce calls such a paid order completed.
    expect(shop.orders()).toMatchObject([
      {
        status: 'completed',
        lines: [
          { productId: 0, name: '', total: '0.00' },
          { productId: 0, sku: '', total: '5.00' },
        ],
      },
    ])
  })

  test('when more is sold than there is, then stock falls below zero and nothing is refused', async () => {
    await using shop = await givenShop()
    const answer = await shop.post('/orders', paidOrder({ line_items: [{ product_id: COAT, quantity: 12 }] }))
    expect(answer.status).toBe(201)
    expect(stockOf(shop, 'COAT')).toBe(-2)
  })

  test('when it is cancelled, then its stock comes back, once', async () => {
    await using shop = await givenShop()
    await shop.post('/orders', paidOrder())
    const id = shop.orders()[0]?.id
    await shop.put(`/orders/${id}`, { status: 'cancelled' })
    await shop.put(`/orders/${id}`, { status: 'cancelled' })
    expect(shop.orders()).toMatchObject([{ status: 'cancelled', datePaid: expect.any(String) }])
    expect(stockOf(shop, 'COAT')).toBe(10)
  })
})

describe('totals', () => {
  const SHIPPING = [{ method_id: 'flat_rate', method_title: 'Post', total: '79.00' }]

  test('when the shop has taxes, then they come on top of what the lines say', async () => {
    await using shop = await givenShop({ taxes: { pricesIncludeTax: false, country: 'NO', rates: [NO_25] } })
    const lines = [
      { product_id: COAT, quantity: 1, total: '100.10' },
      { sku: 'GLOVES', total: '0.10' },
    ]
    const answer = await shop.post('/orders', paidOrder({ line_items: lines, shipping_lines: SHIPPING }))
    expect(answer.json).toMatchObject({
      // 25.025 and 0.025 are rounded line by line.
      cart_tax: '25.06',
      shipping_tax: '19.75',
      total_tax: '44.81',
      total: '224.01',
      line_items: [
        { total: '100.10', total_tax: '25.03', taxes: [{ id: 1, total: '25.025' }] },
        { total: '0.10', total_tax: '0.03' },
      ],
      tax_lines: [{ rate_id: 1, rate_code: 'NO-MVA-1', label: 'MVA', tax_total: '25.06', shipping_tax_total: '19.75' }],
    })
  })

  test('when prices include tax, then the product costs the rest, and a half goes down', async () => {
    await using shop = await givenShop({ taxes: { pricesIncludeTax: true, country: 'NO', rates: [NO_25] } })
    const own = await shop.post('/orders', paidOrder({ line_items: [{ product_id: COAT }] }))
    const reported = await shop.post('/orders', paidOrder({ line_items: [{ product_id: COAT, total: '0.10' }] }))
    expect(own.json).toMatchObject({ prices_include_tax: true, total: '1399.50', total_tax: '279.90' })
    expect(reported.json).toMatchObject({ total: '0.12', total_tax: '0.02' })
  })
})

function stockOf(shop: Awaited<ReturnType<typeof givenShop>>, sku: string) {
  return shop.products().find((product) => product.sku === sku)?.stock
}

const TAXES = { pricesIncludeTax: false, country: 'NO', rates: [{ name: 'MVA', percent: '25' }] }

/** A shop with one order: two coats for 100.00 each and tax on top, paid by card. */
async function givenOrder(changes: Record<string, unknown> = {}) {
  const shop = await givenShop({ taxes: TAXES })
  const line_items = [{ product_id: COAT, quantity: 2, subtotal: '200.00', total: '200.00' }]
  const { json } = await shop.post('/orders', {
    payment_method: 'sandbox_card',
    set_paid: true,
    line_items,
    ...changes,
  })
  const { id, line_items: lines } = json as { id: number; line_items: { id: number }[] }
  return { ...shop, path: `/orders/${id}/refunds`, id, lineId: lines[0]?.id ?? 0, order: () => shop.orders()[0] }
}

describe('what is refused', () => {
  test('when it is more than what is left, then it is 500, and nothing is kept', async () => {
    await using shop = await givenOrder()
    await shop.post(shop.path, { amount: '200.00' })
    const answer = await shop.post(shop.path, { amount: '50.01' })
    expect(answer).toMatchObject(refusal(500, 'woocommerce_rest_cannot_create_order_refund', 'Invalid refund amount.'))
    expect(shop.order()?.refunds).toHaveLength(1)
  })

  test.each([
    ['', 'The payment gateway for this order does not exist.'],
    ['tillbridge', 'The payment gateway for this order does not exist.'],
    ['bacs', 'The payment gateway for this order does not support automatic refunds.'],
  ])('when it was paid by "%s", then only a refund without money goes through', async (payment_method, message) => {
    await using shop = await givenOrder({ payment_method })
    expect(await shop.post(shop.path, { amount: '10.00' })).toMatchObject(
      refusal(500, 'woocommerce_rest_cannot_create_order_refund', message),
    )
    expect((await shop.post(shop.path, { amount: '10.00', api_refund: false })).status).toBe(201)
    expect(shop.order()?.refunds).toMatchObject([{ amount: '10.00', paidBack: false }])
  })
})

test('when the shop dies between the save and the payment, then the refund is there without money and without meta data', async () => {
  await using shop = await givenOrder()
  shop.faults.next('error-500-after-save', { method: 'POST' })
  const answer = await shop.post(shop.path, { amount: '10.00', reason: 'Why', meta_data: [{ key: 'k', value: 'v' }] })
  expect(answer).toMatchObject(refusal(500, 'internal_server_error'))
  expect((await shop.get(shop.path)).json).toMatchObject([{ reason: 'Why', refunded_payment: false, meta_data: [] }])
})

function refusal(status: number, code: string, message?: string) {
  return { status, json: { code, ...(message && { message }), data: { status } } }
}
