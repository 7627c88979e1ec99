import * as facts from '../../domain/orders/order-facts.ts'
import type { Shipment } from '../../domain/orders/order-update.ts'
import { type Event, keyPart } from '../../domain/queue/event.ts'
import { HeldError } from '../../domain/values/errors.ts'
import { stepsOfOne } from '../../payloads/one-order.ts'
import { readOrderUpdate } from '../../payloads/order-update.ts'
import type { Flow, Planned, Step } from '../flow.ts'
import { packedAs } from './packed-as.ts'
import { unreadable } from './told.ts'
import { FULFILLED, madeBy, namesOf, orders, stepOf, UPDATED, updateOf } from './update.ts'

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
    // A parcel that an earlier version sent has contents that nobody knows.
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

function shipmentSteps({ payload }: Planned): Step[] {
  const order = readOrderUpdate(payload)
  if (!order?.shipments) return []
  const { number, shipments } = order
  // A parcel that cannot be read today may be whole tomorrow: it is owed, too.
  return shipments.map(({ id, items }) =>
    stepOf(
      number,
      keyPart(id),
      items.length > 0 ? packedAs(number, { id, items }) : facts.packed(number, `unread ${id}`, null),
    ),
  )
}

function parcelOf(event: Event, part: string): Shipment {
  return updateOf(event).shipments?.find(({ id }) => keyPart(id) === part) ?? unreadable('shipments')
}
