import { describe, expect, test } from 'vitest'
import type { IntakeItem } from '../../../src/ports/ports.ts'
import {
  AT_OSLO,
  act,
  askShop,
  type ConnectedShop,
  callOf,
  lineOf,
  orderOf,
  SHIRT,
  startConnected,
  startWithOrder,
  startWithShop,
} from './kit.ts'

type Document = Record<string, unknown>

const CARD = { creditPayment: { type: 'Gift card', paymentType: 5 } }

/** What becomes of an order of one shirt for 349.00 that plugins of the shop have changed so. */
async function handed(
  written: object,
  change: (order: Document, line: Document) => Document,
  { store = true, payment = 'sandbox_card' as const as 'sandbox_card' | 'cod' } = {},
): Promise<IntakeItem | undefined> {
  await using it = await startConnected({ ...written })
  const shipping = store ? { shipping: AT_OSLO } : { shipping: { method: 'flat_rate', cost: '50' } as const }
  const { id } = await it.shop.placeOrder({ lines: [SHIRT], payment, ...shipping })
  if (!store) await it.shop.setStatus(id, 'completed')
  await it.handedOver()
  const request = it.came.at(-1)
  const order = JSON.parse(String(Buffer.from(request?.body ?? []))) as Document
  const [line] = order.line_items as [Document]
  const body = Buffer.from(JSON.stringify({ ...order, ...change(order, line) }))
  const items = request && (await it.intake.read?.({ ...request, body }))
  return items?.[0]
}

/** A gift card of 200 that lowers the total, as plugins do it: no line says so. */
const lowered = (total: string) => () => ({ total })

describe('a gift card that lowers the total of an order without a line', () => {
  test('an order for a store is held where config does not say which payment that is', async () => {
    const item = await handed({}, lowered('149.00'))
    expect(item?.faults?.[0]).toMatch(/149.00 NOK, is 200.00 NOK below what its lines.*creditPayment/)
  })

  test('an order for a store has a payment of its own kind for it, and both make what the goods cost', async () => {
    const item = await handed(CARD, lowered('149.00'))
    expect(item).toMatchObject({
      value: {
        orderLines: [{ price: '349', quantity: '1' }],
        paymentLines: [
          { amount: '149', currency: 'NOK', type: 'Card' },
          { amount: '200', currency: 'NOK', type: 'Gift card' },
        ],
      },
    })
    expect(item).not.toHaveProperty('faults')
    expect((await handed(CARD, lowered('0.00')))?.value.paymentLines).toEqual([
      { amount: '349', currency: 'NOK', type: 'Gift card' },
    ])
  })

  test('an order whose rest is to be paid in the store is held', async () => {
    const item = await handed(CARD, lowered('149.00'), { payment: 'cod' })
    expect(item?.faults).toEqual([expect.stringContaining('call the store')])
  })

  test('a sale is paid by it and by the rest, and nothing is off its freight', async () => {
    const freight = { freightGtin: '9990000000017' }
    const bare = await handed(freight, lowered('199.00'), { store: false })
    expect(bare?.faults?.[0]).toContain('200.00 NOK below')
    const item = await handed({ ...CARD, ...freight }, lowered('199.00'), { store: false })
    expect(item?.value).toMatchObject({
      salesLines: [
        { price: '349', qty: '1' },
        { identity: '9990000000017', price: '50', qty: '1' },
      ],
      paymentLines: [
        { amount: '199', paymentType: 99 },
        { amount: '200', paymentType: 5 },
      ],
    })
  })

  test('a sale without an article for freight is paid by it with no more than what the goods cost', async () => {
    const item = await handed(CARD, lowered('9.00'), { store: false })
    expect(item?.value).toMatchObject({
      salesLines: [{ price: '349', qty: '1' }],
      paymentLines: [{ amount: '349', paymentType: 5 }],
    })
  })

  test('coins that the rounding of each amount makes are no gift card', async () => {
    const item = await handed({}, lowered('348.98'))
    expect(item).not.toHaveProperty('faults')
  })
})

/** A box for 500 without an article, and three articles in it for nothing. */
function boxed(line: Document, linked: boolean, sku = ''): Document {
  const nothing = { total: '0.00', total_tax: '0.00', price: 0, subtotal: '0.00', taxes: [] }
  const part = (id: number, gtin: string, quantity: number) => ({
    ...line,
    ...nothing,
    id,
    quantity,
    global_unique_id: gtin,
    name: `Part ${id}`,
    ...(linked && { bundled_by: 900 }),
  })
  const box = { ...line, id: 900, name: 'Gift box', sku, global_unique_id: '', quantity: 1, price: 500, taxes: [] }
  return {
    total: '500.00',
    line_items: [
      { ...box, total: '500.00', total_tax: '0.00', ...(linked && { bundled_items: [901, 902] }) },
      part(901, '7090012340011', 1),
      part(902, '7090012340028', 2),
    ],
  }
}

describe('a bundle whose price stands on its container', () => {
  test.each([
    ['named by the plugin', true, 'BOX-1'],
    ['told by their order alone', false, ''],
  ])(
    'an order for a store has its articles, %s, at prices that add up, and the container as a note',
    async (_, linked, sku) => {
      const item = await handed({}, (_order, line) => boxed(line, linked, sku))
      expect(item).not.toHaveProperty('faults')
      expect(item?.value).toMatchObject({
        comment: 'Gift box: 500.00 NOK',
        orderLines: [
          { gtin: '7090012340011', price: '166.66', quantity: '1' },
          { gtin: '7090012340028', price: '166.67', quantity: '2' },
        ],
        paymentLines: [{ amount: '500' }],
      })
    },
  )

  test('a sale has its articles at prices that add up to the coin', async () => {
    const item = await handed({}, (_, line) => ({ ...boxed(line, true), total: '550.00' }), { store: false })
    expect(item?.value).toMatchObject({
      comment: 'Gift box: 500.00 NOK',
      salesLines: [
        { identity: '7090012340011', price: '166.66', qty: '1' },
        { identity: '7090012340028', price: '166.67', qty: '2' },
      ],
      paymentLines: [{ amount: '500' }],
    })
  })

  test('a line with a price and no article, of which nothing is part, is named as one without a GTIN', async () => {
    const item = await handed({}, (_, line) => ({ line_items: [{ ...line, sku: '', global_unique_id: '' }] }))
    expect(item?.value.orderLines).toMatchObject([{ gtin: '', price: '349' }])
  })

  test('a comment of no piece is a note, and no line', async () => {
    const comment = {
      total: '0.00',
      total_tax: '0.00',
      price: 0,
      taxes: [],
      quantity: 0,
      sku: '',
      global_unique_id: '',
    }
    const item = await handed({}, (_, line) => ({
      line_items: [line, { ...line, ...comment, id: 901, name: 'Please ring twice' }],
    }))
    expect(item?.value).toMatchObject({ comment: 'Please ring twice', orderLines: [{ price: '349', quantity: '1' }] })
    expect(item?.value.orderLines).toHaveLength(1)
  })

  test('a part that comes back or is declined is left to a person, and nothing is refunded for it', async () => {
    await using it = await startWithOrder({
      line_items: [
        { product_id: 12, quantity: 1 },
        { product_id: 11, quantity: 1 },
      ],
    })
    it.shop.setPlugin((document) => {
      if (!('line_items' in document) || !('currency' in document)) return document
      const [box, part] = document.line_items as [Document, Document]
      const free = { ...part, total: '0.00', total_tax: '0.00', price: 0, taxes: [] }
      return { ...document, line_items: [{ ...box, sku: '', global_unique_id: '', bundled_items: [part.id] }, free] }
    })
    const calls = [callOf.refund(it.number, 1, lineOf()), callOf.decline(it.number)] as const
    for (const call of calls) await expect(act(it, call)).rejects.toMatchObject({ code: 'part-of-bundle' })
    expect(it.order().refunds).toEqual([])
  })
})

test('a comment that a POS wrote as a line of no piece is a note in the shop, and no goods', async () => {
  await using it = await startWithShop()
  const comment = {
    gtin: null,
    externalSKU: null,
    productId: null,
    quantity: 0,
    price: 0,
    fullPrice: 0,
    vat: 0,
    name: 'Gift wrapping, please',
  }
  await it.create(orderOf([{}, comment]))
  const { id } = it.order()
  const placed = (await askShop(it.shop, 'GET', `/orders/${id}`)) as { line_items: Document[] }
  expect(placed.line_items.map(({ name }) => name)).toEqual(['T-shirt'])
  const notes = (await askShop(it.shop, 'GET', `/orders/${id}/notes`)) as { note: string }[]
  expect(notes.map(({ note }) => note).join()).toContain('Comment of the POS: Gift wrapping, please')
})

/*
 * Fees below zero, by which plugins and people of a shop take something off an order as a whole. WooCommerce keeps the lines at their
 * price, and the fee is off the total (`calculate_totals` in abstract-wc-order.php; `wc_create_refund` takes a refund of such a fee as
 * it takes others; read 2026-11-26).
 */

const DISCOUNT = { fee_lines: [{ name: 'Friends of the shop', total: '-98.00', tax_status: 'none' }] }
const TWO = [{ sku: 'TEE-BLK-M', quantity: 2 }]

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
    await discounted(it, { shipping: AT_OSLO, ...more })
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
