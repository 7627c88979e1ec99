import type { Delivery, DeliveryLine } from '../domain/catalogue/goods.ts'
import type { OrderAssertion } from '../domain/orders/order-evidence.ts'
import { isDeclined, type OrderUpdate, unpackedGoods } from '../domain/orders/order-update.ts'
import { type Event, keyPart } from '../domain/queue/event.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { idText } from '../domain/values/field.ts'
import { compareDecimals, moneyText, parseDecimal, subtractDecimals, sumDecimals } from '../domain/values/money.ts'
import { dayIn, wallClockInstant } from '../domain/values/store-time.ts'
import { identifiersOf, readDelivery } from '../platform/payloads/goods.ts'
import { readOrderUpdate } from '../platform/payloads/order-update.ts'
import { readable, UNREAD, unreadOf } from '../platform/payloads/unread.ts'
import { type AppliedQuantity, type ArticleQuantity, remainingQuantity, shipping } from './context.ts'
import type { CallContext, EventToRoute, Flow, Step } from './flow.ts'
import { supersededBy, verifyWithPlatform } from './guards.ts'
import { submission } from './master-data.ts'
import { leavesOpen, updateOf } from './update.ts'

/** Received goods (Events 4 and 5, DeliveryCreated, DeliveryUpdated). */

const KINDS = ['DeliveryCreated', 'DeliveryUpdated', 'DeliveryItemsReceived', 'DeliveryCompleted']
const books = { kinds: KINDS, port: 'backOffice', urgency: 'bulk' } as const

export const bookReceived: Flow = {
  ...books,
  name: 'book-received',
  method: 'bookReceived',
  atMostOnce: true,
  perDestination: true,
  whenInDoubt: 'hold',
  plan(event) {
    if (isUnread(event)) return [{ part: UNREAD_PART, entity: null }]
    const delivery = readDelivery(event.payload)
    return delivery.lines
      .filter(hasCome)
      .map((line) => step(delivery, line, { effect: `${effectsOf(delivery, line)}${keyPart(line.received)}` }))
  },
  guards: [remainingQuantity(receivedQuantity)],
  call(event, { part }, known) {
    const { delivery, line } = lineOf(event, part)
    const quantity = subtractDecimals(line.received, known.reported)
    if (compareDecimals(quantity, ZERO) <= 0) return null
    const argument = { ...locationOf(delivery, known), delivery: without(delivery), line, quantity }
    return { port: 'backOffice', method: 'bookReceived', argument }
  },
}

function receivedQuantity(event: Event, { part }: Pick<Step, 'part'>): AppliedQuantity | null {
  if (part === UNREAD_PART) return null
  const { delivery, line } = lineOf(event, part)
  const { received: level } = line
  const id = `${delivery.deliveryId}/${line.article}`
  const article = namesOf(delivery, line, identifiersOf(readable(event)))
  return { kind: 'received', id, level, effects: effectsOf(delivery, line), article }
}

const bookCost: Flow = {
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
        const version = delivery.at === null ? null : wallClockInstant(delivery.at, null)
        return [{ ...step(delivery, line, { digest: moneyText(cost), version }), entity }]
      }),
    ),
  call(event, { part }, known) {
    const { delivery, line } = lineOf(event, part)
    const { article, gtin, cost } = line
    if (cost === null) return null
    const argument = { ...locationOf(delivery, known), delivery: without(delivery), article, gtin, cost }
    return { port: 'backOffice', method: 'bookCost', argument }
  },
}

const bookDelivery: Flow = {
  ...books,
  name: 'book-delivery',
  method: 'bookDelivery',
  atMostOnce: true,
  perDestination: true,
  whenInDoubt: 'hold',
  plan: (event) =>
    ofDelivery(event, (delivery) =>
      delivery.isCompleted || event.kind === 'DeliveryCompleted'
        ? [{ ...step(delivery, null, { effect: `booked/delivery/${keyPart(delivery.deliveryId)}` }) }]
        : [],
    ),
  call(event, _, known) {
    const delivery = readDelivery(readable(event))
    return { port: 'backOffice', method: 'bookDelivery', argument: { ...locationOf(delivery, known), delivery } }
  },
}

function ofDelivery(event: EventToRoute, steps: (delivery: Delivery) => Step[]): Step[] {
  return isUnread(event) ? [] : steps(readDelivery(event.payload))
}

function isUnread({ kind, payload }: EventToRoute): boolean {
  return unreadOf(kind, payload).length > 0
}

const UNREAD_PART = '~unread'

function step(delivery: Delivery, line: DeliveryLine | null, more: Partial<Step>): Step {
  const { at } = delivery
  const isTime = at !== null && dayIn(at, null) !== null
  return { part: line?.article ?? '', entity: entityOf(delivery), ...(isTime && { at }), ...more }
}

function lineOf(event: Event, part: string): { delivery: Delivery; line: DeliveryLine } {
  const delivery = readDelivery(readable(event))
  const line = delivery.lines.find(({ article }) => article === part)
  // Readable by now: replanned at the next start.
  if (part === UNREAD_PART)
    throw new HeldError('it can be read now: what it says is booked when the hub is started again', { code: UNREAD })
  if (!line) throw new PermanentError(`the delivery has no line ${part}`, { code: 'bad-delivery' })
  return { delivery, line }
}

function effectsOf({ deliveryId }: Delivery, { article }: DeliveryLine): string {
  return `booked/received/${keyPart(deliveryId)}/${keyPart(article)}/`
}

function namesOf(
  { deliveryId, lines }: Delivery,
  { article }: DeliveryLine,
  identifiers: ReadonlyMap<string, readonly string[]>,
): ArticleQuantity | null {
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

function locationOf({ stockId, at }: Delivery, { storeOf }: CallContext) {
  const { zone, ...store } = storeOf({ stockId })
  return { ...store, stockId, day: at === null ? null : dayIn(at, zone) }
}

function without({ lines: _, ...delivery }: Delivery): Omit<Delivery, 'lines'> {
  return delivery
}

const ZERO = parseDecimal(0)

/** Where the platform does not reserve itself (`platform.reserveOrders`). */

const keepGoods: Flow = submission('keep-goods', 'OrderSubmitted', 'keepGoods', {
  kinds: ['OrderSubmitted', 'OrderChangeSubmitted'],
  urgency: 'prompt',
  method: 'keepGoods',
  latestWins: true,
  guards: [supersededBy({ flows: ['release-goods', 'release-goods-after'], leaves: () => null })],
  // Digests of orders would be stored for ever.
  plan: (event) => [{ part: '', entity: stockLineOf(event), version: null }],
})

const releaseGoods: Flow = submission('release-goods', 'OrderCancelSubmitted', 'releaseGoods', {
  urgency: 'prompt',
  method: 'releaseGoods',
  plan: (event) => [{ part: '', entity: stockLineOf(event) }],
})

/** Whether the platform releases these itself is undocumented. */
export const releaseGoodsAfter: Flow = {
  port: 'platform',
  urgency: 'prompt',
  name: 'release-goods-after',
  kinds: ['OmniChannelOrderUpdated', 'OmniChannelOrderFulfilled'],
  method: 'releaseGoods',
  toOrigin: true,
  plan({ kind, payload }) {
    const order = readOrderUpdate(payload)
    return order && isOver(kind, order) ? [{ part: '', entity: `kept:${keyPart(order.number)}` }] : []
  },
  guards: [shipping((event) => (mayBeSent(updateOf(event)) ? 'anyone' : null)), verifyWithPlatform(finishedAssertion)],
  call(event, _, { isSent }) {
    const order = updateOf(event)
    if (mayBeSent(order) && isSent !== false) return null
    return { port: 'platform', method: 'releaseGoods', argument: { orderNo: order.number } }
  },
}

function isOver(kind: string, order: OrderUpdate): boolean {
  if (isOff(order)) return true
  if (kind !== 'OmniChannelOrderFulfilled' && order.status !== 'Shipped') return false
  return order.shipments === null || leavesOpen(order) || isPacked(order)
}

function mayBeSent(order: OrderUpdate): boolean {
  return leavesOpen(order) && !isOff(order)
}

function isOff({ status }: OrderUpdate): boolean {
  return status === 'Rejected' || status === 'Expired'
}

function isPacked(order: OrderUpdate): boolean {
  const wanted = order.lines.filter(({ status }) => !isDeclined(status))
  const countable = wanted.every(({ gtin, quantity }) => gtin !== null && quantity !== null)
  return wanted.length > 0 && countable && unpackedGoods(order).length === 0
}

/** The status of a packed order is undocumented. */
function finishedAssertion(event: Event): OrderAssertion {
  const { number: order, shipments } = updateOf(event)
  const parcel = shipments?.at(-1)?.id
  return parcel === undefined ? { order, is: 'over' } : { order, is: 'packed', parcel }
}

function stockLineOf({ entity, payload }: EventToRoute): string | null {
  const orderNo = idText(payload, 'orderNo')
  return orderNo === null ? entity : `kept:${keyPart(orderNo)}`
}

export const receivedGoods: readonly Flow[] = [bookReceived, bookCost, bookDelivery]

export const reservedGoods: readonly Flow[] = [keepGoods, releaseGoods, releaseGoodsAfter]
