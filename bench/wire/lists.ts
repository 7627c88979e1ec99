import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const WEBHOOK = 'a7c1c3f0-0000-4000-8000-000000000002'
const DAY = 86_400_000
const ARTICLES = ['7090012340011', '7090012340028']
const PRICE = 349

/** A day of sales in stores, without one in memory. */
export interface Day {
  /** `yyyy-mm-dd` in the stores. */
  date: string
  stores: number
  sales: number
  linesOfASale: number
  /** No event came of it. */
  isLost(nth: number): boolean
}

/** The sale of a number, as its webhook has it (spec, "Sale payload"), as far as a hub reads it. */
export function saleOf(day: Day, nth: number) {
  const vat = PRICE / 5
  const lines = Array.from({ length: day.linesOfASale }, (_, row) => ({
    rowId: `${row + 1}`,
    gtin: ARTICLES[row % ARTICLES.length],
    name: 'T-shirt',
    quantity: 1,
    price: PRICE,
    vat,
    vatPercent: 0.25,
    fullPrice: PRICE,
  }))
  const total = PRICE * day.linesOfASale
  return {
    receiptNo: receiptOf(day, nth),
    createdDateTime: soldAt(day, nth),
    paymentLines: [{ type: 'Card', subType: 'Visa', currency: 'NOK', amount: total }],
    orderLines: lines,
    store: { storeExtId: numberOf(day, nth), posId: '1', currency: 'NOK' },
    vatTotal: vat * day.linesOfASale,
    total,
  }
}

/** A platform that has stores, their sales lines of one day, and a subscription whose log knows one old event. */
export async function openLists(day: Day) {
  let callback = ''
  // Made before: whoever makes 200,000 rows in the middle of a run measures itself.
  const lines = Buffer.from(`{"value":[${linesOf(day)}]}`)
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://platform')
    response.setHeader('content-type', 'application/json')
    const answer = (value: unknown) => void response.end(JSON.stringify(value))
    if (pathname === '/api/Webhooks')
      return answer(callback === '' ? [] : [{ id: WEBHOOK, webhookId: WEBHOOK, event: 'SaleCreated', url: callback }])
    if (pathname === `/api/WebhooksEvents/${WEBHOOK}`) return answer([firstEvent()])
    if (pathname === '/api/Stores') return answer(storesOf(day))
    if (pathname === '/odata/Saleslines') {
      // Days stand in quotes.
      const [from, to] = ['from', 'to'].map((name) => searchParams.get(name)?.slice(1, 11) ?? '')
      const isAsked = (from ?? '') <= day.date && day.date <= (to ?? '')
      return void response.end(isAsked ? lines : '{"value":[]}')
    }
    response.writeHead(404).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sendsTo(url: string) {
      callback = url
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The only event that the log still shows: it says since when the subscription stands. */
function firstEvent() {
  const at = new Date(Date.now() - 3 * DAY).toISOString()
  const names = { webhookId: WEBHOOK, webhookEventId: 'first', createdDateTime: at, updatedDateTime: at }
  return { ...names, status: 'OK', statusCode: 202, success: true, runsCounter: 1, runs: [] }
}

function storesOf({ stores }: Day): object[] {
  return Array.from({ length: stores }, (_, index) => ({
    StoreId: 1_000 + index,
    StoreNo: `${101 + index}`,
    StoreName: `Store ${index}`,
    StockId: 5_000 + index,
    CountryCode: 'NO',
    Currency: 'NOK',
    TimeZoneInfo: 'Europe/Oslo',
  }))
}

/** The rows as JSON, with a comma between. */
function linesOf(day: Day): string {
  const rows: string[] = []
  for (let nth = 0; nth < day.sales; nth += 1)
    for (let line = 0; line < day.linesOfASale; line += 1)
      rows.push(
        JSON.stringify({
          SALELINEID: nth * day.linesOfASale + line,
          SALEID: nth,
          STOREID_FK: 1_000 + (nth % day.stores),
          SaleDateTime: soldAt(day, nth),
          Qty: 1,
          EAN: ARTICLES[line % ARTICLES.length],
          Price: PRICE,
          FullPrice: PRICE,
          VATPercent: 0.25,
          Currency: 'NOK',
          RECEIPTNO: receiptOf(day, nth),
          POSID_FK: 1,
          ORDERNO: null,
        }),
      )
  return rows.join(',')
}

function numberOf({ stores }: Day, nth: number): string {
  return `${101 + (nth % stores)}`
}

function receiptOf({ stores }: Day, nth: number): string {
  return `${1 + Math.floor(nth / stores)}`
}

/** Evenly over eight hours of the store's wall clock. */
function soldAt({ date, sales }: Day, nth: number): string {
  const seconds = 10 * 3_600 + Math.floor((nth / sales) * 8 * 3_600)
  return new Date(Date.parse(`${date}T00:00:00Z`) + seconds * 1_000).toISOString().slice(0, 19)
}
