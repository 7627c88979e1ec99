import type { OrderClaim } from '../../domain/orders/order-evidence.ts'
import * as facts from '../../domain/orders/order-facts.ts'
import {
  hasParcels,
  isDeclined,
  type OrderUpdate,
  type Shipment,
  unpackedGoods,
} from '../../domain/orders/order-update.ts'
import { type Event, keyPart } from '../../domain/queue/event.ts'
import { digestOf } from '../../domain/values/digest.ts'
import { HeldError } from '../../domain/values/errors.ts'
import { compareDecimals, parseDecimal, sumDecimals } from '../../domain/values/money.ts'
import { factsOfOne, readOrderUpdate, stepsOfOne } from '../../payloads/order-update.ts'
import type { Flow, Planned, Step } from '../flow.ts'
import {
  asksIfSent,
  declinedLines,
  FULFILLED,
  isCollected,
  isFetched,
  madeBy,
  namesOf,
  orderOf,
  orders,
  provenByUpdate,
  stepOf,
  UPDATED,
  unreadable,
  updateOf,
} from './update.ts'

/** Ship from store: one shipment per parcel (Events 5). */
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
    if (released === null && contentsOf(order, part).length > 1)
      throw new HeldError(
        `the parcel ${parcel.id} of order ${order.number} is named several times, each time with other contents. Ask the store what is in it, note it in the shop, then skip this; released, the shop is told that all of it is in the parcel`,
        { code: 'contradiction' },
      )
    if (parcel.items.length === 0) unreadable(`the id or the contents of the parcel ${part}`)
    const known = facts.packed(order.number, parcel.id, null)
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

function shipmentSteps({ payload }: Planned): Step[] {
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

/** Each content once. */
function contentsOf({ number, shipments }: OrderUpdate, part: string): Shipment['items'][] {
  return distinctContents(
    number,
    (shipments ?? []).filter(({ id }) => keyPart(id) === part),
  )
}

function distinctContents(number: string, same: readonly Shipment[]): Shipment['items'][] {
  return [...Map.groupBy(same, (one) => packedAs(number, one)).values()].flatMap(([first]) =>
    first ? [first.items] : [],
  )
}

/** Nothing of it if part of it is unreadable. */
function asOne(id: string, contents: readonly Shipment['items'][]): Shipment {
  if (contents.some((items) => items.length === 0)) return { id, items: [] }
  const byArticle = Map.groupBy(contents.flat(), ({ gtin }) => gtin)
  return {
    id,
    items: [...byArticle].map(([gtin, all]) => ({ gtin, quantity: sumDecimals(all.map(({ quantity }) => quantity)) })),
  }
}

/** A Shipped order with goods in no parcel: nothing else would capture their payment or tell anyone. Further parcels are waited for. */
export const goodsUnpacked: Flow = {
  ...orders,
  name: 'goods-unpacked',
  kinds: [UPDATED, FULFILLED],
  method: 'ship',
  onUnknown: 'hold',
  clock: 'shipped',
  plan: stepsOfOne(unpackedSteps),
  proves: factsOfOne(({ payload }) => {
    const order = readOrderUpdate(payload)
    return order && hasParcels(order) && unpackedGoods(order).length === 0 ? [facts.allPacked(order.number)] : []
  }),
  orderOf,
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

function unpackedSteps({ kind, payload, receivedAt }: Planned): Step[] {
  const order = readOrderUpdate(payload)
  if (!order || !hasParcels(order) || !isCollected(kind, order) || unpackedGoods(order).length === 0) return []
  const { number, shipments } = order
  // Reported by its own step.
  if (shipments?.some(({ items }) => items.length === 0)) return []
  const step = stepOf(number, '', facts.unpacked(number), [facts.allPacked(number)])
  return [{ ...step, entity: null, notBefore: receivedAt + PACKING }]
}

/** Other contents are another fact. */
function packedAs(number: string, { id, items }: Shipment): string {
  return facts.packed(number, id, digestOf(items.toSorted((a, b) => (a.gtin < b.gtin ? -1 : 1))).slice(0, 12))
}

/** Collected: the payment can be captured. Fulfilled says the same. */
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
  asksIfSent,
  call(event, _, known) {
    const { prior, released } = known
    const order = updateOf(event)
    if (!isFetched(event, known)) return null
    const gone = released === null ? goneAfterAll(order, prior) : null
    if (gone !== null)
      throw new HeldError(
        `the store says that the customer has the line ${gone} of order ${order.number}, which it had declined, so that it was given back or taken off. Ask the store. Release this to take the payment for the rest, or skip it`,
        { code: 'contradiction' },
      )
    return { port: 'orders', method: 'collected', argument: order }
  },
}

export function collectedSteps({ kind, payload }: Planned): Step[] {
  const order = readOrderUpdate(payload)
  if (!order || hasParcels(order) || !isCollected(kind, order)) return []
  const { number } = order
  return [stepOf(number, '', facts.captured(number), [facts.expired(number), facts.rejected(number)])]
}

/** A line with more collected than was left after declines; null: none. */
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

export function claimsCollected(event: Event): OrderClaim {
  return { order: updateOf(event).number, is: 'collected' }
}

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
  asksIfSent,
  call: (event, _, known) =>
    isFetched(event, known) ? { port: 'orders', method: 'ready', argument: updateOf(event) } : null,
}

export function readySteps({ kind, payload }: Planned): Step[] {
  const order = kind === UPDATED ? readOrderUpdate(payload) : null
  if (!order || hasParcels(order) || order.status !== 'Picked' || isAllDeclined(order)) return []
  const { number } = order
  const unless = [facts.collected(number), facts.expired(number), facts.rejected(number)]
  return [stepOf(number, '', facts.told(number), unless)]
}

/** Nothing to collect, whatever the order's status. */
function isAllDeclined({ lines }: OrderUpdate): boolean {
  return lines.length > 0 && lines.every(({ status }) => isDeclined(status))
}

export function claimsPicked(event: Event): OrderClaim {
  return { order: updateOf(event).number, is: 'picked' }
}
