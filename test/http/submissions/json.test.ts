import { describe, expect, test } from 'vitest'
import { keptIn } from '../../hub.ts'
import { order, product, sale, shareCounter } from './given.ts'

const counter = shareCounter()

/** Payloads of a kind that the hub took for the platform. */
function taken(kind: string): unknown[] {
  return keptIn(counter().hub)
    .filter((event) => event.kind === kind)
    .map(({ body }) => JSON.parse(body.toString()))
}

describe('one object, or a list', () => {
  test('when a list is right, then all of it is taken; sent again, none of it', async () => {
    const list = [product('J-1'), product('J-2', { price: '12.50', cost: null })]
    const first = await counter().submit('products', list, { key: 'json-1' })
    const again = await counter().submit('products', list, { key: 'json-1' })
    expect(first).toMatchObject({
      status: 202,
      body: { status: 'accepted', lines: 2, accepted: 2, duplicates: 0, refused: 0, faults: [] },
    })
    expect(first.body.url).toBe(`/v1/submissions/${first.body.id}`)
    expect(again).toMatchObject({ status: 200, body: { status: 'duplicate', id: first.body.id, duplicates: 2 } })
    expect(taken('ProductSubmitted')).toEqual([
      { extId: 'J-1', name: 'Wool sweater', price: '499' },
      { extId: 'J-2', name: 'Wool sweater', price: '12.5' },
    ])
  })

  test('when two items have faults, then every fault of both is told at once, and nothing is taken', async () => {
    const before = taken('ProductSubmitted').length

    const { status, body } = await counter().submit('products', [
      product('J-3'),
      { extId: '', prise: 12, price: '12,50', productSizes: [{ gtin: 7040000010017 }] },
      { name: 'No id', cost: 'free' },
    ])

    expect(status).toBe(422)
    expect(body.code).toBe('invalid')
    expect(body.faults).toEqual([
      {
        line: 2,
        faults: [
          'extId: found empty text, expected at least 1 character',
          'price: found "12,50", expected a decimal: a number, or text such as "1399.50"',
          'productSizes[0].gtin: found 7040000010017, expected text, in quotes',
          'prise: no such field; did you mean "price"?',
        ],
      },
      {
        line: 3,
        faults: [
          'extId: found nothing, expected text',
          'cost: found "free", expected a decimal: a number, or text such as "1399.50"',
        ],
      },
    ])
    expect(taken('ProductSubmitted')).toHaveLength(before)
  })
})

describe('what is written together', () => {
  test('when a price list comes as the platform writes it, then each price is an item of its list', async () => {
    const prices = [
      { productExtId: 'P-1', price: 399 },
      { gtin: '7040000010017', price: '399.50', validFrom: '2026-11-27T00:00:00+01:00' },
    ]
    expect(await counter().submit('prices', { name: 'Norway', prices })).toMatchObject({
      status: 202,
      body: { lines: 2 },
    })
    expect(taken('PriceSubmitted')).toEqual([
      { list: 'Norway', productExtId: 'P-1', price: '399' },
      { list: 'Norway', gtin: '7040000010017', price: '399.5', validFrom: '2026-11-26T23:00:00.000Z' },
    ])
  })

  test('a cost line may name its product by productId and gtin together (spec L97-101), and productExtId stands alone', async () => {
    const line = { productId: 8, gtin: '7040000010017', price: 99 }
    const costs = {
      currency: 'NOK',
      costPrices: [line, { productExtId: 'P-1', gtin: '7040000010017', price: 1 }, { price: 1 }],
    }
    const { body } = await counter().submit('cost-prices', costs)
    const why = 'found an object, expected gtin, productId or both of one product, or productExtId alone'
    expect(body.faults).toEqual([
      { line: 2, faults: [`costPrices[1]: ${why}`] },
      { line: 3, faults: [`costPrices[2]: ${why}`] },
    ])
    expect(await counter().submit('cost-prices', { currency: 'NOK', costPrices: [line] })).toMatchObject({
      status: 202,
    })
    expect(taken('CostPriceSubmitted')).toContainEqual({
      currency: 'NOK',
      productId: '8',
      gtin: '7040000010017',
      price: '99',
    })
  })
})

describe('sales and orders', () => {
  test('when a sale names a country, then it is that of its store, with a GUID that is the same for ever', async () => {
    await counter().submit('sales', sale('W-1'))
    expect(taken('SaleSubmitted')).toEqual([
      {
        saleGuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        orderNo: 'W-1',
        storeId: '42',
        saleDateTime: '2026-11-20T09:30:00.000Z',
        customer: { extId: 'C-77', email: 'kari@example.com' },
        lines: [{ gtin: '7040000010017', price: '399.5', quantity: '2', stockId: '-1' }],
        payments: [{ amount: '799', type: 99 }],
      },
    ])
  })

  test('when the same sale comes again under another key, then it is the first one; with other content, a conflict', async () => {
    const first = await counter().submit('sales', sale('W-2'))
    const again = await counter().submit('sales', sale('W-2', { saleDateTime: '2026-11-20T09:30:00Z' }))
    const other = await counter().submit('sales', sale('W-2', { paymentLines: [{ amount: 799, paymentType: 4 }] }), {
      key: 'other-content',
    })
    const otherAgain = await counter().submit(
      'sales',
      sale('W-2', { paymentLines: [{ amount: 799, paymentType: 4 }] }),
      { key: 'other-content' },
    )
    expect(again).toMatchObject({ status: 200, body: { status: 'duplicate', id: first.body.id } })
    for (const answer of [other, otherAgain])
      expect(answer).toMatchObject({ status: 409, body: { code: 'conflict', submission: first.body.id } })
    expect(taken('SaleSubmitted').filter((one) => (one as { orderNo: string }).orderNo === 'W-2')).toHaveLength(2)
  })

  test('when the payments are not what the lines add up to, then both sums are named', async () => {
    const { body } = await counter().submit('sales', sale('W-3', { paymentLines: [{ amount: '799.01' }] }))
    expect(body.faults[0]?.faults).toEqual([
      'salesLines add up to 799 (price × qty) and paymentLines to 799.01, expected the same sum exactly',
    ])
  })

  test('when a store, a country or a customer cannot be told, then the fault says which there are', async () => {
    const { body } = await counter().submit('sales', [
      sale('W-4', { country: 'DK' }),
      sale('W-5', { country: null, storeNo: '999' }),
      sale('W-6', { storeNo: '101' }),
      sale('W-7', { customer: null }),
    ])
    expect(body.faults.map(({ faults }) => faults)).toEqual([
      ['country: found "DK", expected one of NO, SE (platform.saleStores names a store for a country)'],
      [expect.stringMatching(/^storeNo: found "999", expected one of 101, 102, /)],
      ['found an object, expected exactly one of country, storeNo and storeId'],
      ['found an object, expected exactly one of customer and customerId'],
    ])
  })

  test('when a field of a customer is wrong, then the fault names it and repeats nothing of it', async () => {
    const secret = { extId: 'C-1', email: ['kari@example.com'], firstName: 'Kari', countryCode: 'Norge' }
    const answers = await Promise.all([
      counter().submit('customers', secret),
      counter().submit('sales', sale('W-8', { customer: secret })),
      counter().submit('orders', order('W-8', { customer: { email: 12, phone: true }, billingAddress: { city: 7 } })),
    ])
    for (const { status, text } of answers) {
      expect(status).toBe(422)
      expect(text).not.toMatch(/kari|Norge|found 7|found 12/i)
      expect(text).toMatch(/customer\.email|"email/)
    }
  })

  test('when an order began at a POS, then its sale is refused, by its flag or by what the hub knows', async () => {
    const payload = {
      receiptNo: '77',
      orderNo: 'EA-1',
      createdDateTime: '2026-11-20T10:00:00',
      store: { storeExtId: '101', posId: 1 },
      total: 799,
    }
    await counter().hub.post('OmniChannelEndlessAisleOrderCreated', payload)
    const known = await counter().submit('sales', sale('EA-1'))
    const flagged = await counter().submit('sales', sale('EA-2', { endlessAisle: true }))
    expect(known.body.faults[0]?.faults).toEqual([
      'orderNo: the order began at a POS (the hub has its OmniChannelEndlessAisleOrderCreated), and the platform has its sale already: do not submit it',
    ])
    expect(flagged.body.faults[0]?.faults[0]).toMatch(/^orderNo: the order began at a POS \(endlessAisle is true\)/)
  })

  test('when an order has no address and no payment, then it is to pick up and to pay in the store', async () => {
    expect(await counter().submit('orders', order('W-9'))).toMatchObject({ status: 202 })
    expect(taken('OrderSubmitted')).toEqual([
      {
        orderNo: 'W-9',
        storeId: '43',
        stockId: '13',
        saleDateTime: '2026-11-20T10:30:00+01:00',
        customer: { email: 'kari@example.com', firstName: 'Kari', lastName: '', phone: '', phoneCountryCode: '' },
        lines: [{ gtin: '7040000010017', price: '399.5', quantity: '1' }],
        payments: [],
      },
    ])
  })

  for (const quantity of ['0', '-1', -0.5] as const)
    test(`when an order is for ${quantity} pieces, then it is refused: no store can lay them ready`, async () => {
      const lines = (more: object = {}) => ({
        orderLines: [{ gtin: '7040000010017', price: '399.50', quantity, ...more }],
      })
      const { status, body } = await counter().submit('orders', order('W-12', lines()))
      expect(status).toBe(422)
      expect(body.faults[0]?.faults).toEqual([
        `orderLines[0].quantity: found ${JSON.stringify(String(quantity))}, expected a quantity above 0`,
      ])
      const back = await counter().submit('orders', order(`W-13${quantity}`, { ...lines(), orderType: 'Return' }))
      expect(back.status).toBe(quantity === '0' ? 422 : 202)
    })

  test('when a delivery names a store, then its stock is known; the same extRef with other content is a conflict', async () => {
    const delivery = {
      extRef: 'PO-1',
      storeNo: '102',
      insertAsConfirmed: true,
      orderLines: [{ gtin: '7040000010017', qty: 12 }],
    }
    const first = await counter().submit('goods-deliveries', delivery)
    expect(taken('DeliverySubmitted')).toEqual([
      {
        extRef: 'PO-1',
        storeId: '43',
        stockId: '13',
        insertAsConfirmed: true,
        orderLines: [{ gtin: '7040000010017', qty: '12' }],
      },
    ])
    expect(await counter().submit('goods-deliveries', { ...delivery, insertAsConfirmed: false })).toMatchObject({
      status: 409,
      body: { code: 'conflict', submission: first.body.id },
    })
  })
})

describe('text of a product', () => {
  test('when a PIM patches description and images, then nothing else of the product is touched', async () => {
    const text = { description: 'Warm.', images: ['https://img.example.com/1.jpg'] }
    expect(await counter().submit('products/J%2F1', text, { method: 'PATCH' })).toMatchObject({ status: 202 })
    expect(taken('ProductTextSubmitted')).toEqual([{ extId: 'J/1', ...text }])
    expect(await counter().submit('products/J-1', { price: 1 }, { method: 'PATCH' })).toMatchObject({ status: 422 })
    expect(await counter().submit('products/%20', text, { method: 'PATCH' })).toMatchObject({ status: 422 })
  })
})
