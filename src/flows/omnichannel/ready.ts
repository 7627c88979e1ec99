import type { OrderClaim } from '../../domain/orders/order-evidence.ts'
import * as facts from '../../domain/orders/order-facts.ts'
import { hasParcels, isDeclined, type OrderUpdate } from '../../domain/orders/order-update.ts'
import type { Event } from '../../domain/queue/event.ts'
import { stepsOfOne } from '../../payloads/one-order.ts'
import { readOrderUpdate } from '../../payloads/order-update.ts'
import type { Flow, Planned, Step } from '../flow.ts'
import { asksIfSent, isFetched, madeBy, orderOf, orders, stepOf, UPDATED, updateOf } from './update.ts'

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
  asksIfSent,
  call: (event, _, known) =>
    isFetched(event, known) ? { port: 'orders', method: 'ready', argument: updateOf(event) } : null,
}

/** The steps of orders that are ready; messages to customers have the same. */
export function readySteps({ kind, payload }: Planned): Step[] {
  const order = kind === UPDATED ? readOrderUpdate(payload) : null
  if (!order || hasParcels(order) || order.status !== 'Picked' || isAllDeclined(order)) return []
  const { number } = order
  const unless = [facts.collected(number), facts.expired(number), facts.rejected(number)]
  return [stepOf(number, '', facts.told(number), unless)]
}

/** The order has no goods lying there, whatever it is called itself. */
function isAllDeclined({ lines }: OrderUpdate): boolean {
  return lines.length > 0 && lines.every(({ status }) => isDeclined(status))
}

export function claimsPicked(event: Event): OrderClaim {
  return { order: updateOf(event).number, is: 'picked' }
}
