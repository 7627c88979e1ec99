import * as facts from '../../domain/orders/order-facts.ts'
import { hasParcels, type OrderUpdate, type Shipment, unpackedGoods } from '../../domain/orders/order-update.ts'
import { type Event, keyPart } from '../../domain/queue/event.ts'
import { HeldError } from '../../domain/values/errors.ts'
import { sumDecimals } from '../../domain/values/money.ts'
import { factsOfOne, stepsOfOne } from '../../payloads/one-order.ts'
import { readOrderUpdate } from '../../payloads/order-update.ts'
import type { Flow, Planned, Step } from '../flow.ts'
import { packedAs } from './packed-as.ts'
import { isCollected } from './proven-by-update.ts'
import { unreadable } from './told.ts'
import { FULFILLED, madeBy, namesOf, orderOf, orders, stepOf, UPDATED, updateOf } from './update.ts'

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
  // A parcel that cannot be read today may be whole tomorrow: it is owed, too.
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

/** What an update says is in a parcel: once, where it says the same several times. */
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

/** None of it where a part of it cannot be read. */
function asOne(id: string, contents: readonly Shipment['items'][]): Shipment {
  if (contents.some((items) => items.length === 0)) return { id, items: [] }
  const byArticle = Map.groupBy(contents.flat(), ({ gtin }) => gtin)
  return {
    id,
    items: [...byArticle].map(([gtin, all]) => ({ gtin, quantity: sumDecimals(all.map(({ quantity }) => quantity)) })),
  }
}

/**
 * An order that is Shipped, and of which goods are in none of its parcels: the payment of it is never taken, or not all of it, and no other
 * step tells anybody. Stores pack in several parcels: the others are waited for.
 */
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

/** How long the other parcels of an order are waited for (milliseconds). */
const PACKING = 30 * 60_000

function unpackedSteps({ kind, payload, receivedAt }: Planned): Step[] {
  const order = readOrderUpdate(payload)
  if (!order || !hasParcels(order) || !isCollected(kind, order) || unpackedGoods(order).length === 0) return []
  const { number, shipments } = order
  // A parcel that cannot be read is told of by its own step.
  if (shipments?.some(({ items }) => items.length === 0)) return []
  const step = stepOf(number, '', facts.unpacked(number), [facts.allPacked(number)])
  return [{ ...step, entity: null, notBefore: receivedAt + PACKING }]
}
