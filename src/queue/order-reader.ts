import { isSameArticle } from '../domain/catalogue/article-number.ts'
import type { SubmittedOrder } from '../domain/catalogue/submitted.ts'
import { POS_ORDER_CREATED, posOrder } from '../domain/orders/order.ts'
import type { OrderEvidence } from '../domain/orders/order-evidence.ts'
import { orderEntity } from '../domain/orders/order-facts.ts'
import {
  type Candidate,
  type Goods,
  goodsOf,
  holdsGoods,
  lacksGoods,
  type PlacedOrder,
  theOneMeant,
} from '../domain/orders/which-order.ts'
import { PLATFORM, payloadOf } from '../domain/queue/event.ts'
import { HeldError, isNoEndpoint, PermanentError, RetryLaterError } from '../domain/values/errors.ts'
import { text } from '../domain/values/field.ts'
import type { Instant } from '../domain/values/instant.ts'
import { parseDecimal, sumDecimals } from '../domain/values/money.ts'
import { phoneOf } from '../domain/values/phone.ts'
import type {
  Creation,
  LoggedEvent,
  NumberedOrder,
  OrderReader,
  PlatformVerifier,
  SettlementReader,
  Verifier,
} from '../flows/flow.ts'
import type { Clock } from '../lib/clock.ts'
import { evaluate } from '../lib/jsonata.ts'
import { eachInSlices, orLeave } from '../lib/semaphore.ts'
import { rejectedText } from '../platform/http/read.ts'
import { kindOf } from '../platform/payloads/kinds.ts'
import { type Mappings, mapped, NO_MAPPINGS } from '../platform/payloads/mapping/mapping.ts'
import { readOrderReturn } from '../platform/payloads/order-update.ts'
import { readSale } from '../platform/payloads/sale.ts'
import type { Platform } from '../platform/platform.ts'
import type { PlatformOrder } from '../platform/resources/orders.ts'
import type { Storage } from '../storage/storage.ts'

interface SentLogOptions {
  clock: Clock
  mappings?: Mappings
  kindAt?: (url: string) => string | null
  knownSubscriptions?: () => Promise<readonly { webhookId: string; kind: string }[]>
}

interface Options extends SentLogOptions {
  trusts: boolean
  storeName(storeId: string): string | null
}

const SUBMITTED = ['OrderChangeSubmitted', 'OrderSubmitted']

export function createOrderReader(
  storage: Pick<Storage, 'events' | 'event'>,
  platform: Pick<Platform, 'orders' | 'products' | 'webhooks' | 'events' | 'operations'> | null,
  { trusts, storeName, ...options }: Options,
): OrderReader {
  const read = createCachedReads<PlatformOrder | null>(options.clock)

  async function ofPlatform(number: string, since: Instant, signal: AbortSignal): Promise<PlatformOrder | null> {
    if (!platform) return null
    const order = await read(number, since, () => platform.orders.read(number), signal)
    return order?.orderNo === number ? order : null
  }

  function verifierOf(): Verifier {
    if (trusts) return 'operator'
    if (!platform) return 'none'
    return {
      order: async (...asked) => orderEvidenceOf(await ofPlatform(...asked)),
      knowsOrders: () => platform.operations.isProven('orders.read'),
      sent: createSentLog(platform, options),
    }
  }

  async function submitted(number: string): Promise<SubmittedOrder | null> {
    for (const kind of SUBMITTED) {
      const [row] = await storage.events({ kind, entity: orderEntity(number), limit: 1 })
      const body = row && (await storage.event(row.id))?.body
      if (body) return payloadOf({ body }) as SubmittedOrder
    }
    return null
  }

  function placedOf(order: SubmittedOrder): PlacedOrder {
    const placed = ofSubmitted(order)
    return { ...placed, storeName: placed.storeName ?? storeName(order.storeId) }
  }

  const verifier = verifierOf()

  return {
    async placed({ number, lines: named }, since, signal) {
      const order = await submitted(number)
      if (order) {
        const found = placedOf(order)
        await requireWebOrder({ number, lines: named }, found, storage)
        return found
      }
      const seen = await ofPlatform(number, since, signal)
      if (!seen) return null
      const { customer, store: place, fulfillment, lines, status } = seen
      return {
        number,
        status,
        storeName: place?.name ?? fulfillment?.stockName ?? null,
        customer: customer && {
          name: fullNameOf(customer.firstName, customer.lastName),
          email: customer.email,
          phone: phoneOf(customer.phoneCountryPrefix, customer.phone),
        },
        lines: lines.map(({ gtin, quantity }) => ({ gtin, name: null, quantity: quantity ?? parseDecimal(1) })),
      }
    },

    async isSubmittedToShip(number) {
      const order = await submitted(number)
      return order && order.shippingAddress !== undefined
    },

    async untakenCreation(number, since, signal) {
      if (typeof verifier === 'string') return null
      const [taken] = await storage.events({ kind: POS_ORDER_CREATED, entity: orderEntity(number), limit: 1 })
      if (taken) return null
      for (const span of ['lately', 'long'] as const) {
        const sent = await verifier.sent(POS_ORDER_CREATED, since, span, signal)
        const found = sent.find(({ creation }) => creation?.orderNo === number)
        if (found?.creation) return found.creation
      }
      return null
    },

    isSentByRecord: async (...asked) => isSent(await ofPlatform(...asked)),

    articleName: async (gtin, signal) => (await platform?.products.byGtin(gtin, signal))?.name ?? null,

    status: async (number, since, signal) => (await ofPlatform(number, since, signal))?.status ?? null,

    verifier,
  }
}

function orderEvidenceOf(order: PlatformOrder | null): OrderEvidence | null {
  if (!order) return null
  const { status, lines, fulfillment } = order
  const parcels = fulfillment?.shipments?.flatMap(({ id }) => id ?? []) ?? null
  return { status, lines, parcels, isSent: isSent(order) }
}

/** Pick-up types (public facts). */
const FETCHED = ['BOPIS', 'ROPIS']

function isSent(order: PlatformOrder | null): boolean | null {
  if (order === null) return null
  const { type, shippingAddress, fulfillment } = order
  if ((fulfillment?.shipments ?? []).length > 0) return true
  if (FETCHED.includes(type?.toUpperCase() ?? '')) return false
  return shippingAddress === null ? null : true
}

function ofSubmitted({ orderNo, storeName, customer, lines }: SubmittedOrder): PlacedOrder {
  return {
    number: orderNo,
    status: null,
    storeName: storeName ?? null,
    customer: {
      name: fullNameOf(customer.firstName, customer.lastName),
      email: customer.email || null,
      phone: phoneOf(customer.phoneCountryCode || null, customer.phone || null),
    },
    lines: lines
      .filter(({ gtin }) => gtin !== '')
      .map(({ gtin, name = null, quantity }) => ({ gtin, name, quantity: parseDecimal(quantity) })),
  }
}

function fullNameOf(first: string | null, last: string | null): string | null {
  return [first, last].filter(Boolean).join(' ') || null
}

type Books = Pick<Storage, 'events' | 'event'>

/** Throws a HeldError `ambiguous-order` if a POS order of that number may be meant. */
export async function requireWebOrder(
  { number, lines }: NumberedOrder,
  web: PlacedOrder,
  storage: Books,
): Promise<void> {
  const [sold] = await storage.events({ kind: POS_ORDER_CREATED, entity: orderEntity(number), limit: 1 })
  const goods = goodsOf(lines)
  const candidates: Candidate<'web' | 'pos'>[] = [candidate('web', number, web.lines, goods)]
  if (sold) candidates.push(candidate('pos', `event ${sold.id}`, await linesOf(sold.id, storage), goods))
  const meant = theOneMeant('messages', number, candidates)
  if (meant === 'web') return
  const why = sold
    ? `The number ${number} is that of a web order and of an order of a POS (event ${sold.id}), and the goods are the POS's: the customer of the web order is not told. Skip this; tell the POS's customer by hand.`
    : `The web order ${number} has none of these goods: another order may have its number. The customer of the web order is not told. Ask the store which it is, tell its customer by hand, then skip this.`
  throw new HeldError(why, { code: 'ambiguous-order' })
}

function candidate<Order extends 'web' | 'pos'>(
  is: Order,
  theirId: string,
  lines: readonly Line[],
  goods: readonly Goods[],
): Candidate<Order> {
  const articles = lines.map(({ gtin }) => [gtin])
  return { order: is, is, theirId, holds: has(lines, goods), lacks: lacksGoods(goods, articles) }
}

type Line = Pick<PlacedOrder['lines'][number], 'gtin' | 'quantity'>

async function linesOf(event: number, storage: Books): Promise<readonly Line[]> {
  const body = (await storage.event(event))?.body
  if (!body) return []
  try {
    return posOrder(readSale(payloadOf({ body }))).lines
  } catch {
    return []
  }
}

function has(lines: readonly Line[], goods: readonly Goods[]): boolean {
  const countOf = (gtin: string | null) =>
    sumDecimals(lines.filter((line) => isSameArticle(line.gtin, gtin)).map(({ quantity }) => parseDecimal(quantity)))
  const counts = goods.map(({ gtin }) => countOf(gtin))
  return holdsGoods(goods, counts)
}

export function createSettlementReader(platform: Pick<Platform, 'settlements'> | null): SettlementReader {
  return async ({ settlementId, days }, signal) => {
    if (platform === null) return null
    let unreadable: string | null = null
    for (const day of days) {
      const { rows, rejected } = await platform.settlements.list({ day }, signal)
      const found = rows.find((one) => one.settlementId === settlementId)
      if (found?.payments) return found
      unreadable ??= rejectedText(rejected)
    }
    const [why, code] =
      unreadable === null
        ? [`the platform does not list settlement ${settlementId} with its payments yet`, 'not-listed']
        : [`settlement ${settlementId} is not among those that can be read: ${unreadable}`, 'not-readable']
    throw new RetryLaterError(why, { code })
  }
}

type Span = 'lately' | 'long'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const SPANS: Record<Span, { from: number; to: number }> = { lately: { from: 0, to: 2 }, long: { from: 2, to: 31 } }

/** The log's clock may be ahead by a zone (ms). */
const AHEAD = 15 * HOUR

/** By day: a chain's month is gigabytes. */
export function createSentLog(
  { webhooks, events }: Pick<Platform, 'webhooks' | 'events'>,
  { clock, mappings = NO_MAPPINGS, kindAt = () => null, knownSubscriptions = async () => [] }: SentLogOptions,
) {
  const read = createCachedReads<LoggedEvent[]>(clock)

  async function subscriptionsTo(kind: string): Promise<string[]> {
    try {
      const { rows } = await webhooks.list()
      return rows.filter(({ event, url }) => (kindAt(url) ?? event) === kind).map(({ id }) => id)
    } catch (error) {
      const ids = isNoEndpoint(error) ? (await knownSubscriptions()).filter((one) => one.kind === kind) : []
      if (ids.length === 0) throw error
      return ids.map(({ webhookId }) => webhookId)
    }
  }

  /** One readable log is enough. */
  async function ask(kind: string, span: Span): Promise<LoggedEvent[]> {
    const subscriptions = await subscriptionsTo(kind)
    const now = clock.now()
    const said: LoggedEvent[] = []
    const refusals: PermanentError[] = []
    for (let { from: day, to } = SPANS[span]; day < to; day++) {
      const window = { from: now - (day + 1) * DAY, to: day === 0 ? now + AHEAD : now - day * DAY }
      for (const id of subscriptions) {
        // An unreadable log is no evidence.
        const { rows } = await events
          .list({ webhookId: id, ...window, includePayload: true })
          .catch((error: unknown) => {
            if (!(error instanceof PermanentError)) throw error
            refusals.push(error)
            return { rows: [] }
          })
        await eachInSlices(rows, ({ payload }) => {
          said.push(loggedEventOf(kind, mapped({ kind, subscription: null }, payload, mappings, evaluate)))
        })
      }
    }
    if (said.length === 0 && refusals[0]) throw refusals[0]
    return said
  }

  return ((kind, since, span, signal) =>
    read(`${span} ${kind}`, since, () => ask(kind, span), signal)) satisfies PlatformVerifier['sent']
}

export function loggedEventOf(kind: string, payload: unknown): LoggedEvent {
  const { key, facts } = kindOf(kind)?.identity?.(payload, PLATFORM) ?? {}
  return {
    identity: key === undefined ? null : { key, facts: facts ?? null },
    refund: readOrderReturn(payload),
    creation: kind === POS_ORDER_CREATED ? creationIn(payload) : null,
  }
}

function creationIn(payload: unknown): Creation | null {
  const orderNo = text(payload, 'orderNo')
  return orderNo === null ? null : { orderNo, receiptNo: text(payload, 'receiptNo') }
}

/** Answers serve others for so long (ms). */
const FRESH = 3_000

interface Read<T> {
  askedAt: Instant
  answer: Promise<T>
  isAnswered: boolean
}

type FreshReads<T> = (key: string, since: Instant, ask: () => Promise<T>, signal: AbortSignal) => Promise<T>

/** Shares a question among callers; it goes on when its first caller leaves. */
export function createCachedReads<T>({ now }: Pick<Clock, 'now'>): FreshReads<T> {
  const reads = new Map<string, Read<T>>()
  /** Also true after the clock was set back. */
  const isYoung = ({ askedAt }: Read<T>) => Math.abs(now() - askedAt) <= FRESH

  function begin(key: string, ask: () => Promise<T>): Read<T> {
    const read: Read<T> = { askedAt: now(), answer: ask(), isAnswered: false }
    // Insertion order is age order: old entries stand in front.
    reads.delete(key)
    reads.set(key, read)
    const failed = () => reads.get(key) === read && reads.delete(key)
    read.answer.then(() => {
      read.isAnswered = true
    }, failed)
    return read
  }

  function discardOld(): void {
    for (const [key, read] of reads) {
      if (!read.isAnswered || isYoung(read)) return
      reads.delete(key)
    }
  }

  return async (key, since, ask, signal) => {
    discardOld()
    const before = reads.get(key)
    const isFresh = before && before.askedAt >= since && (!before.isAnswered || isYoung(before))
    const { answer } = isFresh ? before : begin(key, ask)
    return await orLeave(answer, signal)
  }
}
