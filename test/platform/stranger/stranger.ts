import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { request } from 'undici'
import { listen } from '../../listen.ts'
import { EXAMPLES, schemaOf } from './kinds.ts'

/*
 * A platform to the letter of the specification where that shows something. What is "not shown" it answers in its own way: lists in
 * `items`, 204 for writes, pages of HTML for errors, the GUID of a new subscription alone, no list of subscriptions, no resend, an order
 * under its number in the path.
 */

const API_KEY = 'api-key-of-the-stranger'
const SUBSCRIPTION_KEY = 'subscription-key-of-the-stranger'

interface Reported {
  webhookId: string
  webhookEventId: string
  createdDateTime: string
  updatedDateTime: string | null
  status: string
  statusCode: number
  success: boolean
  runsCounter: number
  runs: object[]
  originalEvent: object
}

export interface Stranger extends AsyncDisposable {
  url: string
  keys: { apiKey: string; subscriptionKey: string }
  /** Every request, as `GET /api/Stores`, with the body of those that have one. */
  asked: { line: string; body: unknown; headers: IncomingMessage['headers'] }[]
  taken: Record<string, unknown[]>
  subscriptions: Map<string, { event: string; url: string }>
  log: Reported[]
  /** Something happens in a store: who subscribes to the kind is told once, and never again by itself. */
  tell(kind: string, payload?: object): Promise<void>
  isCutOff: boolean
}

const STORES = [
  ['42', '101', 'Oslo City', 12],
  ['43', '102', 'Bergen Torg', 13],
].map(([StoreId, StoreNo, StoreName, StockId]) => ({
  ...{ StoreId: Number(StoreId), StoreNo, Legalname: 'Nordlys AS', Orgnum: '999888777', StoreName, Address: 'Gata 1' },
  ...{ PostalCode: '0155', City: 'Oslo', Country: 'Norway', CountryCode: 'NO', Email: '', Web: '', Phone: '', StockId },
  ...{ Currency: 'NOK', TimeZone: 'W. Europe Standard Time', TimeZoneInfo: 'Europe/Oslo' },
}))

const TEE = '7090012340011'

const SETTLEMENT = {
  ...{ SETTLEMENTID: 900, BatchNumber: '12', StoreNo: '101', StoreInfo: '', StoreName: 'Oslo City', POSID: 7 },
  ...{ PosName: 'POS 7', PersonName: 'Liv', SettlementTimeStamp: '2026-11-20T20:00:00', Comment: '' },
  ...{ DateTimeFrom: '2026-11-20T09:00:00', DateTimeTo: '2026-11-20T20:00:00', ReceiptNoFrom: 1, ReceiptNoTo: 1 },
  ...{ Currency: 'NOK', GrossTotal: 399, GrossDiscount: 0, GrandTotal: 399, NetTotal: 319.2, VATTotal: 79.8 },
  ...{ VATArea1: 79.8, VATArea2: null, VATArea3: null, OpeningCashBalance: 0, ClosingCashBalance: 0, Discrepancy: 0 },
  PaymentTypes: [
    { PaymentTypeId: '2', Type: 'Card', SubType: 'Visa', Currency: 'NOK', CurrencyTendered: 399, Amount: 399 },
  ],
  ...{ Withdrawals: [], Deposits: [] },
}

const DELIVERY_ORDER = {
  ...{ OrderId: '79', Ordernumber: 'PO-3', Description: null, OrderDate: '2026-11-19T08:00:00', Brand: 'Nordlys' },
  ...{ Season: 'BASIC', TotalConfirmedQty: '5', TotalConfirmedCost: '400', TotalReceivedQty: '2' },
  ...{ TotalReceivedCost: '160', ToStockId: 12, OrderType: 1, OrderStatus: 2, Completed: false },
  Products: [
    {
      ...{ ProductId: 1, Size: 2, SizeLabel: 2, Name: 'Tee', Number: 'T-100', Variant: '01', Color: 'Red', Label: 'M' },
      ...{ Description: null, QtyConfirmed: '5', QtyReceived: '2', Cost: 80, Identifier: TEE },
    },
  ],
}

const MOVEMENTS = [
  {
    EAN: TEE,
    Qty: -2,
    Stockid: 12,
    Stock: 'Oslo City',
    MoveDateTime: '2026-11-20T10:15:00',
    MoveKey: 4001,
    MoveKind: 1,
  },
  {
    EAN: TEE,
    Qty: 3,
    Stockid: 12,
    Stock: 'Oslo City',
    MoveDateTime: '2026-11-20T12:30:00',
    MoveKey: 4002,
    MoveKind: 3,
  },
  {
    EAN: TEE,
    Qty: -1,
    Stockid: 13,
    Stock: 'Bergen Torg',
    MoveDateTime: '2026-11-20T13:00:00',
    MoveKey: 4003,
    MoveKind: 4,
  },
]

const SALES_LINES = [
  { STOREID_FK: 42, SaleDateTime: '2026-11-20T10:15:00', Qty: '2', EAN: TEE, Price: '199.50', FullPrice: '199.50' },
  { STOREID_FK: 42, SaleDateTime: '2026-11-20T10:20:00', Qty: '2', EAN: TEE, Price: '199.50', FullPrice: '199.50' },
]

const LEVELS: Record<string, string> = { 12: '8', 13: '2' }

/** `now`: the clock by which it notes what it told. */
export async function startStranger(now: () => number): Promise<Stranger> {
  const asked: Stranger['asked'] = []
  const taken: Stranger['taken'] = {}
  const subscriptions: Stranger['subscriptions'] = new Map()
  const log: Reported[] = []
  const orders = new Map<string, Record<string, unknown>>()

  async function send(reported: Reported): Promise<void> {
    const { url = '' } = subscriptions.get(reported.webhookId) ?? {}
    const status = stranger.isCutOff ? 404 : await sent(url, reported)
    const success = status >= 200 && status < 300
    Object.assign(reported, { statusCode: status, success, status: success ? 'Accepted' : 'Not Found', runsCounter: 1 })
    reported.updatedDateTime = new Date(now()).toISOString().slice(0, -1)
  }

  /** The status that a webhook is answered; 0: none. */
  async function sent(url: string, { webhookEventId, originalEvent }: Reported): Promise<number> {
    const headers = { 'content-type': 'application/json', 'x-note': webhookEventId }
    try {
      const answer = await request(url, { method: 'POST', headers, body: JSON.stringify(originalEvent) })
      await answer.body.dump()
      return answer.statusCode
    } catch {
      return 0
    }
  }

  /** An order as it stands, in words of this platform's own. */
  function orderNow(number: string): object | null {
    const order = orders.get(number)
    if (!order) return null
    const { orderLines, status, ...rest } = order
    const Lines = (orderLines as Record<string, unknown>[]).map(({ gtin, quantity, price }) => ({
      ...{ ean: gtin, pieces: quantity, price, state: status },
    }))
    return { Order: { ...rest, OrderState: status, Lines } }
  }

  const take = (operation: string, body: unknown) => {
    taken[operation] ??= []
    taken[operation].push(body)
  }

  /** An answer: undefined is 204, null is 404. A text is written as JSON, too. */
  const routes: [
    RegExp,
    (body: never, parts: string[], query: URLSearchParams, headers: IncomingMessage['headers']) => unknown,
  ][] = [
    [/^GET \/api\/Stores$/, () => STORES],
    [/^GET \/api\/WebhooksTypes$/, () => ({ items: Object.keys(EXAMPLES).map((EventName) => ({ EventName })) })],
    [
      /^GET \/api\/WebhooksTypes\/(\w+)\/schema$/,
      (_, [kind = '']) => EXAMPLES[kind] && { EventName: kind, Definition: schemaOf(EXAMPLES[kind]) },
    ],
    [
      /^POST \/api\/Webhooks$/,
      ({ event, url }: { event: string; url: string }) => {
        const id = randomUUID()
        subscriptions.set(id, { event, url })
        return id
      },
    ],
    [
      /^GET \/api\/WebhooksEvents\/([\w-]+)$/,
      (_, [id = ''], query) => {
        if (!subscriptions.has(id)) return null
        const [from = '', to = '9999', success] = ['from', 'to', 'success'].map((name) => query.get(name) ?? undefined)
        return log
          .filter((one) => one.webhookId === id && one.createdDateTime.slice(0, 10) >= from)
          .filter((one) => one.createdDateTime.slice(0, 10) <= to)
          .filter((one) => success === undefined || String(one.success) === success)
          .map(({ originalEvent, runs, ...one }) => ({
            ...one,
            ...(query.get('includePayload') === 'true' && { originalEvent }),
            ...(query.get('includeRuns') === 'true' && { runs }),
          }))
      },
    ],
    [/^POST \/api\/Products$/, (body) => take('product', body)],
    [/^PUT \/api\/Products$/, (body) => take('product text', body)],
    [/^POST \/api\/PriceListV2$/, (body) => take('price list', body)],
    [/^POST \/api\/Pricelist\/cost$/, (body) => take('costs', body)],
    [/^POST \/api\/Stock\/adjust$/, (body) => take('adjustment', body)],
    [
      /^POST \/api\/Stock$/,
      ({ stockIds }: { stockIds: number[] }) =>
        stockIds.map((stockId) => ({ id: TEE, stockId: String(stockId), quantity: LEVELS[stockId] })),
    ],
    [/^PUT \/api\/Delivery$/, (body) => take('delivery', body)],
    [
      /^GET \/api\/GetOrdersV3$/,
      (_, __, query) => ({ items: query.get('stockid') === '12' ? [DELIVERY_ORDER] : [], more: false }),
    ],
    [/^GET \/odata\/Stockmovements$/, (_, __, query) => rowsIn(MOVEMENTS, 'MoveDateTime', query)],
    [/^GET \/odata\/Saleslines$/, (_, __, query) => rowsIn(SALES_LINES, 'SaleDateTime', query)],
    [/^GET \/api\/possettlement$/, () => [SETTLEMENT]],
    [/^PUT \/api\/Sale$/, (body, _, __, headers) => take('sale', { body, storeId: headers['x-storeid'] })],
    [
      /^PUT \/api\/Customer$/,
      (body) => {
        take('customer', body)
        return '501'
      },
    ],
    [
      /^POST \/api\/Omnichannel$/,
      (body: Record<string, unknown>, _, __, headers) => {
        orders.set(String(body.orderNo), body)
        take('order', { body, storeId: headers['x-storeid'] })
      },
    ],
    [/^GET \/api\/Omnichannel$/, (_, __, query) => orderNow(query.get('nr') ?? '')],
  ]

  const server = await listen((asking, response) => void answer(asking, response))

  async function answer(asking: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(asking.url ?? '', 'http://stranger')
    const line = `${asking.method} ${pathname}`
    const body = asking.method === 'GET' ? null : await json(asking).catch(() => null)
    asked.push({ line: `${asking.method} ${asking.url}`, body, headers: asking.headers })
    const page = (status: number) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end(`<!DOCTYPE html><h1>${status}</h1>`)
    const { 'x-api-key': key, 'ocp-apim-subscription-key': subscription } = asking.headers
    if (key !== API_KEY || subscription !== SUBSCRIPTION_KEY) return void page(401)
    const found = routes.find(([pattern]) => pattern.test(line))
    if (!found)
      return void page(routes.some(([{ source }]) => source.endsWith(`\\/${pathname.split('/').pop()}$`)) ? 405 : 404)
    const parts = found[0].exec(line)?.slice(1) ?? []
    const result = found[1](body as never, parts, searchParams, asking.headers)
    if (result === null) return void page(404)
    if (result === undefined) return void response.writeHead(204).end()
    // Without the header it would be XML (spec, introduction).
    if (pathname.startsWith('/odata') && asking.headers.accept !== 'application/json') return void page(406)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
  }

  const stranger: Stranger = {
    ...server,
    keys: { apiKey: API_KEY, subscriptionKey: SUBSCRIPTION_KEY },
    ...{ asked, taken, subscriptions, log, isCutOff: false },
    async tell(kind, payload = EXAMPLES[kind] ?? {}) {
      const { order = {}, Web = {} } = payload as Record<string, Record<string, unknown>>
      const number = String(order.orderNo ?? Web.No)
      if (orders.has(number)) orders.set(number, { ...orders.get(number), status: order.status ?? Web.State })
      for (const [webhookId, { event }] of subscriptions) {
        if (event !== kind) continue
        const reported: Reported = {
          ...{ webhookId, webhookEventId: randomUUID(), createdDateTime: new Date(now()).toISOString().slice(0, -1) },
          ...{ updatedDateTime: null, status: '', statusCode: 0, success: false, runsCounter: 0, runs: [] },
          originalEvent: payload,
        }
        log.push(reported)
        await send(reported)
      }
    },
  }
  return stranger
}

/** Rows from a datetime or day until another, as the texts that they are; some columns, where `$select` says so. */
function rowsIn(rows: readonly Record<string, unknown>[], time: string, query: URLSearchParams): object {
  const [from = '', to = ''] = ['from', 'to'].map((name) => (query.get(name) ?? '').replaceAll("'", ''))
  const columns = query.get('$select')?.split(',')
  const value = rows
    .filter((row) => String(row[time]) >= from && String(row[time]).slice(0, to.length) <= to)
    .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => columns?.includes(name) ?? true)))
  return { 'odata.metadata': 'stranger', value }
}
