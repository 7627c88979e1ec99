import { POS_ORDER_CREATED, type PosOrder, posOrder, requirePieces } from '../domain/orders/order.ts'
import type { OrderAssertion, RefundAssertion, SaleAssertion } from '../domain/orders/order-evidence.ts'
import * as facts from '../domain/orders/order-facts.ts'
import { doubtOf, makingEntity } from '../domain/orders/order-facts.ts'
import {
  hasParcels,
  isDeclined,
  type OrderReturn,
  type OrderUpdate,
  type Shipment,
  unpackedGoods,
} from '../domain/orders/order-update.ts'
import { type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { field, idText, text } from '../domain/values/field.ts'
import { compareDecimals, parseDecimal, sumDecimals } from '../domain/values/money.ts'
import { digestOf } from '../domain/values/text.ts'
import { endlessAisleIdentity } from '../platform/payloads/kinds.ts'
import { BASKET } from '../platform/payloads/known/kinds.ts'
import { factsOfOne, readOrderReturn, readOrderUpdate, stepsOfOne } from '../platform/payloads/order-update.ts'
import { fieldsOf } from '../platform/payloads/read-field.ts'
import { readSale } from '../platform/payloads/sale.ts'
import { readable } from '../platform/payloads/unread.ts'
import type { DeclinedGoods, OrdersCall, ReturnedGoods } from '../ports/ports.ts'
import { type AppliedQuantity, priorEffects, remainingQuantity, shipping } from './context.ts'
import type { CallContext, EventToRoute, Flow, Step } from './flow.ts'
import { dependsOn, stillTrue, undoes, verifyWithPlatform } from './guards.ts'
import { submission } from './master-data.ts'
import {
  afterCreation,
  appliedQuantityOf,
  declinedLines,
  expiredOrder,
  FULFILLED,
  isCollected,
  isFetched,
  lineOf,
  namesOf,
  orderOf,
  orders,
  provenByUpdate,
  quantityOf,
  RELEASED,
  rest,
  shippingSource,
  stepOf,
  UPDATED,
  unreadable,
  updateOf,
} from './update.ts'

const createOrder: Flow = {
  ...orders,
  name: 'create-order',
  kinds: [POS_ORDER_CREATED],
  method: 'create',
  clock: 'created',
  plan({ entity, payload }) {
    const orderNo = idText(payload, 'orderNo')
    return [{ part: '', entity: orderNo === null ? entity : makingEntity(orderNo) }]
  },
  guards: [
    priorEffects((event) => {
      const orderNo = text(payloadOf(event), 'orderNo')
      return orderNo === null ? [] : [facts.anyReturned(orderNo)]
    }),
    verifyWithPlatform(soldAssertion),
  ],
  call(event, _, { released, prior }) {
    const order = requirePieces(posOrder(readSale(readable(event))), released !== null)
    const moved = released === null ? prior.find((effect) => isOfGoods(effect, order)) : undefined
    if (moved !== undefined)
      throw new HeldError(
        `before this order of a POS came, goods that it has came back under its number ${order.number}, and the shop did what the refund ${decodeURIComponent(moved.split('/')[3] ?? '')} says: perhaps to another order of that number. Look at that order in the shop, put right what went to the wrong customer, then release this to make the order`,
        { code: 'ambiguous-order' },
      )
    return { port: 'orders', method: 'create', argument: order }
  },
}

const draftOrder: Flow = {
  ...orders,
  name: 'draft-order',
  kinds: ['SavedForOnlineCheckoutCreated'],
  method: 'draft',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event, _, { released }) => ({
    port: 'orders',
    method: 'draft',
    argument: requirePieces(basketOrder(readable(event)), released !== null),
  }),
}

function isOfGoods(effect: string, { lines }: PosOrder): boolean {
  const key = effect.split('/')[4]
  return lines.some(({ rowId, gtin }) => [rowId, gtin].some((name) => name !== null && keyPart(name) === key))
}

function soldAssertion(event: Event): SaleAssertion {
  const payload = payloadOf(event)
  const sale = endlessAisleIdentity(payload) ?? unreadable('what the sale is distinguished by')
  const number = idText(payload, 'orderNo') ?? text(payload, 'receiptNo')
  return { is: 'sold', kind: event.kind, sale, named: `the sale of order ${number}` }
}

const submitOrder: Flow = submission('submit-order', 'OrderSubmitted', 'createOrder', {
  atMostOnce: true,
  urgency: 'prompt',
  clock: 'placed',
  plan({ entity, payload }) {
    const orderNo = idText(payload, 'orderNo')
    if (orderNo === null) return [{ part: '', entity }]
    // A delayed order must not reach the store after its cancellation.
    return [{ part: '', entity, effect: facts.placed(orderNo), unless: [facts.cancelled(orderNo)] }]
  },
})

const changeOrder: Flow = submission('change-order', 'OrderChangeSubmitted', 'changeOrder', {
  urgency: 'prompt',
  latestWins: true,
  // Digests of orders would be stored for ever.
  plan: ({ entity, payload }) => [
    { part: '', entity, unless: [facts.cancelled(idText(payload, 'orderNo') ?? '')], version: null },
  ],
})

/** A cancelled order that no store ever had is not reported. */
const cancelOrder: Flow = submission('cancel-order', 'OrderCancelSubmitted', 'cancelOrder', {
  kinds: ['OrderCancelSubmitted', 'OrderCalledOff'],
  urgency: 'prompt',
  guards: [undoes(submitOrder.name)],
  plan: ({ kind, entity }) => (kind === 'OrderCalledOff' ? [] : [{ part: '', entity }]),
  proves: ({ kind, payload }) => {
    const orderNo = idText(payload, 'orderNo')
    if (orderNo === null) return []
    return [kind === 'OrderCalledOff' ? facts.neverPlaced(orderNo) : facts.cancelled(orderNo)]
  },
})

export function basketOrder(payload: unknown): PosOrder {
  const read = fieldsOf(BASKET, payload)
  const number = read.text('number')
  if (number === null) throw new PermanentError('the basket has no number', { code: 'bad-basket' })
  const basket = Object(payload) as Record<string, unknown>
  const store = { ...Object(field(payload, 'store')), currency: read.text('currency') }
  return { ...posOrder(readSale({ ...basket, store, receiptNo: number })), number }
}

const createShipment: Flow = {
  ...orders,
  name: 'create-shipment',
  kinds: [UPDATED, FULFILLED],
  method: 'ship',
  whenInDoubt: 'hold',
  clock: 'shipped',
  plan: stepsOfOne(shipmentSteps),
  guards: [
    afterCreation,
    priorEffects((event, { part }) =>
      namesOf(facts.packed(updateOf(event).number, parcelOf(event, part).id, null), event),
    ),
    verifyWithPlatform((event, { part }) => ({
      ...{ order: updateOf(event).number, is: 'packed' },
      parcel: parcelOf(event, part).id,
    })),
  ],
  call(event, { part }, { prior, released }) {
    const order = updateOf(event)
    const parcel = parcelOf(event, part)
    if (released === null && contentsOf(order, part).length > 1)
      throw new HeldError(
        `the parcel ${parcel.id} of order ${order.number} is named several times, each time with other contents. Ask the store what is in it, note it in the shop, then skip this; released, the shop is told that all of it is in the parcel`,
        { code: 'contradiction' },
      )
    if (parcel.items.length === 0) unreadable(`the id or the contents of the parcel ${part}`)
    const known = facts.packed(order.number, parcel.id, null)
    const names = namesOf(known, event)
    if (released === null && prior.some((effect) => names.some((name) => effect.startsWith(`${name}/`))))
      throw new HeldError(
        `the parcel ${parcel.id} of order ${order.number} was announced before with other contents, and the shop was told of those. Ask the store what is in it, correct the shop, then skip this; released, it is sent to the shop as it is now`,
        { code: 'contradiction' },
      )
    return { port: 'orders', method: 'ship', argument: { order, parcel } }
  },
}

function shipmentSteps({ payload }: EventToRoute): Step[] {
  const order = readOrderUpdate(payload)
  if (!order?.shipments) return []
  const { number, shipments } = order
  // An unreadable parcel is planned too: it may be readable later.
  return [...Map.groupBy(shipments, ({ id }) => id)].map(([id, same]) => {
    const part = keyPart(id)
    const parcel = asOne(id, distinctContents(number, same))
    const isRead = parcel.items.length > 0
    return stepOf(number, part, isRead ? packedAs(number, parcel) : facts.packed(number, `unread ${id}`, null))
  })
}

function parcelOf(event: Event, part: string): Shipment {
  const order = updateOf(event)
  const { id } = order.shipments?.find((one) => keyPart(one.id) === part) ?? unreadable('shipments')
  return asOne(id, contentsOf(order, part))
}

function contentsOf({ number, shipments }: OrderUpdate, part: string): Shipment['items'][] {
  const same = (shipments ?? []).filter(({ id }) => keyPart(id) === part)
  return distinctContents(number, same)
}

function distinctContents(number: string, same: readonly Shipment[]): Shipment['items'][] {
  return [...Map.groupBy(same, (one) => packedAs(number, one)).values()].flatMap(([first]) =>
    first ? [first.items] : [],
  )
}

function asOne(id: string, contents: readonly Shipment['items'][]): Shipment {
  if (contents.some((items) => items.length === 0)) return { id, items: [] }
  const byArticle = Map.groupBy(contents.flat(), ({ gtin }) => gtin)
  return {
    id,
    items: [...byArticle].map(([gtin, all]) => ({ gtin, quantity: sumDecimals(all.map(({ quantity }) => quantity)) })),
  }
}

/** A Shipped order with goods in no parcel: nothing else would capture their payment. */
const goodsUnpacked: Flow = {
  ...orders,
  name: 'goods-unpacked',
  kinds: [UPDATED, FULFILLED],
  method: 'ship',
  whenInDoubt: 'hold',
  clock: 'shipped',
  plan: stepsOfOne(unpackedSteps),
  proves: factsOfOne(({ payload }) => {
    const order = readOrderUpdate(payload)
    return order && hasParcels(order) && unpackedGoods(order).length === 0 ? [facts.allPacked(order.number)] : []
  }),
  call(event, _, { released }) {
    if (released !== null) return null
    const order = updateOf(event)
    const goods = unpackedGoods(order).map(({ gtin, quantity }) => `${quantity} × ${gtin}`)
    const parcels = (order.shipments ?? []).map(({ id }) => id)
    throw new HeldError(
      `order ${order.number} is ${order.status}, and goods of it are in none of its parcels (${parcels.join(', ')}): ${goods.join(', ')}. The shop has not taken the payment of all of it. Ask the store where they are, put it right in the shop, then skip this`,
      { code: 'goods-unpacked' },
    )
  },
}

/** (ms) */
const PACKING = 30 * 60_000

function unpackedSteps({ kind, payload, receivedAt }: EventToRoute): Step[] {
  const order = readOrderUpdate(payload)
  if (!order || !hasParcels(order) || !isCollected(kind, order) || unpackedGoods(order).length === 0) return []
  const { number, shipments } = order
  if (shipments?.some(({ items }) => items.length === 0)) return []
  const step = stepOf(number, '', facts.unpacked(number), [facts.allPacked(number)])
  return [{ ...step, entity: null, notBefore: receivedAt + PACKING }]
}

function packedAs(number: string, { id, items }: Shipment): string {
  return facts.packed(number, id, digestOf(items.toSorted((a, b) => (a.gtin < b.gtin ? -1 : 1))).slice(0, 12))
}

export const orderCollected: Flow = {
  ...orders,
  name: 'order-collected',
  kinds: [UPDATED, FULFILLED],
  method: 'collected',
  whenInDoubt: 'hold',
  clock: 'captured',
  plan: stepsOfOne(collectedSteps),
  proves: factsOfOne(provenByUpdate),
  guards: [
    afterCreation,
    stillTrue({
      ...{ orderOf, status: 'Shipped' },
      contradiction: (event) =>
        `the store says that the customer has order ${orderOf(event)}, after it was called expired or rejected. If its money was refunded, the goods went for nothing: ask the store. Release this to take the payment, or skip it`,
    }),
    priorEffects((event) => namesOf(facts.anyDeclined(updateOf(event).number), event)),
    shipping(shippingSource),
    verifyWithPlatform(updatedTo('collected')),
  ],
  call(event, _, known) {
    const { prior, released } = known
    const order = updateOf(event)
    if (!isFetched(event, known)) return null
    const gone = released === null ? goneAfterAll(order, prior) : null
    if (gone !== null)
      throw new HeldError(
        `the store says that the customer has the line ${gone} of order ${order.number}, which it had declined, so that it was refunded or taken off. Ask the store. Release this to take the payment for the rest, or skip it`,
        { code: 'contradiction' },
      )
    return { port: 'orders', method: 'collected', argument: order }
  },
}

function updatedTo(is: 'collected' | 'picked'): (event: Event) => OrderAssertion {
  return (event) => ({ order: updateOf(event).number, is })
}

function collectedSteps({ kind, payload }: EventToRoute): Step[] {
  const order = readOrderUpdate(payload)
  if (!order || hasParcels(order) || !isCollected(kind, order)) return []
  const { number } = order
  return [stepOf(number, '', facts.captured(number), [facts.expired(number), facts.rejected(number)])]
}

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

export const orderReady: Flow = {
  ...orders,
  name: 'order-ready',
  kinds: [UPDATED],
  method: 'ready',
  whenInDoubt: 'repeat',
  clock: 'reported',
  plan: stepsOfOne(readySteps),
  guards: [
    afterCreation,
    stillTrue({ orderOf, status: 'Picked' }),
    shipping(shippingSource),
    verifyWithPlatform(updatedTo('picked')),
  ],
  call: (event, _, known) =>
    isFetched(event, known) ? { port: 'orders', method: 'ready', argument: updateOf(event) } : null,
}

function readySteps({ kind, payload }: EventToRoute): Step[] {
  const order = kind === UPDATED ? readOrderUpdate(payload) : null
  if (!order || hasParcels(order) || order.status !== 'Picked') return []
  if (order.lines.length > 0 && order.lines.every(({ status }) => isDeclined(status))) return []
  const { number } = order
  const unless = [facts.collected(number), facts.expired(number), facts.rejected(number)]
  return [stepOf(number, '', facts.reported(number), unless)]
}

export const declineGoods: Flow = {
  ...orders,
  name: 'decline-goods',
  kinds: [UPDATED],
  method: 'decline',
  whenInDoubt: 'hold',
  clock: 'declined',
  plan: stepsOfOne(declinedSteps),
  guards: [
    afterCreation,
    stillTrue({ orderOf, status: 'Rejected' }),
    remainingQuantity(declinedQuantity),
    verifyWithPlatform((event, { part }) => {
      const order = updateOf(event)
      return { order: order.number, is: 'declined', line: lineOf(declinedLines(order), part) }
    }),
  ],
  call(event, { part }, known) {
    const order = updateOf(event)
    const line = lineOf(declinedLines(order), part)
    return rest(line, known, (quantity) => {
      const argument: DeclinedGoods = { order, line, quantity }
      return { port: 'orders', method: 'decline', argument }
    })
  },
}

function declinedSteps({ payload }: EventToRoute): Step[] {
  const order = readOrderUpdate(payload)
  if (!order) return []
  const { number } = order
  const lines = declinedLines(order)
  // The goods are unreadable: an operator must see it.
  if (order.status === 'Rejected' && lines.length === 0)
    return [stepOf(number, 'all', facts.declined(number, 'all', 'unread'))]
  // Collected goods are not refunded by a late event; single lines were not collected.
  const unless = order.status === 'Rejected' ? [facts.collected(number)] : []
  return lines.map((line) =>
    stepOf(number, line.key, facts.declined(number, line.key, line.quantity ?? 'unread'), unless),
  )
}

function declinedQuantity(event: Event, { part }: Pick<Step, 'part'>): AppliedQuantity {
  const order = updateOf(event)
  const { number, platformId } = order
  const lines = declinedLines(order)
  const effects = (key: string) => facts.declined(number, key, '')
  const ofNumber = appliedQuantityOf('declined', number, lines, part, effects)
  if (platformId === null) return ofNumber
  const of = `${number}/@${keyPart(platformId)}`
  const own = appliedQuantityOf('declined', of, lines, part, (key) => facts.ofOneOrder(effects(key), platformId))
  return { ...own, ofNumber: { id: ofNumber.id, effects: ofNumber.effects, of: `${number}/` } }
}

export const orderExpired: Flow = {
  ...orders,
  name: 'order-expired',
  kinds: [UPDATED, RELEASED],
  method: 'expire',
  whenInDoubt: 'hold',
  clock: 'expired',
  plan: stepsOfOne(expiredSteps),
  proves(event) {
    const number = event.kind === RELEASED ? expiredOrder(event) : null
    return number === null ? [] : [facts.expired(number)]
  },
  guards: [
    afterCreation,
    stillTrue({ orderOf, status: 'Expired' }),
    verifyWithPlatform((event) => ({ order: orderOf(event) ?? unreadable('orderNo'), is: 'expired' })),
  ],
  call(event) {
    const lines = event.kind === UPDATED ? updateOf(event).lines : []
    return { port: 'orders', method: 'expire', argument: { number: orderOf(event) ?? unreadable('orderNo'), lines } }
  },
}

function expiredSteps(event: EventToRoute): Step[] {
  const number = expiredOrder(event)
  return number === null ? [] : [stepOf(number, '', facts.calledOff(number), [facts.collected(number)])]
}

const RETURNED = 'OmniChannelOrderRefundUpdated'

const afterCreationOfReturned = dependsOn((event) => makingEntity(returnOf(event).number))

export const refundGoods: Flow = {
  ...orders,
  name: 'refund-goods',
  kinds: [RETURNED],
  method: 'refund',
  whenInDoubt: 'hold',
  clock: 'refunded',
  plan: (event) => returnedSteps(event, false),
  proves: ({ kind, payload }) => {
    const refund = kind === RETURNED ? readOrderReturn(payload) : null
    return refund?.isRefunded ? [facts.paidBack(refund.number, refund.refundId)] : []
  },
  guards: [
    afterCreationOfReturned,
    remainingQuantity((event, step) => ({ ...returnedQuantity(event, step), pays: true })),
    verifyWithPlatform(returnedAssertion),
  ],
  call: (event, step, known) => returnedCall(event, step, known, 'refund'),
}

export const noteRefund: Flow = {
  ...orders,
  name: 'note-refund',
  kinds: [RETURNED],
  method: 'noteRefund',
  whenInDoubt: 'repeat',
  plan: (event) => returnedSteps(event, true),
  guards: [
    afterCreationOfReturned,
    stillTrue(),
    remainingQuantity(returnedQuantity),
    verifyWithPlatform(returnedAssertion),
  ],
  call: (event, step, known) => returnedCall(event, step, known, 'noteRefund'),
}

function returnedAssertion(event: Event, { part }: Pick<Step, 'part'>): RefundAssertion {
  const { number, refundId, isRefunded, lines } = returnOf(event)
  const line = lineOf(lines, part)
  return { order: number, is: 'returned', refundId, isRefunded, line: { key: line.key, quantity: quantityOf(line) } }
}

function returnedSteps({ payload }: EventToRoute, isRefunded: boolean): Step[] {
  const refund = readOrderReturn(payload)
  if (refund?.isRefunded !== isRefunded) return []
  const { number, refundId, lines } = refund
  const unless = isRefunded ? [] : [facts.paidBack(number, refundId)]
  return lines.map((line) => {
    const warning = doubtOf(refund, line)
    const quantity = line.quantity ?? 'unread'
    const what = warning === null ? quantity : `doubtful ${quantity}`
    const step = stepOf(number, line.key, facts.returned(number, refundId, line.key, what), unless)
    // Held without blocking: the update that counts may come next.
    return warning === null ? step : { ...step, entity: null }
  })
}

function returnedQuantity(event: Event, { part }: Pick<Step, 'part'>) {
  const { number, refundId, lines } = returnOf(event)
  const of = `${number}/${keyPart(refundId)}`
  return appliedQuantityOf('returned', of, lines, part, (key) => facts.returned(number, refundId, key, ''))
}

function returnedCall(
  event: Event,
  { part }: Pick<Step, 'part'>,
  known: CallContext,
  method: 'refund' | 'noteRefund',
): OrdersCall | null {
  const refund = returnOf(event)
  const line = lineOf(refund.lines, part)
  const warning = doubtOf(refund, line)
  if (warning !== null && known.released === null)
    throw new HeldError(`${warning}: whether goods came back and money is due is for a person to say`, {
      code: 'unknown-word',
    })
  const call = rest(line, known, (quantity): OrdersCall => {
    const argument: ReturnedGoods = { refund, line, quantity }
    return { port: 'orders', method, argument }
  })
  if (call === null && method === 'noteRefund' && known.released === null && known.paid)
    throw new HeldError(
      `the POS says that it has given the money of refund ${refund.refundId} back (line ${line.key} of order ${refund.number}), after it had said that the shop must, which the shop has done: the customer may have it twice. Ask the store, then skip this`,
      { code: 'contradiction' },
    )
  return call
}

function returnOf(event: Event): OrderReturn {
  return readOrderReturn(payloadOf(event)) ?? unreadable('orderNo, id or isRefunded')
}

export const orderFlows: readonly Flow[] = [
  createOrder,
  draftOrder,
  submitOrder,
  changeOrder,
  cancelOrder,
  declineGoods,
  orderReady,
  orderCollected,
  orderExpired,
  createShipment,
  goodsUnpacked,
  refundGoods,
  noteRefund,
]
