import { isSameArticle } from '../domain/catalogue/article-number.ts'
import type { SubmittedOrder } from '../domain/catalogue/submitted.ts'
import { POS_ORDER_CREATED, posOrder } from '../domain/orders/order.ts'
import type { OrderSeen } from '../domain/orders/order-evidence.ts'
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
import { payloadOf } from '../domain/queue/event.ts'
import { HeldError, RetryLaterError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { parseDecimal, sumDecimals } from '../domain/values/money.ts'
import { phoneOf } from '../domain/values/phone.ts'
import type { Clock } from '../lib/clock.ts'
import { rejectedText } from '../platform/http/read.ts'
import type { Mappings } from '../platform/payloads/mapping/mapping.ts'
import { readSale } from '../platform/payloads/sale.ts'
import type { Platform } from '../platform/platform.ts'
import type { PlatformOrder } from '../platform/resources/orders.ts'
import type { Storage } from '../storage/storage.ts'
import type { NumberedOrder, OrderReader, SettlementReader } from './inputs.ts'
import { createFreshReads, createSentLog, type Verifier } from './verify.ts'

interface Options {
  clock: Clock
  trusts: boolean
  mappings?: Mappings
  kindAt?: (url: string) => string | null
  knownSubscriptions?: () => Promise<readonly { webhookId: string; kind: string }[]>
  storeName(storeId: string): string | null
}

const SUBMITTED = ['OrderChangeSubmitted', 'OrderSubmitted']

export function createOrderReader(
  storage: Pick<Storage, 'events' | 'event'>,
  platform: Pick<Platform, 'orders' | 'products' | 'webhooks' | 'events' | 'operations'> | null,
  { clock, trusts, mappings, kindAt, knownSubscriptions, storeName }: Options,
): OrderReader {
  const read = createFreshReads<PlatformOrder | null>(clock)

  async function ofPlatform(number: string, since: Instant, signal: AbortSignal): Promise<PlatformOrder | null> {
    if (!platform) return null
    const order = await read(number, since, () => platform.orders.read(number), signal)
    return order?.orderNo === number ? order : null
  }

  function verifierOf(): Verifier {
    if (trusts) return 'operator'
    if (!platform) return 'none'
    return {
      order: async (...asked) => seenOf(await ofPlatform(...asked)),
      knowsOrders: () => platform.operations.isProven('orders.read'),
      sent: createSentLog(platform, { clock, mappings, kindAt, known: knownSubscriptions }),
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

function seenOf(order: PlatformOrder | null): OrderSeen | null {
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
      if (found) return found
      unreadable ??= rejectedText(rejected)
    }
    const [why, code] =
      unreadable === null
        ? [`the platform does not list settlement ${settlementId} yet`, 'not-listed']
        : [`settlement ${settlementId} is not among those that can be read: ${unreadable}`, 'not-readable']
    throw new RetryLaterError(why, { code })
  }
}
