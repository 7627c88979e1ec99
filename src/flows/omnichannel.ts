import type { Reservation } from '../domain/catalogue/goods.ts'
import type { SubmittedCancellation, SubmittedOrder } from '../domain/catalogue/submitted.ts'
import { tillOrder } from '../domain/orders/order.ts'
import type { OrderClaim } from '../domain/orders/order-evidence.ts'
import * as facts from '../domain/orders/order-facts.ts'
import {
  doubtOf,
  isDeclined,
  mergedLines,
  type OrderLineUpdate,
  type OrderReturn,
  type OrderUpdate,
  type Shipment,
} from '../domain/orders/order-update.ts'
import type { RefundClaim } from '../domain/orders/refund-evidence.ts'
import type { SaleClaim } from '../domain/orders/sale-evidence.ts'
import { type Event, keyPart, PLATFORM, payloadOf } from '../domain/queue/event.ts'
import { digestOf } from '../domain/values/digest.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { text } from '../domain/values/field.ts'
import { compareDecimals, type Decimal, parseDecimal, subtractDecimals, sumDecimals } from '../domain/values/money.ts'
import { basketOrder } from '../payloads/basket.ts'
import { readReservation } from '../payloads/goods.ts'
import { endlessAisleIdentity } from '../payloads/identity.ts'
import { factsOfOne, stepsOfOne } from '../payloads/one-order.ts'
import { readOrderReturn, readOrderUpdate } from '../payloads/order-update.ts'
import { readSale } from '../payloads/sale.ts'
import { readable } from '../payloads/unread.ts'
import type { DeclinedGoods, OrdersCall, ReturnedGoods } from '../ports/orders.ts'
import type { Flow, Known, Ledger, Planned, Step } from './flow.ts'

/*
 * Online orders and stores (spec, "What the service does" 4; "Omnichannel order status"; Events 4 to 6). An update is the
 * whole order, without a time: what it calls for is brought about once, and a state that a later one has overtaken calls
 * for nothing. Rank: UnHandled < Picked < Shipped; Rejected, Expired, Declined and Returned are final.
 */

const UPDATED = 'OmniChannelOrderUpdated'
const FULFILLED = 'OmniChannelOrderFulfilled'
const RETURNED = 'OmniChannelOrderRefundUpdated'
const RELEASED = 'StockReservationExpired'

const orders = { port: 'orders', once: true, urgency: 'prompt' } as const

/** Endless aisle: what was sold and paid at a till becomes an order of the online shop. */
export const createOrder: Flow = {
  ...orders,
  name: 'create-order',
  kinds: ['OmniChannelEndlessAisleOrderCreated'],
  method: 'create',
  clock: 'created',
  plan({ entity, payload }) {
    const orderNo = text(payload, 'orderNo')
    return [{ part: '', entity: orderNo === null ? entity : facts.makingEntity(orderNo) }]
  },
  claims: claimsSold,
  call: (event) => ({ port: 'orders', method: 'create', argument: tillOrder(readSale(readable(event))) }),
}

/** The Online Checkout button of the till: the basket waits in the shop for the customer to pay. */
export const draftOrder: Flow = {
  ...orders,
  name: 'draft-order',
  kinds: ['SavedForOnlineCheckoutCreated'],
  method: 'draft',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'orders', method: 'draft', argument: basketOrder(readable(event)) }),
}

/** Picked, of a pickup order: the customer can be told. */
export const orderReady: Flow = {
  ...orders,
  name: 'order-ready',
  kinds: [UPDATED],
  method: 'ready',
  onUnknown: 'repeat',
  clock: 'told',
  plan: stepsOfOne(readySteps),
  orderOf,
  madeBy,
  stillHolds: (status) => status === 'Picked',
  claims: claimsPicked,
  call: (event) => ({ port: 'orders', method: 'ready', argument: updateOf(event) }),
}

/** Shipped, of a pickup order: the customer has it, and the payment can be captured. Fulfilled says the same. */
export const orderCollected: Flow = {
  ...orders,
  name: 'order-collected',
  kinds: [UPDATED, FULFILLED],
  method: 'collected',
  onUnknown: 'hold',
  clock: 'captured',
  plan: stepsOfOne(collectedSteps),
  proves: factsOfOne(provenByUpdate),
  orderOf,
  madeBy,
  stillHolds: (status) => status === 'Shipped',
  contradiction: (event) =>
    `the store says that the customer has order ${orderOf(event)}, after it was called expired or rejected. If its money was given back, the goods went for nothing: ask the store. Release this to take the payment, or skip it`,
  claims: claimsCollected,
  prior: (event) => namesOf(facts.anyDeclined(updateOf(event).number), event),
  call(event, _, { prior, released }) {
    const order = updateOf(event)
    const gone = released === null ? goneAfterAll(order, prior) : null
    if (gone !== null)
      throw new HeldError(
        `the store says that the customer has the line ${gone} of order ${order.number}, which it had declined, so that it was given back or taken off. Ask the store. Release this to take the payment for the rest, or skip it`,
        { code: 'contradiction' },
      )
    return { port: 'orders', method: 'collected', argument: order }
  },
}

/** Declined: the customer is informed, and what was reserved is given back. All that is Rejected is declined. */
export const declineGoods: Flow = {
  ...orders,
  name: 'decline-goods',
  kinds: [UPDATED],
  method: 'decline',
  onUnknown: 'hold',
  clock: 'declined',
  plan: stepsOfOne(declinedSteps),
  orderOf,
  madeBy,
  stillHolds: (status) => status === 'Rejected',
  claims: claimsDeclined,
  ledger(event, { part }) {
    const order = updateOf(event)
    const { number, platformId } = order
    const lines = declinedLines(order)
    const effects = (key: string) => facts.declined(number, key, '')
    const ofNumber = ledgerOf('declined', number, lines, part, effects)
    if (platformId === null) return ofNumber
    const of = `${number}/@${keyPart(platformId)}`
    const own = ledgerOf('declined', of, lines, part, (key) => facts.ofOneOrder(effects(key), platformId))
    return { ...own, ofNumber: { id: ofNumber.id, effects: ofNumber.effects, of: `${number}/` } }
  },
  call(event, { part }, known) {
    const order = updateOf(event)
    const line = lineOf(declinedLines(order), part)
    return rest(line, known, (quantity) => {
      const argument: DeclinedGoods = { order, line, quantity }
      return { port: 'orders', method: 'decline', argument }
    })
  },
}

/** Expired, or the reservation of the order ran out. */
export const orderExpired: Flow = {
  ...orders,
  name: 'order-expired',
  kinds: [UPDATED, RELEASED],
  method: 'expire',
  onUnknown: 'hold',
  clock: 'expired',
  plan: stepsOfOne(expiredSteps),
  proves(event) {
    const number = event.kind === RELEASED ? expiredOrder(event) : null
    return number === null ? [] : [facts.expired(number)]
  },
  orderOf,
  madeBy,
  stillHolds: (status) => status === 'Expired',
  claims: claimsExpired,
  call(event) {
    const lines = event.kind === UPDATED ? updateOf(event).lines : []
    return { port: 'orders', method: 'expire', argument: { number: orderOf(event) ?? unreadable('orderNo'), lines } }
  },
}

/** Ship from store: one shipment for each parcel (Events 5). */
export const createShipment: Flow = {
  ...orders,
  name: 'create-shipment',
  kinds: [UPDATED, FULFILLED],
  method: 'ship',
  onUnknown: 'hold',
  clock: 'shipped',
  plan: stepsOfOne(shipmentSteps),
  madeBy,
  claims: (event, { part }) => ({ order: updateOf(event).number, is: 'packed', parcel: parcelOf(event, part).id }),
  prior: (event, { part }) => namesOf(facts.packed(updateOf(event).number, parcelOf(event, part).id, null), event),
  call(event, { part }, { prior, released }) {
    const order = updateOf(event)
    const parcel = parcelOf(event, part)
    if (parcel.items.length === 0) unreadable(`the id or the contents of the parcel ${part}`)
    const known = facts.packed(order.number, parcel.id, null)
    // Of one that an earlier version sent, nobody knows what was in it.
    if (prior.includes(known)) return null
    if (
      released === null &&
      prior.some((effect) => namesOf(known, event).some((name) => effect.startsWith(`${name}/`)))
    )
      throw new HeldError(
        `the parcel ${parcel.id} of order ${order.number} was announced before with other contents, and the shop was told of those. Ask the store what is in it, correct the shop, then skip this; released, it is sent to the shop as it is now`,
        { code: 'contradiction' },
      )
    return { port: 'orders', method: 'ship', argument: { order, parcel } }
  },
}

/** Buy online, return in store, where the shop must give the money back. Not once the till says that it has. */
export const refundGoods: Flow = {
  ...orders,
  name: 'refund-goods',
  kinds: [RETURNED],
  method: 'refund',
  onUnknown: 'hold',
  clock: 'refunded',
  plan: (event) => returnedSteps(event, false),
  proves: ({ kind, payload }) => {
    const refund = kind === RETURNED ? readOrderReturn(payload) : null
    return refund?.isRefunded ? [facts.paidBack(refund.number, refund.refundId)] : []
  },
  ledger: (event, step) => ({ ...returnedLedger(event, step), pays: true }),
  madeBy: (event) => facts.makingEntity(returnOf(event).number),
  claims: claimsReturned,
  call: (event, step, known) => returnedCall(event, step, known, 'refund'),
}

/** The same, where the till has given it back already: the shop's books follow, its money stays. */
export const noteRefund: Flow = {
  ...orders,
  name: 'note-refund',
  kinds: [RETURNED],
  method: 'noteRefund',
  onUnknown: 'repeat',
  plan: (event) => returnedSteps(event, true),
  ledger: returnedLedger,
  madeBy: (event) => facts.makingEntity(returnOf(event).number),
  claims: claimsReturned,
  call: (event, step, known) => returnedCall(event, step, known, 'noteRefund'),
}

/** An online order for a store: to pick up, to pay there, or to ship from there (spec, POST /api/Omnichannel). */
export const submitOrder: Flow = {
  name: 'submit-order',
  kinds: ['OrderSubmitted'],
  port: 'platform',
  once: true,
  urgency: 'prompt',
  clock: 'placed',
  plan({ entity, payload }) {
    const orderNo = text(payload, 'orderNo')
    if (orderNo === null) return [{ part: '', entity }]
    // One that waits, or is tried again later, must not come to the store after its cancellation.
    return [{ part: '', entity, effect: facts.placed(orderNo), unless: [facts.cancelled(orderNo)] }]
  },
  call: (event) => ({ port: 'platform', method: 'createOrder', argument: payloadOf(event) as SubmittedOrder }),
}

/** The order as it is now, in place of what the platform has (facts, PUT /api/OmniChannel). */
export const changeOrder: Flow = {
  name: 'change-order',
  kinds: ['OrderChangeSubmitted'],
  port: 'platform',
  urgency: 'prompt',
  latestWins: true,
  plan: ({ entity, payload }) => {
    const orderNo = text(payload, 'orderNo') ?? ''
    return [{ part: '', entity, unless: [facts.cancelled(orderNo)] }]
  },
  call: (event) => ({ port: 'platform', method: 'changeOrder', argument: payloadOf(event) as SubmittedOrder }),
}

/** The order is off before the customer had it (facts, DELETE /api/OmniChannel). */
export const cancelOrder: Flow = {
  name: 'cancel-order',
  // Of one that no store ever had, the platform need not hear.
  kinds: ['OrderCancelSubmitted', 'OrderCalledOff'],
  port: 'platform',
  urgency: 'prompt',
  plan: ({ kind, entity }) => (kind === 'OrderCalledOff' ? [] : [{ part: '', entity }]),
  proves: ({ kind, payload }) => {
    const orderNo = text(payload, 'orderNo')
    if (orderNo === null) return []
    return [kind === 'OrderCalledOff' ? facts.neverPlaced(orderNo) : facts.cancelled(orderNo)]
  },
  call: (event) => ({ port: 'platform', method: 'cancelOrder', argument: payloadOf(event) as SubmittedCancellation }),
}

const ZERO = parseDecimal(0)

/** The steps of orders that are ready; messages to customers have the same. */
export function readySteps({ kind, payload }: Planned): Step[] {
  const order = kind === UPDATED ? readOrderUpdate(payload) : null
  if (!order || order.shipments || order.status !== 'Picked' || isAllDeclined(order)) return []
  const { number } = order
  const unless = [facts.collected(number), facts.expired(number), facts.rejected(number)]
  return [stepOf(number, '', facts.told(number), unless)]
}

/** Nothing of it lies there, whatever the order itself is called. */
function isAllDeclined({ lines }: OrderUpdate): boolean {
  return lines.length > 0 && lines.every(({ status }) => isDeclined(status))
}

export function collectedSteps({ kind, payload }: Planned): Step[] {
  const order = readOrderUpdate(payload)
  if (!order || order.shipments || !isCollected(kind, order)) return []
  const { number } = order
  return [stepOf(number, '', facts.captured(number), [facts.expired(number), facts.rejected(number)])]
}

/** The line of which the customer has more than is left after what was declined before; null: none. */
function goneAfterAll(order: OrderUpdate, prior: readonly string[]): string | null {
  const now = new Map(declinedLines(order).map(({ key, quantity }) => [key, quantity]))
  const has = new Set(order.lines.filter(({ status }) => !isDeclined(status)).map(({ key }) => key))
  for (const effect of prior) {
    const [key = '', quantity = ''] = effect.split('/').slice(-2)
    const declined = now.get(key)
    if (has.has(key) && (!declined || compareDecimals(declined, parseDecimal(decodeURIComponent(quantity))) < 0))
      return key
  }
  return null
}

export function declinedSteps({ payload }: Planned): Step[] {
  const order = readOrderUpdate(payload)
  if (!order) return []
  const { number } = order
  const lines = declinedLines(order)
  // All of it is declined, and nobody can read what that is: it must be seen.
  if (order.status === 'Rejected' && lines.length === 0)
    return [stepOf(number, 'all', facts.declined(number, 'all', 'unread'))]
  // Goods that the customer has fetched are not given back because of a late word; single lines were not fetched.
  const unless = order.status === 'Rejected' ? [facts.collected(number)] : []
  return lines.map((line) =>
    stepOf(number, line.key, facts.declined(number, line.key, line.quantity ?? 'unread'), unless),
  )
}

export function expiredSteps(event: Planned): Step[] {
  const number = expiredOrder(event)
  return number === null ? [] : [stepOf(number, '', facts.calledOff(number), [facts.collected(number)])]
}

/** Goods go out for it: that somebody paid is the platform's word, not that of whoever has the webhook token. */
function claimsSold(event: Event): SaleClaim {
  const payload = payloadOf(event)
  const sale = endlessAisleIdentity(payload, PLATFORM) ?? unreadable('what the sale is told apart by')
  const number = text(payload, 'orderNo') ?? text(payload, 'receiptNo')
  return { is: 'sold', kind: event.kind, sale, named: `the sale of order ${number}` }
}

/* What the platform must know, too, before customers are told of it and money moves; messages claim the same. */

export function claimsPicked(event: Event): OrderClaim {
  return { order: updateOf(event).number, is: 'picked' }
}

export function claimsCollected(event: Event): OrderClaim {
  return { order: updateOf(event).number, is: 'collected' }
}

export function claimsDeclined(event: Event, { part }: Pick<Step, 'part'>): OrderClaim {
  const order = updateOf(event)
  return { order: order.number, is: 'declined', line: lineOf(declinedLines(order), part) }
}

export function claimsExpired(event: Event): OrderClaim {
  return { order: orderOf(event) ?? unreadable('orderNo'), is: 'expired' }
}

function claimsReturned(event: Event, { part }: Pick<Step, 'part'>): RefundClaim {
  const { number, refundId, isRefunded, lines } = returnOf(event)
  const line = lineOf(lines, part)
  return { order: number, is: 'returned', refundId, isRefunded, line: { key: line.key, quantity: quantityOf(line) } }
}

/** The number of the order that an event is about. */
export function orderOf(event: Event): string | null {
  const { kind } = event
  return kind === RELEASED ? expiredOrder({ kind, payload: payloadOf(event) }) : updateOf(event).number
}

/** How a fact of an update's order is named: by its number, and as that of the one order (payloads/one-order.ts). */
function namesOf(fact: string, event: Event): string[] {
  const { platformId } = updateOf(event)
  return platformId === null ? [fact] : [facts.ofOneOrder(fact, platformId), fact]
}

function madeBy(event: Event): string | null {
  const number = orderOf(event)
  return number === null ? null : facts.makingEntity(number)
}

/** What was declined of an order, one of a `key`: lines that say so, and all of one that is Rejected. */
export function declinedLines({ status, lines }: OrderUpdate): OrderLineUpdate[] {
  return mergedLines(lines.filter((line) => status === 'Rejected' || isDeclined(line.status)))
}

export function updateOf(event: Pick<Event, 'body'>): OrderUpdate {
  return readOrderUpdate(payloadOf(event)) ?? unreadable('orderNo or status')
}

/** The number of the order that an event says is over because nobody came; null: it does not say so. */
function expiredOrder({ kind, payload }: Pick<Planned, 'kind' | 'payload'>): string | null {
  if (kind === RELEASED) {
    const reservation = readReservation(payload)
    return ranOut(reservation) ? reservation.orderNo : null
  }
  const order = readOrderUpdate(payload)
  return order?.status === 'Expired' ? order.number : null
}

/**
 * Goods are let go by time, or by hand after a decline or a cancellation (Events 21), and the payload is not shown: it counts
 * as expired where it says so, or where it was let go when its time was over.
 */
function ranOut({ status, expiresAt, releasedAt }: Reservation): boolean {
  if (status !== null) return status === 'Expired'
  if (expiresAt === null || releasedAt === null || hasZone(expiresAt) !== hasZone(releasedAt)) return false
  return Date.parse(inUtc(releasedAt)) >= Date.parse(inUtc(expiresAt))
}

function hasZone(time: string): boolean {
  return /(?:Z|[+-]\d\d:?\d\d)$/i.test(time)
}

/** Of two times without a zone, it does not matter which they are in. */
function inUtc(time: string): string {
  return hasZone(time) ? time : `${time}Z`
}

/** That a parcel was sent as it is: with other contents, it is another word. */
function packedAs(number: string, { id, items }: Shipment): string {
  return facts.packed(number, id, digestOf(items.toSorted((a, b) => (a.gtin < b.gtin ? -1 : 1))).slice(0, 12))
}

function isCollected(kind: string, { status }: OrderUpdate): boolean {
  return kind === FULFILLED || status === 'Shipped'
}

function shipmentSteps({ payload }: Planned): Step[] {
  const order = readOrderUpdate(payload)
  if (!order?.shipments) return []
  const { number, shipments } = order
  // What cannot be read today may be whole tomorrow: that is owed, too.
  return shipments.map(({ id, items }) =>
    stepOf(
      number,
      keyPart(id),
      items.length > 0 ? packedAs(number, { id, items }) : facts.packed(number, `unread ${id}`, null),
    ),
  )
}

/** What an update proves by its status; an unknown status proves nothing, so that it is seen as not acted on. */
function provenByUpdate({ kind, payload }: Planned): string[] {
  const order = readOrderUpdate(payload)
  if (!order) return []
  const { number, status, shipments } = order
  const known = [facts.placed(number)]
  if (isCollected(kind, order)) return shipments ? known : [...known, facts.collected(number)]
  switch (status) {
    case 'UnHandled':
    case 'Picked':
    case 'Returned':
      return known
    case 'Rejected':
      return [...known, facts.rejected(number)]
    case 'Expired':
      return [...known, facts.expired(number)]
    default:
      return []
  }
}

function returnedSteps({ payload }: Planned, isRefunded: boolean): Step[] {
  const refund = readOrderReturn(payload)
  if (refund?.isRefunded !== isRefunded) return []
  const { number, refundId, lines } = refund
  const unless = isRefunded ? [] : [facts.paidBack(number, refundId)]
  return lines.map((line) => {
    const doubt = doubtOf(refund, line)
    const quantity = line.quantity ?? 'unread'
    const what = doubt === null ? quantity : `doubtful ${quantity}`
    const step = stepOf(number, line.key, facts.returned(number, refundId, line.key, what), unless)
    // It waits for a person, and nothing waits for it: the word that counts may come next.
    return doubt === null ? step : { ...step, entity: null }
  })
}

function returnedLedger(event: Event, { part }: Pick<Step, 'part'>) {
  const { number, refundId, lines } = returnOf(event)
  const of = `${number}/${keyPart(refundId)}`
  return ledgerOf('returned', of, lines, part, (key) => facts.returned(number, refundId, key, ''))
}

function ledgerOf(
  kind: string,
  of: string,
  lines: readonly OrderLineUpdate[],
  part: string,
  effects: (key: string) => string,
): Ledger {
  const line = lineOf(lines, part)
  const { key, gtin } = line
  const same = lines.filter((other) => other.gtin === gtin)
  const article = gtin && {
    of: `${of}/`,
    key: keyPart(gtin),
    keys: same.map((other) => other.key),
    level: sumDecimals(same.flatMap(({ quantity }) => quantity ?? [])),
  }
  return { kind, id: `${of}/${key}`, level: quantityOf(line), effects: effects(key), article: article || null }
}

function returnedCall(
  event: Event,
  { part }: Pick<Step, 'part'>,
  known: Known,
  method: 'refund' | 'noteRefund',
): OrdersCall | null {
  const refund = returnOf(event)
  const line = lineOf(refund.lines, part)
  const doubt = doubtOf(refund, line)
  if (doubt !== null && known.released === null)
    throw new HeldError(`${doubt}: whether goods came back and money is due is for a person to say`, {
      code: 'unknown-word',
    })
  const call = rest(line, known, (quantity): OrdersCall => {
    const argument: ReturnedGoods = { refund, line, quantity }
    return { port: 'orders', method, argument }
  })
  if (call === null && method === 'noteRefund' && known.released === null && known.paid)
    throw new HeldError(
      `the till says that it has given the money of refund ${refund.refundId} back (line ${line.key} of order ${refund.number}), after it had said that the shop must, which the shop has done: the customer may have it twice. Ask the store, then skip this`,
      { code: 'contradiction' },
    )
  return call
}

/** The call about what the destination was not told yet. */
function rest<C>(line: OrderLineUpdate, { told }: Known, call: (quantity: Decimal) => C): C | null {
  const quantity = subtractDecimals(quantityOf(line), told)
  return compareDecimals(quantity, ZERO) > 0 ? call(quantity) : null
}

function stepOf(number: string, part: string, effect: string, unless: readonly string[] = []): Step {
  return { part, entity: facts.orderEntity(number), effect, unless }
}

function returnOf(event: Event): OrderReturn {
  return readOrderReturn(payloadOf(event)) ?? unreadable('orderNo, id or isRefunded')
}

function lineOf(lines: readonly OrderLineUpdate[], part: string): OrderLineUpdate {
  return lines.find(({ key }) => key === part) ?? unreadable(`the line ${part}`)
}

function parcelOf(event: Event, part: string): Shipment {
  return updateOf(event).shipments?.find(({ id }) => keyPart(id) === part) ?? unreadable('shipments')
}

function quantityOf({ quantity, key }: OrderLineUpdate): Decimal {
  return quantity ?? unreadable(`a quantity above 0 in the line ${key}`)
}

function unreadable(what: string): never {
  throw new PermanentError(`the order lacks ${what}`, { code: 'bad-order' })
}
