import type { Reservation } from '../domain/catalogue/goods.ts'
import * as facts from '../domain/orders/order-facts.ts'
import { makingEntity, orderEntity, unknownWords, unread } from '../domain/orders/order-facts.ts'
import {
  hasParcels,
  isDeclined,
  mergedLines,
  type OrderLineUpdate,
  type OrderUpdate,
} from '../domain/orders/order-update.ts'
import { type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { compareDecimals, type Decimal, subtractDecimals, sumDecimals, ZERO } from '../domain/values/money.ts'
import { hasZone, wallClockInstant } from '../domain/values/store-time.ts'
import { readReservation } from '../platform/payloads/goods.ts'
import { readOrderReturn, readOrderUpdate, stepsOfOne } from '../platform/payloads/order-update.ts'
import type { AppliedQuantity } from './context.ts'
import type { CallContext, EventToRoute, Flow, Step } from './flow.ts'
import { dependsOn } from './guards.ts'

/** Spec, "What the service does" 4; "Omnichannel order status"; Events 4 to 6. */

export const UPDATED = 'OmniChannelOrderUpdated'
export const FULFILLED = 'OmniChannelOrderFulfilled'
export const orders = { port: 'orders', atMostOnce: true, urgency: 'prompt' } as const

export function orderOf(event: Event): string | null {
  const { kind } = event
  return kind === RELEASED ? expiredOrder({ kind, payload: payloadOf(event) }) : updateOf(event).number
}

export function namesOf(fact: string, event: Event): string[] {
  const { platformId } = updateOf(event)
  return platformId === null ? [fact] : [facts.ofOneOrder(fact, platformId), fact]
}

export function declinedLines({ status, lines }: OrderUpdate): OrderLineUpdate[] {
  return mergedLines(lines.filter((line) => status === 'Rejected' || isDeclined(line.status)))
}

export function updateOf(event: Pick<Event, 'body'>): OrderUpdate {
  return readOrderUpdate(payloadOf(event)) ?? unreadable('orderNo or status')
}

export function stepOf(number: string, part: string, effect: string, unless: readonly string[] = []): Step {
  return { part, entity: orderEntity(number), effect, unless }
}

export function shippingSource(event: Event): 'submissions' | 'anyone' | null {
  const order = updateOf(event)
  if (hasParcels(order)) return null
  return leavesOpen(order) ? 'anyone' : 'submissions'
}

export function leavesOpen({ shipments }: Pick<OrderUpdate, 'shipments'>): boolean {
  return shipments?.length === 0
}

/** Throws a HeldError if nothing tells. */
export function isFetched(event: Event, { isSent, released }: Pick<CallContext, 'isSent' | 'released'>): boolean {
  if (released !== null) return true
  if (isSent !== null) return !isSent
  if (!leavesOpen(updateOf(event))) return true
  throw new HeldError(
    `the platform lists no parcels of order ${orderOf(event)}, and neither a submission nor its record says whether the customer fetches it. Release this if so, skip it if the store sends it`,
    { code: 'fetched-or-sent' },
  )
}

/** Waits for the delivery that creates the order. */
export const afterCreation = dependsOn((event) => {
  const number = orderOf(event)
  return number === null ? null : makingEntity(number)
})

export function appliedQuantityOf(
  kind: string,
  of: string,
  lines: readonly OrderLineUpdate[],
  part: string,
  effects: (key: string) => string,
): AppliedQuantity {
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

export function rest<C>(line: OrderLineUpdate, { reported }: CallContext, call: (quantity: Decimal) => C): C | null {
  const quantity = subtractDecimals(quantityOf(line), reported)
  return compareDecimals(quantity, ZERO) > 0 ? call(quantity) : null
}

export function lineOf(lines: readonly OrderLineUpdate[], part: string): OrderLineUpdate {
  return lines.find(({ key }) => key === part) ?? unreadable(`the line ${part}`)
}

export function quantityOf({ quantity, key }: OrderLineUpdate): Decimal {
  return quantity ?? unreadable(`a quantity above 0 in the line ${key}`)
}

export function unreadable(what: string): never {
  throw new PermanentError(`the order lacks ${what}`, { code: 'bad-order' })
}

export function expiredOrder({ kind, payload }: Pick<EventToRoute, 'kind' | 'payload'>): string | null {
  if (kind === RELEASED) {
    const reservation = readReservation(payload)
    return ranOut(reservation) ? reservation.orderNo : null
  }
  const order = readOrderUpdate(payload)
  return order?.status === 'Expired' ? order.number : null
}

/** Events 21 also cover manual release: expired if it says so, or was released after its time. */
function ranOut({ status, expiresAt, releasedAt }: Reservation): boolean {
  if (status !== null) return status === 'Expired'
  if (expiresAt === null || releasedAt === null || hasZone(expiresAt) !== hasZone(releasedAt)) return false
  const [released, expires] = [wallClockInstant(releasedAt, null), wallClockInstant(expiresAt, null)]
  return released !== null && expires !== null && released >= expires
}

export const RELEASED = 'StockReservationExpired'

export function isCollected(kind: string, { status }: OrderUpdate): boolean {
  return kind === FULFILLED || status === 'Shipped'
}

export function provenByUpdate({ kind, payload }: EventToRoute): string[] {
  const order = readOrderUpdate(payload)
  if (!order) return []
  const { number, status } = order
  const known = [facts.placed(number)]
  if (isCollected(kind, order)) return hasParcels(order) ? known : [...known, facts.collected(number)]
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

export const UNKNOWN_WORD = 'unknown-word'

/** Unreadable order news (unknown status, missing number) is held and blocks nothing. */
export const orderUnread: Flow = {
  name: 'order-unread',
  port: 'orders',
  kinds: ['OmniChannelOrderUpdated', 'OmniChannelOrderFulfilled', 'OmniChannelOrderRefundUpdated'],
  atMostOnce: true,
  perDestination: true,
  whenInDoubt: 'hold',
  urgency: 'prompt',
  plan: stepsOfOne((event) => doubtsAbout(event).map(({ step }) => step)),
  call(event, { part }, { released }) {
    const caveat = doubtsAbout({ kind: event.kind, payload: payloadOf(event) }).find(({ step }) => step.part === part)
    if (released !== null || caveat === undefined) return null
    throw new HeldError(
      `${caveat.why}: what that means for the shop is for a person to say. See to it there, then skip this.`,
      {
        code: UNKNOWN_WORD,
      },
    )
  },
}

interface Caveat {
  step: Step
  why: string
}

function doubtsAbout({ kind, payload }: Pick<EventToRoute, 'kind' | 'payload'>): Caveat[] {
  if (kind === 'OmniChannelOrderRefundUpdated') return doubtsAboutRefund(payload)
  const order = readOrderUpdate(payload)
  if (!order) return [lacking('the order lacks orderNo or status')]
  const words = unknownWords(order)
  // The kind of a fulfilled event tells its status.
  const telling = kind === 'OmniChannelOrderFulfilled' ? words.filter(({ of }) => of === 'line') : words
  return telling.map(({ word, of }) => ({
    step: { part: keyPart(word), entity: null, effect: unread(order.number, word) },
    why: `${of === 'line' ? 'a line' : 'the status'} of order ${order.number} is called ${word}, which the hub does not know`,
  }))
}

function doubtsAboutRefund(payload: unknown): Caveat[] {
  const refund = readOrderReturn(payload)
  if (!refund) return [lacking('the refund lacks orderNo, id, or isRefunded (true or false)')]
  if (refund.lines.length > 0) return []
  const { number, refundId, isRefunded } = refund
  const who = isRefunded ? 'the POS has given the money back' : 'the shop must give the money back'
  const part = `no-goods-${isRefunded ? 'paid' : 'pending'}`
  return [
    {
      step: { part, entity: null, effect: unread(number, `${refundId} ${part}`) },
      why: `the refund ${refundId} of order ${number} names no goods, and ${who}`,
    },
  ]
}

function lacking(why: string): Caveat {
  return { step: { part: 'lacking', entity: null }, why }
}
