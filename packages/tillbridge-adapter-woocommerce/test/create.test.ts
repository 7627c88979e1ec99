import { describe, expect, test } from 'vitest'
import { PermanentError, UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import type { OrdersCall } from '../../../src/ports/ports.ts'
import type { Given } from '../../../test/fixtures/payloads.ts'
import { act, again, askShop, orderOf, startWithShop, VAT } from './kit.ts'

describe('an order of the POS', () => {
  test('When it is created, then the shop has it, paid, with everything that the POS knows', async () => {
    await using it = await startWithShop()
    const effect = await it.create()
    const order = it.order()
    expect(effect).toEqual({
      links: [{ kind: 'order', id: 'pos:EA-77', theirId: String(order.id) }],
      note: `order ${order.number}, 1 line, 349.00 NOK`,
    })
    expect(order).toMatchObject({
      status: 'processing',
      currency: 'NOK',
      total: '349.00',
      email: 'kari.nordmann@example.com',
      datePaid: expect.any(String),
      lines: [{ productId: 11, name: 'T-shirt', quantity: 1, total: '349.00' }],
      shipping: [{ methodId: 'bring', title: 'Parcel to pickup point', total: '0.00' }],
      fees: [],
      meta: {
        _tillbridge_key: 'SaleCreated:1:f:p',
        _tillbridge_total: '349.00',
        tillbridge_order: 'EA-77',
        tillbridge_receipt: '1002',
        tillbridge_store: '101 Oslo City',
        tillbridge_pos: '3 POS 1',
        tillbridge_stock_id: '12',
        tillbridge_stock_name: 'Oslo City',
        tillbridge_customer: 'C-9',
      },
    })
    expect(it.shop.products().find(({ id }) => id === 11)?.stock).toBe(4)
  })

  test("When the POS's sums contradict each other, then the order costs what its lines do, and says so to people", async () => {
    await using it = await startWithShop()
    await it.create(orderOf([{}], { total: 150, paymentLines: [{ type: 'Card', amount: 150 }] }))
    const { total, notes, meta } = it.order()
    expect(total).toBe('349.00')
    const reported =
      "The POS's sums contradict each other: lines of 349.00 NOK, a total of 150.00 NOK, payments of 150.00 NOK."
    expect(notes.join()).toContain(reported)
    expect(meta.tillbridge_problem).toContain(reported)
  })

  test('When it is paid by a gift card and two cards, then it goes by the reference of a card, and people find that of the other', async () => {
    await using it = await startWithShop()
    const paid = (type: string, amount: number, txRef: string) => ({ type, amount, currency: 'NOK', txRef })
    const paymentLines = [paid('Giftcard', 49, 'GC-7'), paid('Card', 200, 'tx-1'), paid('Card', 100, 'tx-2')]
    await it.create(orderOf([{}], { paymentLines }))
    const { notes, meta, transactionId } = it.order()
    expect(transactionId).toBe('tx-1')
    const reported =
      'It was paid in parts, each with a reference of its own: Card 200.00 NOK: tx-1; Card 100.00 NOK: tx-2.'
    expect(notes.join()).toContain(reported)
    expect(meta.tillbridge_problem).toBe(reported)
  })

  test('When a product is known by its SKU, its GTIN or by the GTIN as SKU, then the line has it', async () => {
    await using it = await startWithShop()
    await it.create(
      orderOf(
        [
          { externalSKU: 'tee-blk-m', gtin: 'other', price: 349 },
          { externalSKU: 'unknown', gtin: '7090012340035', price: 1200, vat: 240 },
          { externalSKU: '', gtin: '7090012340028', price: 199, vat: 39.8 },
        ],
        { total: 1748 },
      ),
    )
    expect(it.order().lines.map(({ productId, variationId }) => [productId, variationId])).toEqual([
      [11, 0],
      [20, 21],
      [12, 0],
    ])
  })

  test('When the shop does not know a product, then the order is paid all the same, and a person is told which', async () => {
    await using it = await startWithShop()
    const { note } = await it.create(
      orderOf(
        [
          {},
          {
            externalSKU: 'NEW-1',
            gtin: '70900',
            name: 'Scarf',
            colour: 'Red',
            sizeText: '',
            size: '',
            price: 149,
            vat: 29.8,
          },
        ],
        {
          total: 498,
        },
      ),
    )
    const { total, status, lines, notes, meta } = it.order()
    expect([total, status]).toEqual(['498.00', 'processing'])
    expect(lines[1]).toMatchObject({ productId: 0, name: 'Scarf, Red', quantity: 1, total: '149.00' })
    const reported = 'This shop has no product for "Scarf, Red" (SKU NEW-1, GTIN 70900), quantity 1'
    expect(notes.join()).toContain(reported)
    expect(meta.tillbridge_problem).toContain(reported)
    expect(note).toContain('1 without a product of the shop')
  })

  test('When the shop knows none of the products, then the order waits for a person instead of being complete', async () => {
    await using it = await startWithShop({ products: [] })
    await it.create()
    expect(it.order()).toMatchObject({ status: 'processing', total: '349.00', lines: [{ productId: 0 }] })
    // A second look does not take it for unpaid.
    expect((await it.find())?.note).toBe(
      `order ${it.order().number}, 1 line, 349.00 NOK, 1 without a product of the shop`,
    )
  })

  test('When a quantity is not in pieces, then the line is one piece that says so', async () => {
    await using it = await startWithShop()
    await it.create(orderOf([{ quantity: 1.5, price: 200, vat: 40 }], { total: 300, vatTotal: 60 }))
    expect(it.order()).toMatchObject({
      total: '300.00',
      lines: [{ quantity: 1, name: '1.5 × T-shirt, Black, Medium' }],
    })
    expect(it.order().notes.join()).toContain('is no whole number above 0')
  })

  test('When nothing is to be paid, then the order counts as paid', async () => {
    await using it = await startWithShop()
    await it.create(orderOf([{ price: 0, vat: 0 }], { total: 0, vatTotal: 0 }))
    expect(it.order()).toMatchObject({ status: 'processing', total: '0.00' })
  })

  test("When the POS's e-mail address is none, then the order is created without it, and a person is told", async () => {
    await using it = await startWithShop()
    await it.create(orderOf([{}], { customer: { firstName: 'Kari', email: 'kari@example' } }))
    expect(it.order()).toMatchObject({ email: '', status: 'processing', meta: { _tillbridge_email: 'kari@example' } })
    expect(it.order().notes.join()).toContain('e-mail address at the POS is no address')
  })
})

test('When the shop refuses, then the error has its code and no word of the customer', async () => {
  await using it = await startWithShop({ permissions: 'read' })
  const error = await it.create().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PermanentError)
  expect(String(error)).toMatch(
    /^PermanentError: shop: POST http.*\/orders answered 401 Unauthorized: woocommerce_rest_authentication_error$/,
  )
})

const rate = (percent: string) => ({ ...VAT, rates: [{ name: 'VAT', percent }] })

/** Creates an order in a shop with these tax settings and gives what the shop made of it. */
async function made(taxes: 'off' | typeof VAT, lines: Given[], total: number) {
  await using it = await startWithShop({ taxes })
  const { note } = await it.create(orderOf(lines, { total, vatTotal: null }))
  return { ...it.order(), effect: note }
}

const PRICES = [0.01, 0.02, 0.03, 0.07, 1, 9.9, 33.33, 99.95, 349, 1234.56]
const vatOf = (price: number, percent: number) => Math.round((price * percent * 100) / (100 + percent)) / 100

describe("the total is the POS's to the cent", () => {
  test('When the shop adds no tax, then lines are with VAT, and there is no fee and no note', async () => {
    const order = await made('off', [{}, { price: 0.99, vat: 0.2, quantity: 3 }], 351.97)
    expect(order).toMatchObject({ total: '351.97', totalTax: '0.00', fees: [], status: 'processing' })
    expect(order.lines.map(({ total }) => total)).toEqual(['349.00', '2.97'])
    expect(order.notes.join()).not.toContain('total')
  })

  test('When the shop adds the same tax, then lines are without VAT, and there is no fee and no note', async () => {
    const order = await made(VAT, [{}], 349)
    expect(order).toMatchObject({ total: '349.00', totalTax: '69.80', fees: [], lines: [{ total: '279.20' }] })
    expect(order.notes.join()).not.toContain('total')
  })

  for (const percent of [25, 15, 12, 19, 7.7] as const)
    test(`When both add ${percent} %, then every price comes out, with coins of rounding at most`, async () => {
      const lines = PRICES.map((price) => ({ price, vat: vatOf(price, percent), vatPercent: percent / 100 }))
      const total = Math.round(PRICES.reduce((sum, price) => sum + price * 100, 0)) / 100
      const order = await made(rate(String(percent)), lines, total)
      expect(order.total).toBe(total.toFixed(2))
      for (const fee of order.fees) expect(Math.abs(Number(fee.total))).toBeLessThan(0.05)
    })

  test.each(['15', '27'])(
    "When the shop's rate is %s %, not the POS's, then the amount paid counts, and a person is told",
    async (percent) => {
      const order = await made(rate(percent), [{}, { price: 99.9, vat: 19.98 }], 448.9)
      expect(order.total).toBe('448.90')
      expect(order.notes.join()).toContain("The shop's tax is not the POS's")
      expect(order.notes.join()).toContain('448.90 NOK were paid')
      for (const fee of order.fees) expect(Math.abs(Number(fee.total))).toBeLessThan(0.05)
      expect(order.effect).not.toContain('please check')
    },
  )

  test('When the POS does not say the VAT, then the total comes out all the same', async () => {
    const order = await made(VAT, [{ vat: null, vatPercent: null }], 349)
    expect(order).toMatchObject({ total: '349.00', totalTax: '69.80' })
  })

  test('When only some lines are taxed in the shop, then each is brought to its amount', async () => {
    const taxes = { ...VAT, rates: [{ name: 'MVA', percent: '25', taxClass: 'reduced' }] }
    const products = [
      { id: 1, name: 'A', sku: 'A', price: '100', taxClass: 'reduced' },
      { id: 2, name: 'B', sku: 'B', price: '100' },
    ]
    await using it = await startWithShop({ taxes, products })
    const line = { price: 100, vat: 20 }
    await it.create(
      orderOf(
        [
          { ...line, externalSKU: 'A', gtin: '' },
          { ...line, externalSKU: 'B', gtin: '' },
        ],
        { total: 200 },
      ),
    )
    expect(it.order()).toMatchObject({ total: '200.00', totalTax: '20.00', fees: [] })
    expect(it.order().lines.map(({ total }) => total)).toEqual(['80.00', '100.00'])
  })

  test('When only one of two lines is brought to its amount, then the shop takes the pieces of both from its stock', async () => {
    const taxes = { ...VAT, rates: [{ name: 'MVA', percent: '25', taxClass: 'reduced' }] }
    const products = [
      { id: 1, name: 'A', sku: 'A', price: '100', taxClass: 'reduced', stock: 10 },
      { id: 2, name: 'B', sku: 'B', price: '100', stock: 10 },
    ]
    await using it = await startWithShop({ taxes, products })
    const line = { price: 100, vat: 20, gtin: '' }
    await it.create(
      orderOf(
        [
          { ...line, externalSKU: 'A', quantity: 2 },
          { ...line, externalSKU: 'B' },
        ],
        { total: 300 },
      ),
    )
    expect(it.order()).toMatchObject({ total: '300.00', status: 'processing' })
    expect(it.shop.products().map(({ stock }) => stock)).toEqual([8, 9])
  })
})

const call = (): OrdersCall => ({ port: 'orders', method: 'draft', argument: { ...orderOf(), payments: [] } })

test('When a basket is saved for the online checkout, then the customer gets a link to pay it, at the price of the POS', async () => {
  await using it = await startWithShop({ taxes: VAT })
  const effect = await act(it, call())
  const order = it.order()
  const link = `${it.shop.url}/checkout/order-pay/${order.id}/?pay_for_order=true&key=`
  expect(order).toMatchObject({ status: 'pending', total: '349.00', datePaid: null, paymentMethod: '' })
  expect(order.reported).toEqual([expect.stringContaining(`Pay it here: ${link}`)])
  expect(effect).toEqual({
    links: [{ kind: 'draft', id: 'EA-77', theirId: String(order.id) }],
    note: expect.stringContaining(`order ${order.number}, 349.00 NOK, to be paid at ${link}`),
  })
})

for (const fault of ['drop-answer', 'drop-before', 'error-500-after-save'] as const)
  test(`When the shop meets ${fault}, then there is one basket, and one message`, async () => {
    await using it = await startWithShop()
    it.shop.faults.next(fault, { method: 'POST' })
    await expect(act(it, call())).rejects.toThrow(UnknownOutcomeError)
    if (!(await it.find(again(), call()))) await act(it, call(), again())
    expect(it.order()).toMatchObject({ status: 'pending', total: '349.00', reported: [expect.any(String)] })
  })

test('When the customer has paid meanwhile, then a second try leaves the order alone', async () => {
  await using it = await startWithShop()
  await act(it, call())
  await askShop(it.shop, 'PUT', `/orders/${it.order().id}`, { set_paid: true })
  expect(await act(it, call(), again())).toMatchObject({ note: expect.stringContaining('left as it is: processing') })
  expect(it.order().reported).toHaveLength(1)
})
