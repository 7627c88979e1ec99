import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Door, openDoor } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import { type Counter, openCounter, product, sale } from './given.ts'

/* What the platform takes, /v1 takes too, and hands on (public facts). */

let counter: Counter
let recorder: Door

beforeAll(async () => {
  counter = await openCounter({}, async (url) => {
    recorder = await openDoor(url)
    return { baseUrl: recorder.url, preset: 'frontsystems-v2' as const }
  })
})

afterAll(async () => {
  await counter[Symbol.asyncDispose]()
  await recorder[Symbol.asyncDispose]()
})

async function sentFor(resource: string, item: object, line: string): Promise<unknown> {
  const before = recorder.sent(line).length
  const { status, text } = await counter.submit(resource, item)
  expect({ status, text }).toMatchObject({ status: 202 })
  return await eventually(() => {
    const sent = recorder.sent(line).slice(before)
    expect(sent).not.toEqual([])
    return sent[0]
  })
}

describe('What an own system may say', () => {
  test('When a sale has a name and a VAT rate on its lines, and the reference of its payment, then the platform gets them', async () => {
    const lines = { salesLines: [{ identity: '7090012340011', price: '399.50', qty: 2, text: 'Tee', vat: '0.25' }] }
    const paid = { amount: 799, paymentType: 5, extRef: 'GC-1', currency: 'nok', cardType: 3, responseBody: '{"ok":1}' }
    const item = sale('W-1', { ...lines, paymentLines: [paid], comment: 'A gift' })
    expect(await sentFor('sales', item, 'PUT /api/Sale')).toMatchObject({
      salesLines: [{ identity: '7090012340011', price: 399.5, qty: 2, text: 'Tee', vat: 0.25 }],
      paymentLines: [{ ...paid, currency: 'NOK' }],
      comment: 'A gift',
    })
  })

  test('When the payments of a sale are in two currencies, or its VAT rate is none, then it is told before anything is sent', async () => {
    const half = { amount: '399.50', paymentType: 99 }
    const paymentLines = [
      { ...half, currency: 'NOK' },
      { ...half, currency: 'SEK' },
    ]
    const { body } = await counter.submit('sales', sale('W-2', { paymentLines }))
    expect(body.faults[0]?.faults).toEqual([
      expect.stringContaining('found NOK and SEK, expected one currency'),
      'the money is in SEK, and store 101 counts in NOK',
    ])
    const salesLines = [{ identity: '7090012340011', price: '399.50', qty: 2, vat: 125 }]
    const wrong = await counter.submit('sales', sale('W-2', { salesLines }))
    expect(wrong.body.faults[0]?.faults).toEqual([expect.stringContaining('salesLines[0].vat: found 125')])
  })

  test('When a customer agreed to letters and not to text messages, then the platform knows', async () => {
    const more = {
      agreedSendEmail: true,
      agreedSendSms: false,
      tags: 'club,gold',
      birthDay: '1985-05-17',
      orgNum: '999888777',
      isCompany: true,
      gender: 'f',
      langCode: 'no',
      cardNo: '0042',
    }
    const item = { extId: 'C-9', firstName: 'Kari', ...more, stdDiscount: '10', description: 'Prefers wool' }
    const expected = { ...more, stdDiscount: 10, despcription: 'Prefers wool' }
    expect(await sentFor('customers', item, 'PUT /api/Customer')).toMatchObject(expected)
  })

  test('When a cost price is of one stock, then it goes there by its id, or by the number of its store', async () => {
    const cost = { gtin: '7090012340011', price: '120.50' }
    const line = 'POST /api/Pricelist/cost'
    expect(await sentFor('cost-prices', { stockId: 12, ...cost }, line)).toMatchObject({ stockId: 12 })
    const group = { stockNo: '102', costPrices: [{ ...cost, price: '119' }] }
    const sent = await sentFor('cost-prices', group, line)
    expect(sent).toMatchObject({ stockId: 13, costPrices: [{ price: 119 }] })
    expect(sent).not.toHaveProperty('currency')
    const { body } = await counter.submit('cost-prices', { currency: 'NOK', stockId: 12, ...cost })
    expect(body.faults[0]?.faults).toEqual([
      expect.stringContaining('found an object, expected exactly one of currency, stockId and stockNo'),
    ])
  })
})

describe('What the platform does not take', () => {
  test('When it counts in whole numbers, then half a piece is refused at once, in a level, a count and a product', async () => {
    const half = { gtin: '7090012340011', quantity: '1.5' }
    const reported = ['quantity: found 1.5, expected a whole number']
    expect((await counter.submit('stock-adjustments', { stockId: 12, ...half })).body.faults[0]?.faults).toEqual(
      reported,
    )
    const count = { stockId: 12, isCompleteStockCount: true, stockCountTime: '2026-11-20T06:00:00Z', items: [half] }
    const counted = await counter.submit('stock-adjustments?dryRun=true', count)
    expect(counted.body.faults[0]?.faults).toEqual(['items[0].quantity: found 1.5, expected a whole number'])
    const productSizes = [{ gtin: '7090000000015', stockQty: [{ stockId: 12, qty: 0.5 }] }]
    const refused = await counter.submit('products', product('P-2', { productSizes }))
    expect(refused.body.faults[0]?.faults).toEqual([
      'productSizes[0].stockQty[0].qty: found 0.5, expected a whole number',
    ])
  })

  test('When a product has more than ten images, then it is refused, and ten are taken', async () => {
    const images = Array.from({ length: 11 }, (_, index) => `https://img.example.com/${index}.jpg`)
    const { status, body } = await counter.submit('products', product('P-3', { images }))
    expect({ status, faults: body.faults[0]?.faults }).toEqual({
      status: 422,
      faults: ['images: found a list, expected 10 images at most'],
    })
    expect((await counter.submit('products', product('P-3', { images: images.slice(1) }))).status).toBe(202)
  })
})
