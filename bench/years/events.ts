import { hash } from 'node:crypto'
import type { Arrival, NewDelivery } from '../../src/storage/arrival.ts'

/** The destinations that each event owes a delivery to. */
export const DESTINATIONS = ['bus', 'crm'] as const

/** How many events a part has: ten million, or a thousand a second of what was asked for. */
export function countOf(seconds: number | null): number {
  return seconds === null ? 10_000_000 : Math.max(300_000, seconds * 1_000)
}

/** The destinations, each with a port of its own. */
export function destinationsAt(ports: readonly number[]) {
  return Object.fromEntries(
    DESTINATIONS.map((name, nth) => [name, { port: ports[nth] ?? 0, publish: ['SaleCreated'] }]),
  )
}

/** How far back the oldest event lies. */
const YEAR = 365 * 86_400_000

const MINUTE = 60_000

export function orderNo(nth: number): string {
  return `A${100_000_000 + nth}`
}

export function receiptNo(nth: number): string {
  return `R-${100_000_000 + nth}`
}

export function emailOf(nth: number): string {
  return `person.${nth}@example.com`
}

export function gtinOf(nth: number): string {
  return String(7_090_000_000_000 + nth)
}

/** Every twentieth event is an order of an own system, the others are sales. */
function isOrder(nth: number): boolean {
  return nth % 20 === 0
}

/** What becomes of a delivery; nearly all of it is done. */
export function fateOf(nth: number, destination: string): 'delivered' | 'dead' | 'held' {
  if (destination !== 'crm') return 'delivered'
  return nth % 2_000 === 7 ? 'dead' : nth % 5_000 === 11 ? 'held' : 'delivered'
}

/** The nth of so many events, spread over a year. One in 500 is wanted by nobody. */
export function arrivalOf(nth: number, count: number): Arrival {
  const order = isOrder(nth)
  const body = Buffer.from(JSON.stringify(order ? orderPayload(nth) : salePayload(nth)))
  const entity = order ? `order:${orderNo(nth)}` : `sale:${receiptNo(nth)}`
  const wanted = nth % 500 !== 3
  return {
    kind: order ? 'OrderSubmitted' : 'SaleCreated',
    origin: order ? 'oms' : 'platform',
    subscription: order ? null : 'all',
    receivedAt: Math.round(Date.now() - MINUTE - YEAR * (1 - nth / count)),
    headers: { 'content-type': 'application/json' },
    body,
    bodyHash: hash('sha256', body).slice(0, 32),
    transportKey: `key-${hash('md5', String(nth))}`,
    identity: entity,
    versioned: false,
    exact: true,
    entity,
    facts: null,
    problem: null,
    deliveries: wanted ? DESTINATIONS.map((destination) => pending(destination, entity)) : [],
    ...(order && { submission: { resource: 'orders', key: orderNo(nth), line: 1 } }),
  }
}

function pending(destination: string, entity: string): NewDelivery {
  const never = { notBefore: null, once: false, batch: null, latestWins: false, digest: null, force: false } as const
  return { flow: 'publish', part: '', destination, urgency: 'prompt', entity, ...never }
}

/** About 400 bytes. */
function salePayload(nth: number): object {
  return {
    receiptNo: receiptNo(nth),
    createdDateTime: '2026-11-20T14:03:27',
    store: { storeExtId: String(101 + (nth % 100)), posId: 1 + (nth % 5), currency: 'NOK' },
    customer: { customerId: nth % 50_000, email: emailOf(nth % 50_000), phone: String(90_000_000 + (nth % 50_000)) },
    orderLines: [
      { gtin: gtinOf(nth % 20_000), externalSKU: `SKU-${nth % 20_000}`, quantity: 1, price: 349, vat: 69.8 },
      // In every sale: the key that is found most often.
      { gtin: gtinOf(99_999), externalSKU: 'BAG', quantity: 1, price: 2, vat: 0.4 },
    ],
    total: 351,
  }
}

function orderPayload(nth: number): object {
  return {
    orderNo: orderNo(nth),
    email: emailOf(nth % 50_000),
    lines: [{ gtin: gtinOf(nth % 20_000), quantity: 1, price: 349 }],
    deliveryAddress: { address1: `Stenersgata ${nth % 100}`, city: 'Oslo', postalCode: '0050', countryCode: 'NO' },
    comment: 'Please leave it with the neighbours if nobody is at home, they know about it. '.repeat(2),
  }
}
