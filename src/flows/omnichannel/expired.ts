import type { OrderClaim } from '../../domain/orders/order-evidence.ts'
import * as facts from '../../domain/orders/order-facts.ts'
import type { Event } from '../../domain/queue/event.ts'
import { stepsOfOne } from '../../payloads/one-order.ts'
import type { Flow, Planned, Step } from '../flow.ts'
import { expiredOrder, RELEASED } from './ran-out.ts'
import { unreadable } from './told.ts'
import { madeBy, orderOf, orders, stepOf, UPDATED, updateOf } from './update.ts'

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

export function expiredSteps(event: Planned): Step[] {
  const number = expiredOrder(event)
  return number === null ? [] : [stepOf(number, '', facts.calledOff(number), [facts.collected(number)])]
}

export function claimsExpired(event: Event): OrderClaim {
  return { order: orderOf(event) ?? unreadable('orderNo'), is: 'expired' }
}
