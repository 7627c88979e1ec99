import { describe, expect, test } from 'vitest'
import { COAT, givenShop, paidOrder } from './given.ts'

const NO_25 = { name: 'MVA', percent: '25', country: 'NO' }

describe('a paid order', () => {
  test('when it is created, then it is processing, paid, found by its id, and has taken stock', async () => {
    await using shop = await givenShop({ now: () => Date.parse('2026-03-01T11:00:00.700Z') })

    const answer = await shop.post('/orders', paidOrder())

    const [order] = shop.orders()
    expect(answer).toMatchObject({
      status: 201,
      headers: { location: `${shop.url}/wp-json/wc/v3/orders/${order?.id}` },
      json: {
        id: order?.id,
        number: String(order?.id),
        status: 'processing',
        currency: 'NOK',
        created_via: 'rest-api',
        date_created: '2026-03-01T12:00:00',
        date_created_gmt: '2026-03-01T11:00:00',
        date_paid: '2026-03-01T12:00:00',
        date_paid_gmt: '2026-03-01T11:00:00',
        transaction_id: 'T-1',
        total: '2500.00',
        discount_total: '299.00',
        billing: { first_name: 'Ada', last_name: '', email: 'ada@example.com' },
        line_items: [
          {
            product_id: COAT,
            variation_id: 0,
            sku: 'COAT',
            quantity: 2,
            subtotal: '2799.00',
            total: '2500.00',
            price: 1250,
          },
        ],
        meta_data: [{ key: '_till_order', value: 'A1' }],
        needs_payment: false,
      },
    })
    expect((await shop.get(`/orders/${order?.id}`)).json).toEqual(answer.json)
    expect(order).toMatchObject({
      status: 'processing',
      email: 'ada@example.com',
      meta: { _till_order: 'A1' },
      datePaid: '2026-03-01T11:00:00.000Z',
      notes: [
        'Stock levels reduced: Rain coat (COAT) 10→8',
        'Order status changed from Pending payment to Processing.',
      ],
    })
    expect(stockOf(shop, 'COAT')).toBe(8)
  })

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

  test('when it is created in a status beyond payment, then set_paid changes nothing', async () => {
    await using shop = await givenShop()

    await shop.post('/orders', paidOrder({ status: 'refunded' }))

    expect(shop.orders()).toMatchObject([{ status: 'refunded', datePaid: null }])
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

  test('when there is shipping, a fee and a discount, then the total is their sum', async () => {
    await using shop = await givenShop()
    const fees = [
      { name: 'Gift wrap', total: '20.00' },
      { name: 'Voucher', total: '-50.00' },
    ]

    const answer = await shop.post('/orders', paidOrder({ shipping_lines: SHIPPING, fee_lines: fees }))

    expect(answer.json).toMatchObject({
      total: '2549.00',
      total_tax: '0.00',
      shipping_total: '79.00',
      shipping_lines: [{ method_id: 'flat_rate', method_title: 'Post', total: '79.00' }],
      fee_lines: [
        { name: 'Gift wrap', total: '20.00' },
        { name: 'Voucher', total: '-50.00' },
      ],
      tax_lines: [],
    })
  })

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
    const told = await shop.post('/orders', paidOrder({ line_items: [{ product_id: COAT, total: '0.10' }] }))

    expect(own.json).toMatchObject({ prices_include_tax: true, total: '1399.50', total_tax: '279.90' })
    expect(told.json).toMatchObject({ total: '0.12', total_tax: '0.02' })
  })
})

function stockOf(shop: Awaited<ReturnType<typeof givenShop>>, sku: string) {
  return shop.products().find((product) => product.sku === sku)?.stock
}
