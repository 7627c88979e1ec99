import { describe, expect, test } from 'vitest'
import { inEveryDialect } from './dialect-given.ts'

const TEE = '7090012340011'
const OSLO = { storeNo: '101' }
const SHOE = {
  ...{
    extId: 'GONE-1',
    name: 'Shoe',
    brand: 'Brand',
    groupName: 'Shoes',
    season: 'BASIC',
    color: 'Red',
    price: '10.50',
  },
  ...{ createProductSpecificSize: true, productSizes: [{ gtin: '7000000000110', label: 'M' }] },
}
const LIV = { extId: 'C-1', firstName: 'Liv', email: 'liv@example.com' }
const ORDER = {
  ...{ orderNo: 'D-1', storeNo: '102', saleDateTime: '2026-11-20T10:30:00+01:00' },
  customer: { email: 'kari@example.com', firstName: 'Kari' },
  orderLines: [{ gtin: TEE, price: '399.50', quantity: '1' }],
}

inEveryDialect((dialect, opened) => {
  describe('what own systems submit', () => {
    test.each([
      ['products', SHOE],
      [
        'prices',
        { list: 'Club', gtin: TEE, price: '199', validFrom: '2026-11-01T00:00:00Z', validTo: '2031-01-01T00:00:00Z' },
      ],
      ['cost-prices', { currency: 'NOK', gtin: TEE, price: '120.50' }],
      ['stock-adjustments', { stockNo: '101', gtin: TEE, quantity: '10' }],
      [
        'goods-deliveries',
        { ...OSLO, extRef: 'PO-1', insertAsConfirmed: true, orderLines: [{ gtin: TEE, qty: '3', cost: '41.25' }] },
      ],
      ['customers', LIV],
      [
        'sales',
        {
          ...{ orderNo: 'D-9', country: 'NO', saleDateTime: '2026-11-20T10:30:00+01:00', customer: LIV },
          salesLines: [{ identity: TEE, price: '399.50', qty: 2 }],
          paymentLines: [{ amount: 799 }],
        },
      ],
      ['orders', ORDER],
    ])('When %s come that every document shows, then the platform has them', async (resource, item) => {
      const sent = await opened().submit(resource, item)
      expect(sent).toMatchObject([{ state: 'delivered' }])
    })

    test.each([
      ['PUT orders/D-1', whole(ORDER), 'order-unseen'],
      ['DELETE orders/D-1', null, 'not-cancelled'],
    ])(
      'When an order is changed, or cancelled (%s), then it is so, or nobody believes it',
      async (line, item, unseen) => {
        const [method, path = ''] = line.split(' ')
        const sent = await opened().submit(path, item, method as 'PUT' | 'DELETE')
        expect(sent).toMatchObject([dialect === 'spec' ? { state: 'dead', code: unseen } : { state: 'delivered' }])
      },
    )

    test.each([
      [
        'transfers',
        { ...OSLO, extRef: 'T-1', toStockNo: '102', insertAsReceived: true, productLines: [{ gtin: TEE, qty: 1 }] },
        'http-404',
      ],
      ['stock-corrections', { ...OSLO, extRef: 'C-1', orderLines: [{ gtin: TEE, qty: -1 }] }, 'http-404'],
      ['price-ends', { list: 'Club', gtin: TEE, validFrom: '2026-11-01T00:00:00Z' }, 'http-404'],
      ['product-deletions', { extId: 'GONE-1', gtin: '7000000000110' }, 'not-deleted'],
      ['product-deletions', { extId: 'GONE-1', gtins: 'all' }, 'not-deleted'],
      ['product-deletions', { extId: 'GONE-1' }, 'not-deleted'],
      ['customer-deletions', { extId: 'C-1' }, 'not-deleted'],
    ])(
      'When %s come, then it is done, or where nobody shows how, it is a dead letter that says so',
      async (resource, item, code) => {
        const sent = await opened().submit(resource, item)
        expect(sent).toMatchObject([dialect === 'spec' ? { state: 'dead', code } : { state: 'delivered' }])
      },
    )
  })
})

/** The order itself, without its number: the path has it. */
function whole({ orderNo: _, ...order }: typeof ORDER) {
  return order
}
