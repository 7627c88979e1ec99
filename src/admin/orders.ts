import { contradictionOf } from '../domain/orders/contradiction.ts'
import { orderEntity } from '../domain/orders/order-facts.ts'
import type { OrderLineUpdate } from '../domain/orders/order-update.ts'
import { joined, lineInEnglish, type Piece, type StoryMessage, say } from '../domain/orders/story.ts'
import { PLATFORM, payloadOf } from '../domain/queue/event.ts'
import { field, idText, list } from '../domain/values/field.ts'
import type { Instant } from '../domain/values/instant.ts'
import { readDecimal, sumDecimals } from '../domain/values/money.ts'
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
  /** `what`, for readers of other languages. */
  says: Piece[]
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
  summary: Piece[] | null,
): TimelineEntry {
  const isOwn = origin !== PLATFORM
  const name = joined(' ', [
    revision > 1 ? `${kind} (${revision})` : kind,
    isOwn ? say('story.by', { by: origin }) : null,
    isOwn && submission ? say('story.submission', { id: submission.id }) : null,
  ])
  const unusual = problem ?? (state === 'routed' ? null : { list: 'state' as const, word: state })
  return entry(receivedAt, isOwn ? 'submission' : 'event', joined(': ', [name, summary, unusual]), { event: id })
}

function ofDelivery({ id, flow, part, destination, attempts, audit }: DeliveryDetail): TimelineEntry[] {
  const name = [say('story.to', { flow: part ? `${flow}/${part}` : flow, destination }), ': ']
  const type = MESSAGE.test(flow) ? ('message' as const) : ('attempt' as const)
  const tries = attempts.map(({ at, ms, outcome, code, note }) => {
    const became = [{ list: 'outcome' as const, word: outcome }, outcome === code ? '' : ` (${code})`]
    return entry(at + ms, type, joined(', ', [[...name, ...became], note]), { delivery: id, outcome })
  })
  const acts = audit.map(({ at, by, action, reason, changed }) => {
    const of = changed > 1 ? say('story.one-of', { n: changed }) : null
    const act = joined(' ', [{ list: 'did', word: action }, say('story.by', { by }), of])
    return entry(at, 'operator', joined(', ', [[...name, ...act], reason]), { delivery: id })
  })
  return [...tries, ...acts]
}

function ofLookup({ at, found, missing, ms }: LookupRow): TimelineEntry {
  const where = found.length > 0 ? say('story.found', { places: found.join(', ') }) : say('story.not-found')
  const silent = missing.length > 0 ? say('story.no-answer', { places: missing.join(', ') }) : ''
  return entry(at, 'lookup', [where, silent, ` (${ms} ms)`])
}

function entry(
  at: Instant,
  type: TimelineEntry['type'],
  says: Piece[],
  of: Pick<TimelineEntry, 'event' | 'delivery' | 'outcome'> = {},
): TimelineEntry {
  return { at, type, what: lineInEnglish(says), says, ...of }
}

const SUMMARIES: Readonly<Record<string, (payload: unknown) => Piece[] | null>> = {
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

export function summaryOf(kind: string, payload: unknown): Piece[] | null {
  return Object.hasOwn(SUMMARIES, kind) ? (SUMMARIES[kind]?.(payload) ?? null) : null
}

function ofUpdate(payload: unknown): Piece[] | null {
  const order = readOrderUpdate(payload)
  if (!order) return null
  const count = order.shipments?.length
  const parcels = count ? say('story.parcels', { n: count }) : null
  return joined(', ', [order.status, joined('; ', order.lines.map(ofLine)), parcels, at(order.stockName)])
}

function ofReturn(payload: unknown): Piece[] | null {
  const refund = readOrderReturn(payload)
  if (!refund) return null
  const lines = refund.lines.map((line) => ofLine({ ...line, status: null }))
  const money = say(refund.isRefunded ? 'story.refunded' : 'story.to-refund')
  return joined(', ', [refund.status, joined('; ', lines), money, at(refund.stockName)])
}

function ofLine({ quantity, gtin, rowId, status }: OrderLineUpdate): Piece[] {
  return [`${quantity ?? '?'} × `, gtin ?? say('story.row', { row: String(rowId) }), status ? ` ${status}` : '']
}

function ofSubmitted(payload: unknown): Piece[] {
  const paid = field(payload, 'payments')
  const isPaid = Array.isArray(paid) && paid.length > 0
  const ships = field(payload, 'shippingAddress') !== undefined
  return joined(', ', [
    say(ships ? 'story.to-ship' : 'story.to-pick-up'),
    say(isPaid ? 'story.paid' : 'story.to-pay'),
    lineCount(field(payload, 'lines')),
  ])
}

function ofSale(payload: unknown): Piece[] {
  const paid = list(payload, 'payments').flatMap((payment) => readDecimal(payment, 'amount') ?? [])
  const sale = say('story.sale', { amount: sumDecimals(paid) })
  return joined(', ', [sale, lineCount(field(payload, 'lines')), idText(payload, 'saleGuid')])
}

function ofPosSale(shape: Shape, payload: unknown): Piece[] {
  const read = fieldsOf(shape, payload)
  const [total, lines] = [read.text('total'), read.list('lines')]
  return joined(', ', [
    total && [total, read.text('currency')].filter(Boolean).join(' '),
    lines.length > 0 ? lineCount(lines) : null,
    at(read.text('storeName')),
    orElse(() => contradictionOf(readSale(payload)), null),
  ])
}

function ofReservation(payload: unknown): Piece[] {
  const { status, gtin, quantity } = readReservation(payload)
  return joined(', ', [status, gtin && `${quantity ?? '?'} × ${gtin}`])
}

function lineCount(lines: unknown): StoryMessage | null {
  return Array.isArray(lines) ? say('story.lines', { n: lines.length }) : null
}

function at(place: string | null): StoryMessage | null {
  return place ? say('story.at', { place }) : null
}
