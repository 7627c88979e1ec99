import { posOrder } from '../domain/orders/order.ts'
import { parseDecimal } from '../domain/values/money.ts'
import { readSale } from '../platform/payloads/sale.ts'
import type { CustomerMessage } from '../ports/ports.ts'

/** What the kit calls a port with, where the author gives nothing else: the n-th of several things. */
export const SAMPLES: Readonly<Record<string, (n: number) => unknown>> = {
  'publish.publish': (n) => ({
    kind: 'SaleCreated',
    body: Buffer.from(JSON.stringify(salePayload(n))),
    receivedAt: Date.now(),
  }),
  'orders.create': orderOf,
  'orders.draft': orderOf,
  'customers.upsert': customerOf,
  'customers.remember': customerOf,
  'customers.take': customerOf,
  'stock.setLevels': (n) => ({ location: 'web', gtin: gtinOf(n), sku: null, level: parseDecimal(7) }),
  'email.send': (n) => receiptTo('kari@example.com', n),
  'texts.send': (n) => receiptTo('+4791234567', n),
  'backOffice.bookSale': (n) => ({
    ...{ storeNo: '101', storeId: '42', storeKey: '101', country: 'NO', stockId: null, day: '2026-11-20' },
    ...{ external: false, sale: readSale(salePayload(n)) },
  }),
}

function orderOf(n: number) {
  return posOrder(readSale(salePayload(n)))
}

function customerOf(n: number) {
  return {
    ...{
      customerId: `C-${n}`,
      extId: null,
      email: `kari.${n}@example.com`,
      firstName: 'Kari',
      lastName: `Nordmann ${n}`,
    },
    ...{ companyName: null, phone: null, address: null, postalCode: null, city: null, countryCode: 'NO' },
  }
}

function receiptTo(to: string, n: number): CustomerMessage {
  return { type: 'receipt', sale: readSale(salePayload(n)), to, name: 'Kari Nordmann', signature: null }
}

const GTINS = ['7090012340011', '7090012340028']

function gtinOf(n: number): string {
  return GTINS[(n - 1) % GTINS.length] as string
}

/** A T-shirt for 349 NOK, paid by card (spec, "Sale payload"). */
function salePayload(n: number): object {
  const address = {
    firstName: 'Kari',
    lastName: 'Nordmann',
    address1: 'Storgata 1',
    postalCode: '0155',
    city: 'Oslo',
    countryCode: 'NO',
  }
  return {
    receiptNo: `${1000 + n}`,
    receiptUrl: `https://receipts.example.com/r/${1000 + n}`,
    orderNo: `EA-${n}`,
    createdDateTime: '2026-11-20T14:03:27',
    paymentLines: [{ type: 'Card', subType: 'Visa', currency: 'NOK', txRef: `tx-${n}`, amount: 349 }],
    orderLines: [
      {
        ...{ rowId: '1', gtin: GTINS[0], externalSKU: 'TEE-BLK-M', name: 'T-shirt', quantity: 1, price: 349 },
        ...{ vat: 69.8, vatPercent: 0.25, shipFromOnlineStore: true },
      },
    ],
    store: { storeId: 42, storeExtId: '101', storeName: 'Oslo City', currency: 'NOK', posId: 3 },
    customer: {
      email: 'kari@example.com',
      firstName: 'Kari',
      lastName: 'Nordmann',
      phone: '91234567',
      countryCode: 'NO',
    },
    shippingAddress: address,
    vatTotal: 69.8,
    total: 349,
  }
}
