import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UNKNOWN_CUSTOMER } from '../domain/customers/customer-record.ts'
import { posOrder } from '../domain/orders/order.ts'
import { parseDecimal } from '../domain/values/money.ts'
import { readSale } from '../platform/payloads/sale.ts'
import type { CustomerMessage } from '../ports/ports.ts'

const GTINS = ['7090012340011', '7090012340028']

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
  'stock.setLevels': (n) => ({ location: 'web', gtin: GTINS[n - 1], sku: null, level: parseDecimal(7) }),
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
  const name = { firstName: 'Kari', lastName: `Nordmann ${n}`, email: `kari.${n}@example.com` }
  return { ...UNKNOWN_CUSTOMER, ...name, customerId: `C-${n}`, countryCode: 'NO' }
}

function receiptTo(to: string, n: number): CustomerMessage {
  return { type: 'receipt', sale: readSale(salePayload(n)), to, name: 'Kari Nordmann', signature: null }
}

/** A T-shirt for 349 NOK, paid by card (spec, "Sale payload"). */
function salePayload(n: number): object {
  return { ...SALE, receiptNo: `${1000 + n}`, orderNo: `EA-${n}` }
}

const SALE: object = JSON.parse(readFileSync(join(import.meta.dirname, '../../config/adapter/sale.json'), 'utf8'))
