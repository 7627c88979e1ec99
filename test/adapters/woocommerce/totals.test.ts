import { describe, expect, test } from 'vitest'
import type { Given } from '../../fixtures/payloads.ts'
import { orderOf, startWithShop, VAT } from './shop.ts'

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

  test.each([25, 15, 12, 19, 7.7])(
    'When both add %s %, then every price comes out, with coins of rounding at most',
    async (percent) => {
      const lines = PRICES.map((price) => ({ price, vat: vatOf(price, percent), vatPercent: percent / 100 }))
      const total = Math.round(PRICES.reduce((sum, price) => sum + price * 100, 0)) / 100
      const order = await made(rate(String(percent)), lines, total)
      expect(order.total).toBe(total.toFixed(2))
      for (const fee of order.fees) expect(Math.abs(Number(fee.total))).toBeLessThan(0.05)
    },
  )

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
