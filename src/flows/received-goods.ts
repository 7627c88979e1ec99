import type { Delivery, DeliveryLine } from '../domain/catalogue/goods.ts'
import type { SubmittedCancellation, SubmittedOrder } from '../domain/catalogue/submitted.ts'
import type { OrderClaim } from '../domain/orders/order-evidence.ts'
import { isDeclined, type OrderUpdate, unpackedGoods } from '../domain/orders/order-update.ts'
import { type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { idText } from '../domain/values/id.ts'
import { amountText, compareDecimals, parseDecimal, subtractDecimals, sumDecimals } from '../domain/values/money.ts'
import { dayIn, wallClockInstant } from '../domain/values/store-time.ts'
import { identifiersOf, readDelivery } from '../payloads/goods.ts'
import { readOrderUpdate } from '../payloads/order-update.ts'
import { readable, UNREAD, unreadOf } from '../payloads/unread.ts'
import type { ArticleLedger, Flow, Known, Planned, Step } from './flow.ts'
import { leavesOpen, updateOf } from './omnichannel/update.ts'

/*
 * Goods of deliveries that come into stores (Events 4 and 5, DeliveryCreated, DeliveryUpdated). Each event is the whole
 * delivery as it is now, so receiving some and changing a cost are two of them: what is booked is what a back office was not
 * told of before.
 */

const KINDS = ['DeliveryCreated', 'DeliveryUpdated', 'DeliveryItemsReceived', 'DeliveryCompleted']

const books = { kinds: KINDS, port: 'backOffice', urgency: 'bulk' } as const

/** The pieces of an article that have come, besides those that were booked. A level that falls again comes as a stock movement. */
export const bookReceived: Flow = {
  ...books,
  name: 'book-received',
  method: 'bookReceived',
  once: true,
  each: true,
  onUnknown: 'hold',
  plan(event) {
    if (isUnread(event)) return [{ part: UNREAD_PART, entity: null }]
    const delivery = readDelivery(event.payload)
    return delivery.lines
      .filter(hasCome)
      .map((line) => step(delivery, line, { effect: `${effectsOf(delivery, line)}${keyPart(line.received)}` }))
  },
  ledger(event, { part }) {
    if (part === UNREAD_PART) return null
    const { delivery, line } = lineOf(event, part)
    const { received: level } = line
    const id = `${delivery.deliveryId}/${line.article}`
    const article = namesOf(delivery, line, identifiersOf(readable(event)))
    return { kind: 'received', id, level, effects: effectsOf(delivery, line), article }
  },
  call(event, { part }, known) {
    const { delivery, line } = lineOf(event, part)
    const quantity = subtractDecimals(line.received, known.told)
    if (compareDecimals(quantity, ZERO) <= 0) return null
    const argument = { ...placeOf(delivery, known), delivery: without(delivery), line, quantity }
    return { port: 'backOffice', method: 'bookReceived', argument }
  },
}

/** The cost of goods that have come, where it is not the one that was told last. */
export const bookCost: Flow = {
  ...books,
  name: 'book-cost',
  method: 'bookCost',
  latestWins: true,
  plan: (event) =>
    ofDelivery(event, (delivery) =>
      delivery.lines.flatMap((line) => {
        const { cost } = line
        if (cost === null || !hasCome(line)) return []
        const entity = `${entityOf(delivery)}:cost:${keyPart(line.article)}`
        const digest = `${amountText(cost)} ${cost.currency}`
        return [{ ...step(delivery, line, { digest, ...versionOf(delivery) }), entity }]
      }),
    ),
  call(event, { part }, known) {
    const { delivery, line } = lineOf(event, part)
    const { article, gtin, cost } = line
    if (cost === null) return null
    const argument = { ...placeOf(delivery, known), delivery: without(delivery), article, gtin, cost }
    return { port: 'backOffice', method: 'bookCost', argument }
  },
}

/** The delivery is booked once nothing more will come of it. */
export const bookDelivery: Flow = {
  ...books,
  name: 'book-delivery',
  method: 'bookDelivery',
  once: true,
  each: true,
  onUnknown: 'hold',
  plan: (event) =>
    ofDelivery(event, (delivery) =>
      delivery.isCompleted || event.kind === 'DeliveryCompleted'
        ? [{ ...step(delivery, null, { effect: `booked/delivery/${keyPart(delivery.deliveryId)}` }) }]
        : [],
    ),
  call(event, _, known) {
    const delivery = readDelivery(readable(event))
    return { port: 'backOffice', method: 'bookDelivery', argument: { ...placeOf(delivery, known), delivery } }
  },
}

/** Nothing of a delivery that cannot be read: one step of `bookReceived` is held for all of it. */
function ofDelivery(event: Planned, steps: (delivery: Delivery) => Step[]): Step[] {
  return isUnread(event) ? [] : steps(readDelivery(event.payload))
}

function isUnread({ kind, payload }: Planned): boolean {
  return unreadOf(kind, payload).length > 0
}

/** No article is called so. */
const UNREAD_PART = '~unread'

function step(delivery: Delivery, line: DeliveryLine | null, more: Partial<Step>): Step {
  const { at } = delivery
  const isTime = at !== null && dayIn(at, null) !== null
  return { part: line?.article ?? '', entity: entityOf(delivery), ...(isTime && { at }), ...more }
}

/** The later one counts, whichever comes first. */
function versionOf({ at }: Delivery): { version: number | null } {
  return { version: at === null ? null : wallClockInstant(at, null) }
}

function lineOf(event: Event, part: string): { delivery: Delivery; line: DeliveryLine } {
  const delivery = readDelivery(readable(event))
  const line = delivery.lines.find(({ article }) => article === part)
  // A delivery that could not be read when it was planned: now that config names its fields, it is planned anew at the next start.
  if (part === UNREAD_PART)
    throw new HeldError('it can be read now: what it says is booked when the hub is started again', { code: UNREAD })
  if (!line) throw new PermanentError(`the delivery has no line ${part}`, { code: 'bad-delivery' })
  return { delivery, line }
}

function effectsOf({ deliveryId }: Delivery, { article }: DeliveryLine): string {
  return `booked/received/${keyPart(deliveryId)}/${keyPart(article)}/`
}

/** A line may be told by the platform's own name for it before its GTIN is told, and after: it is one line all the same. */
function namesOf(
  { deliveryId, lines }: Delivery,
  { article }: DeliveryLine,
  identifiers: ReadonlyMap<string, readonly string[]>,
): ArticleLedger | null {
  const [key, ...others] = identifiers.get(article) ?? []
  if (key === undefined) return null
  const all = new Set([key, ...others])
  const same = lines.filter((line) => identifiers.get(line.article)?.some((one) => all.has(one)))
  return {
    of: `${deliveryId}/`,
    key,
    others,
    keys: same.map(({ article }) => article),
    level: sumDecimals(same.map(({ received }) => received)),
  }
}

function entityOf({ deliveryId }: Delivery): string {
  return `delivery:${keyPart(deliveryId)}`
}

function hasCome({ received }: DeliveryLine): boolean {
  return compareDecimals(received, ZERO) > 0
}

function placeOf({ stockId, at }: Delivery, { storeOf }: Known) {
  const { zone, ...store } = storeOf({ stockId })
  return { ...store, stockId, day: at === null ? null : dayIn(at, zone) }
}

function without({ lines: _, ...delivery }: Delivery): Omit<Delivery, 'lines'> {
  return delivery
}

const ZERO = parseDecimal(0)

/*
 * Goods that are kept for an online order, on a platform that does not keep them with the order itself (`platform.reserveOrders` in
 * config). They are let go when the order is cancelled, or over; whatever is not runs out with its hours.
 */

const keeping = { port: 'platform', urgency: 'prompt' } as const

/** As many as the order says now: it is a level, so the newest counts. */
export const keepGoods: Flow = {
  ...keeping,
  name: 'keep-goods',
  kinds: ['OrderSubmitted', 'OrderChangeSubmitted'],
  method: 'keepGoods',
  latestWins: true,
  undoneBy: { flows: ['release-goods', 'release-goods-after'], leaves: () => null },
  // What the platform acknowledged of each order would be kept for good.
  plan: (event) => [{ part: '', entity: stockLineOf(event), version: null }],
  call: (event) => ({ port: 'platform', method: 'keepGoods', argument: payloadOf(event) as SubmittedOrder }),
}

export const releaseGoods: Flow = {
  ...keeping,
  name: 'release-goods',
  kinds: ['OrderCancelSubmitted'],
  method: 'releaseGoods',
  plan: (event) => [{ part: '', entity: stockLineOf(event) }],
  call: (event) => ({ port: 'platform', method: 'releaseGoods', argument: payloadOf(event) as SubmittedCancellation }),
}

/**
 * The store does not carry the order out, or the customer has it, or it is in its parcels: whether the platform lets reservations go
 * by itself that were made besides is not shown. What is let go makes no event of these kinds.
 */
export const releaseGoodsAfter: Flow = {
  ...keeping,
  name: 'release-goods-after',
  kinds: ['OmniChannelOrderUpdated', 'OmniChannelOrderFulfilled'],
  method: 'releaseGoods',
  toOrigin: true,
  plan({ kind, payload }) {
    const order = readOrderUpdate(payload)
    return order && isOver(kind, order) ? [{ part: '', entity: `kept:${keyPart(order.number)}` }] : []
  },
  claims: claimsOver,
  asksIfSent: (event) => (mayBeSent(updateOf(event)) ? 'anybody' : null),
  call(event, _, { isSent }) {
    const order = updateOf(event)
    // Where nobody knows that it is fetched, its goods run out with their hours.
    if (mayBeSent(order) && isSent !== false) return null
    return { port: 'platform', method: 'releaseGoods', argument: { orderNo: order.number } }
  },
}

/** Nothing of the order is kept any more. An order that is sent may still lack parcels when it is called Shipped. */
function isOver(kind: string, order: OrderUpdate): boolean {
  if (isOff(order)) return true
  if (kind !== 'OmniChannelOrderFulfilled' && order.status !== 'Shipped') return false
  return order.shipments === null || leavesOpen(order) || isPacked(order)
}

/** Whether parcels of it may be still to come, although none is listed. */
function mayBeSent(order: OrderUpdate): boolean {
  return leavesOpen(order) && !isOff(order)
}

function isOff({ status }: OrderUpdate): boolean {
  return status === 'Rejected' || status === 'Expired'
}

/** Whether parcels hold all that was not declined; what cannot be counted, or is not told, is not in them. */
function isPacked(order: OrderUpdate): boolean {
  const wanted = order.lines.filter(({ status }) => !isDeclined(status))
  const countable = wanted.every(({ gtin, quantity }) => gtin !== null && quantity !== null)
  return wanted.length > 0 && countable && unpackedGoods(order).length === 0
}

/** The status of an order that is packed is not shown; its parcels are. */
function claimsOver(event: Event): OrderClaim {
  const { number: order, shipments } = updateOf(event)
  const parcel = shipments?.at(-1)?.id
  return parcel === undefined ? { order, is: 'over' } : { order, is: 'packed', parcel }
}

/** After what is kept for it before; the order itself does not wait for them. */
function stockLineOf({ entity, payload }: Planned): string | null {
  const orderNo = idText(payload, 'orderNo')
  return orderNo === null ? entity : `kept:${keyPart(orderNo)}`
}
