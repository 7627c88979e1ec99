import { contradictionOf } from '../domain/orders/order.ts'
import { orderEntity } from '../domain/orders/order-facts.ts'
import { PLATFORM, payloadOf } from '../domain/queue/event.ts'
import { field, idText, list } from '../domain/values/field.ts'
import type { Instant } from '../domain/values/instant.ts'
import { readDecimal, sumDecimals } from '../domain/values/money.ts'
import { pluralize } from '../domain/values/text.ts'
import { orElse } from '../lib/or-else.ts'
import { readReservation } from '../platform/payloads/goods.ts'
import { BASKET, ENDLESS_AISLE } from '../platform/payloads/known/kinds.ts'
import { readOrderReturn, readOrderUpdate } from '../platform/payloads/order-update.ts'
import { fieldsOf, type Shape } from '../platform/payloads/read-field.ts'
import { readSale } from '../platform/payloads/sale.ts'
import type { DeliveryDetail, LookupRow, OrderHistory } from '../storage/rows.ts'
import { bodiesById } from '../storage/walk-pages.ts'
import type { AdminContext } from './context.ts'
import { type Late, readLate } from './late.ts'
import { get, NOTHING, notFound, type Route } from './routes.ts'

export interface OrderStory {
  number: string
  /** External ids. */
  links: OrderHistory['links']
  late: Late[]
  open: Omit<DeliveryDetail, 'attempts' | 'audit'>[]
  timeline: TimelineEntry[]
}

interface TimelineEntry {
  at: Instant
  type: 'event' | 'submission' | 'attempt' | 'message' | 'operator' | 'lookup'
  what: string
  event?: number
  delivery?: number
  outcome?: string
}

const DONE = ['delivered', 'superseded', 'skipped']

const MESSAGE = /^(email|text)-/

export function orderRoutes({ storage, flows, thresholds, clock }: AdminContext): Route[] {
  const allLate = () => readLate(storage, flows, thresholds, clock.now())

  async function storyOf(number: string, history: OrderHistory): Promise<OrderStory> {
    const bodies = await bodiesById(
      storage,
      history.events.filter(({ state }) => state !== 'quarantined'),
    )
    const events = history.events.map((event) => {
      const body = bodies.get(event.id)
      return ofEvent(event, body ? summaryOf(event.kind, payloadOf({ body })) : null)
    })
    const entries = [...events, ...history.deliveries.flatMap(ofDelivery), ...history.lookups.map(ofLookup)]
    const ids = new Set(history.events.map(({ id }) => id))
    return {
      number,
      links: history.links,
      late: (await allLate()).filter((one) => one.entity === orderEntity(number) || ids.has(one.event)),
      open: history.deliveries
        .filter(({ state }) => !DONE.includes(state))
        .map(({ attempts: _, audit: __, ...row }) => row),
      // Stable: equal instants stay in causal order.
      timeline: entries.sort((a, b) => a.at - b.at),
    }
  }

  return [
    get('/late', NOTHING, async () => ({ late: await allLate() })),

    get('/orders/:number', NOTHING, async ({ params }) => {
      const number = String(params.number).trim()
      const history = await storage.order(number)
      if (history.events.length + history.deliveries.length + history.lookups.length === 0)
        throw notFound(
          `Nothing is known of an order ${number}. "tillbridge find" looks for it as a receipt, an address, an id or anything else.`,
        )
      return await storyOf(number, history)
    }),
  ]
}

function ofEvent(
  { id, kind, origin, receivedAt, state, revision, submission, problem }: OrderHistory['events'][number],
  says: string | null,
): TimelineEntry {
  const isOwn = origin !== PLATFORM
  const by = isOwn ? ` by ${origin}${submission ? ` (submission ${submission.id})` : ''}` : ''
  const unusual = problem ?? (state === 'routed' ? null : state)
  const what = [`${kind}${revision > 1 ? ` (${revision})` : ''}${by}`, says, unusual].filter(Boolean).join(': ')
  return { at: receivedAt, type: isOwn ? 'submission' : 'event', what, event: id }
}

function ofDelivery({ id, flow, part, destination, attempts, audit }: DeliveryDetail): TimelineEntry[] {
  const name = `${part ? `${flow}/${part}` : flow} to ${destination}`
  const type = MESSAGE.test(flow) ? ('message' as const) : ('attempt' as const)
  const tries = attempts.map(({ at, ms, outcome, code, note }): TimelineEntry => {
    const what = [`${name}: ${outcome}${outcome === code ? '' : ` (${code})`}`, note].filter(Boolean).join(', ')
    return { at: at + ms, type, what, delivery: id, outcome }
  })
  const acts = audit.map(({ at, by, action, reason, changed }): TimelineEntry => {
    const of = changed > 1 ? ` (one of ${changed})` : ''
    return {
      at,
      type: 'operator',
      what: [`${name}: ${action} by ${by}${of}`, reason].filter(Boolean).join(', '),
      delivery: id,
    }
  })
  return [...tries, ...acts]
}

function ofLookup({ at, found, missing, ms }: LookupRow): TimelineEntry {
  const where = found.length > 0 ? `found at ${found.join(', ')}` : 'not found'
  const silent = missing.length > 0 ? `; no answer from ${missing.join(', ')}` : ''
  return { at, type: 'lookup', what: `the POS looked it up: ${where}${silent} (${ms} ms)` }
}

const SUMMARIES: Readonly<Record<string, (payload: unknown) => string | null>> = {
  OmniChannelOrderUpdated: ofUpdate,
  OmniChannelOrderFulfilled: ofUpdate,
  OmniChannelOrderRefundUpdated: ofReturn,
  OmniChannelEndlessAisleOrderCreated: (payload) => ofPosSale(ENDLESS_AISLE, payload),
  SavedForOnlineCheckoutCreated: (payload) => ofPosSale(BASKET, payload),
  OrderSubmitted: ofSubmitted,
  OrderChangeSubmitted: ofSubmitted,
  SaleSubmitted: ofSale,
  StockReservationCreated: ofReservation,
  StockReservationExpired: ofReservation,
}

export function summaryOf(kind: string, payload: unknown): string | null {
  return Object.hasOwn(SUMMARIES, kind) ? (SUMMARIES[kind]?.(payload) ?? null) : null
}

function ofUpdate(payload: unknown): string | null {
  const order = readOrderUpdate(payload)
  if (!order) return null
  const lines = order.lines.map(({ quantity, gtin, rowId, status }) => {
    return `${quantity ?? '?'} × ${gtin ?? `row ${rowId}`}${status ? ` ${status}` : ''}`
  })
  const parcels = order.shipments?.length ? `${order.shipments.length} parcels` : null
  return joined(order.status, lines.join('; '), parcels, at(order.stockName))
}

function ofReturn(payload: unknown): string | null {
  const refund = readOrderReturn(payload)
  if (!refund) return null
  const lines = refund.lines.map(({ quantity, gtin, rowId }) => `${quantity ?? '?'} × ${gtin ?? `row ${rowId}`}`)
  const money = refund.isRefunded ? 'the POS gave the money back' : 'the shop must give the money back'
  return joined(refund.status, lines.join('; '), money, at(refund.stockName))
}

function ofSubmitted(payload: unknown): string {
  const paid = field(payload, 'payments')
  const isPaid = Array.isArray(paid) && paid.length > 0
  const ships = field(payload, 'shippingAddress') !== undefined
  return joined(
    ships ? 'to be shipped from the store' : 'to be picked up',
    isPaid ? 'paid' : 'to be paid in the store',
    lineCount(field(payload, 'lines')),
  )
}

function ofSale(payload: unknown): string {
  const paid = list(payload, 'payments').flatMap((payment) => readDecimal(payment, 'amount') ?? [])
  return joined(`a sale of ${sumDecimals(paid)}`, lineCount(field(payload, 'lines')), idText(payload, 'saleGuid'))
}

function ofPosSale(shape: Shape, payload: unknown): string {
  const read = fieldsOf(shape, payload)
  const [total, lines] = [read.text('total'), read.list('lines')]
  const amount = total && [total, read.text('currency')].filter(Boolean).join(' ')
  const pluralize = lines.length > 0 ? lineCount(lines) : null
  return joined(
    amount,
    pluralize,
    at(read.text('storeName')),
    orElse(() => contradictionOf(readSale(payload)), null),
  )
}

function ofReservation(payload: unknown): string {
  const { status, gtin, quantity } = readReservation(payload)
  return joined(status, gtin && `${quantity ?? '?'} × ${gtin}`)
}

function lineCount(lines: unknown): string | null {
  if (!Array.isArray(lines)) return null
  return pluralize(lines.length, 'line')
}

function at(place: string | null): string | null {
  return place && `at ${place}`
}

function joined(...parts: (string | null)[]): string {
  return parts.filter(Boolean).join(', ')
}
