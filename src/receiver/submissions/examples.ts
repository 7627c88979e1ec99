import type { SubmitScope } from '../../domain/access/scope.ts'

/** Examples of a body and a line of each resource: shown in /openapi.json, and checked by the schemas in a test. */
export const EXAMPLES: Readonly<Record<SubmitScope, { bodies: readonly unknown[]; lines: readonly unknown[] }>> = {
  products: { bodies: [product('1001-09'), [product('1001-09'), product('1001-12')]], lines: [product('1001-09')] },
  prices: {
    bodies: [
      { name: 'Norway', prices: [{ productExtId: '1001-09', price: 399 }] },
      [{ list: 'Norway', productExtId: '1001-09', price: '399.00', validFrom: '2026-11-27T00:00:00+01:00' }],
    ],
    lines: [{ list: 'Norway', productExtId: '1001-09', price: 399 }],
  },
  'cost-prices': {
    bodies: [{ currency: 'NOK', costPrices: [{ gtin: '7040000010017', price: 120.5 }] }],
    lines: [{ currency: 'NOK', gtin: '7040000010017', price: 120.5 }],
  },
  'stock-adjustments': {
    bodies: [
      { stockId: 3011, description: 'Web shop', items: [{ gtin: '7040000010017', quantity: 4 }] },
      {
        stockNo: '104',
        isCompleteStockCount: true,
        stockCountTime: '2026-11-20T06:00:00Z',
        items: [{ gtin: '7040000010017', quantity: 4 }],
        confirmation: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
      },
    ],
    lines: [{ stockId: 3011, gtin: '7040000010017', quantity: 4 }],
  },
  deliveries: {
    bodies: [
      {
        extRef: 'PO-5001',
        storeNo: '104',
        expectedDeliveryDate: '2026-11-24T07:00:00Z',
        insertAsConfirmed: true,
        orderLines: [{ gtin: '7040000010017', qty: 12, cost: 120.5 }],
      },
    ],
    lines: [
      { extRef: 'PO-5001', storeNo: '104', insertAsConfirmed: true, orderLines: [{ gtin: '7040000010017', qty: 12 }] },
    ],
  },
  sales: { bodies: [sale()], lines: [sale()] },
  orders: { bodies: [order(), shipped()], lines: [order()] },
  customers: { bodies: [customer()], lines: [customer()] },
  transfers: one({
    extRef: 'T-88',
    storeNo: '104',
    toStockId: 3011,
    insertAsReceived: false,
    productLines: [{ gtin: '7040000010017', qty: 2 }],
  }),
  'stock-corrections': one({
    extRef: 'C-9',
    storeNo: '104',
    comment: 'Broken',
    orderLines: [{ gtin: '7040000010017', qty: -1 }],
  }),
  'price-ends': one({ list: 'Norway', productExtId: '1001-09', validFrom: '2026-11-27T00:00:00+01:00' }),
  'product-deletions': one(
    { extId: '1001-09' },
    { extId: '1001-12', gtin: '7040000010024' },
    { extId: '1001-13', gtins: 'all' },
  ),
  'customer-deletions': one({ extId: 'C-77' }),
}

function one(item: object, ...others: object[]) {
  return { bodies: [item, ...others], lines: [item] }
}

function product(extId: string) {
  return {
    extId,
    name: 'Wool sweater',
    number: '1001',
    variant: extId.split('-')[1],
    groupName: 'Knitwear',
    color: 'Navy',
    season: 'BASIC',
    brand: 'Fjell',
    price: 499,
    productSizes: [{ externalSKU: `${extId}-M`, gtin: '7040000010017', label: 'M', labelSortIndex: '20' }],
  }
}

function sale() {
  return {
    orderNo: 'W-9001',
    country: 'NO',
    saleDateTime: '2026-11-20T09:30:00Z',
    customer: customer(),
    salesLines: [{ identity: '7040000010017', price: '399.50', qty: 2 }],
    paymentLines: [{ amount: 799 }],
  }
}

function order() {
  return {
    orderNo: 'W-9002',
    storeNo: '104',
    saleDateTime: '2026-11-20T10:30:00+01:00',
    customer: {
      email: 'kari@example.com',
      firstName: 'Kari',
      lastName: 'Nordmann',
      phone: '40000000',
      phoneCountryCode: '+47',
    },
    orderLines: [{ gtin: '7040000010017', price: '399.50', quantity: '1' }],
  }
}

function shipped() {
  return {
    ...order(),
    orderNo: 'W-9003',
    theirId: '770031',
    reservationLengthInHours: 48,
    shippingAddress: { firstName: 'Kari', address1: 'Torget 1', postalCode: '5014', city: 'Bergen', countryCode: 'NO' },
    paymentLines: [{ amount: '399.50', currency: 'NOK', type: 'card' }],
  }
}

function customer() {
  return { extId: 'C-77', email: 'kari@example.com', firstName: 'Kari', lastName: 'Nordmann', countryCode: 'NO' }
}
