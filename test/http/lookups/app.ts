import express from 'express'
import { request } from 'undici'
import { Config } from '../../../src/config/config.ts'
import type { CustomerQuery } from '../../../src/domain/customers/customer-query.ts'
import type { CustomerRecord } from '../../../src/domain/customers/customer-record.ts'
import type { FoundOrder } from '../../../src/domain/orders/order.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { Source } from '../../../src/http/lookups/ask.ts'
import { createLookups, type LookupOptions } from '../../../src/http/lookups/lookups.ts'
import { createPosPriority } from '../../../src/http/pos-priority.ts'
import { problemHandler } from '../../../src/http/problem.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createLogger } from '../../../src/lib/logger.ts'
import type { LookupRow } from '../../../src/storage/rows.ts'
import { listen } from '../../listen.ts'

export const TOKEN = 'pos-token-of-the-tests'
export const OLD_TOKEN = 'old-pos-token-of-the-tests'

interface Given {
  customers?: readonly Source<CustomerQuery, CustomerRecord>[]
  orders?: readonly Source<string, FoundOrder>[]
  /** More of `lookups.customers` and `lookups.orders`. */
  config?: { customers?: object; orders?: object }
  noteLookup?: LookupOptions['noteLookup']
}

interface Answer {
  status: number
  headers: Record<string, string>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test says what it expects
  body: any
}

export interface LookupApp extends AsyncDisposable {
  url: string
  lines: Record<string, unknown>[]
  noted: LookupRow[]
  get(path: string, headers?: Record<string, string>, signal?: AbortSignal): Promise<Answer>
  customers(query: string): Promise<Answer>
  orders(query: string): Promise<Answer>
}

/** The POS's two questions on a free port, without the rest of a hub. */
export async function startLookups({ customers, orders, config = {}, noteLookup }: Given): Promise<LookupApp> {
  const tokens = [TOKEN, OLD_TOKEN]
  const { lookups } = await Config.parseAsync({
    server: { adminToken: 'admin-token-of-the-tests' },
    platform: { webhooks: { tokens: ['webhook-token-of-the-tests'] } },
    lookups: {
      ...(customers && { customers: { tokens, ...config.customers } }),
      ...(orders && { orders: { tokens, ...config.orders } }),
    },
  })
  const lines: Record<string, unknown>[] = []
  const noted: LookupRow[] = []
  const logger = createLogger('debug', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const app = express()
  app.disable('etag').set('query parser', 'simple')
  app.use(
    createLookups({
      config: lookups,
      sources: { customers: customers ?? [], orders: orders ?? [] },
      noteLookup: noteLookup ?? (async (row) => void noted.push(row)),
      posPriority: createPosPriority(),
      refused: () => {},
      clock: systemClock,
      logger,
    }),
    problemHandler(logger, systemClock),
  )
  const server = await listen(app)
  const url = server.url

  async function get(path: string, headers = bearer(TOKEN), signal?: AbortSignal): Promise<Answer> {
    const answer = await request(`${url}${path}`, { headers, ...(signal && { signal }) })
    const text = await answer.body.text()
    const flat = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]))
    return { status: answer.statusCode, headers: flat, text, body: text === '' ? null : JSON.parse(text) }
  }

  return {
    url,
    lines,
    noted,
    get,
    customers: (query) => get(`/api/customers/search?query=${encodeURIComponent(query)}`),
    orders: (query) => get(`/api/orders/search?query=${encodeURIComponent(query)}`),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

export function finding<Found>(name: string, ...found: Found[]) {
  return { name, search: async () => found }
}

/** A source that never answers; it stops when it is told to, and counts how often it was asked and told. */
export function hanging(name: string) {
  const counts = { asked: 0, stopped: 0 }
  const search = (_: unknown, { signal }: { signal: AbortSignal }) => {
    counts.asked += 1
    return new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        counts.stopped += 1
        reject(signal.reason)
      })
    })
  }
  return { name, search, counts }
}

export function person(given: Partial<CustomerRecord>): CustomerRecord {
  return {
    customerId: null,
    extId: null,
    email: null,
    firstName: null,
    lastName: null,
    companyName: null,
    phone: null,
    address: null,
    postalCode: null,
    city: null,
    countryCode: null,
    ...given,
  }
}

/** Order 1001 of a shop: two jackets, one of which came back. */
export function order(given: Partial<FoundOrder> = {}): FoundOrder {
  return {
    number: '1001',
    placedAt: '2026-11-20T10:00:00Z',
    status: 'completed',
    currency: 'NOK',
    total: parseDecimal('798.00'),
    lines: [
      {
        rowId: '77',
        gtin: '7040000000016',
        sku: 'JKT-S',
        name: 'Rain jacket',
        quantity: parseDecimal('2'),
        returned: parseDecimal('1'),
        unitPrice: parseDecimal('399'),
        vatRate: parseDecimal('0.25'),
      },
    ],
    payments: [{ type: 'Card', amount: parseDecimal('798'), reference: 'tx-1' }],
    customer: {
      email: 'kari@example.com',
      firstName: 'Kari',
      lastName: 'Nordmann',
      companyName: null,
      phone: '+4791234567',
    },
    billingAddress: null,
    shippingAddress: {
      firstName: 'Kari',
      lastName: 'Nordmann',
      address1: 'Storgata 1',
      city: 'Oslo',
      postalCode: '0155',
      country: 'Norway',
      countryCode: 'NO',
    },
    ...given,
  }
}
