import type { SubmittedCancellation, SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import * as facts from '../../domain/orders/order-facts.ts'
import { payloadOf } from '../../domain/queue/event.ts'
import { idText } from '../../domain/values/id.ts'
import type { Flow } from '../flow.ts'

/** An online order for a store: to pick up, to pay there, or to ship from there (spec, POST /api/Omnichannel). */
export const submitOrder: Flow = {
  name: 'submit-order',
  kinds: ['OrderSubmitted'],
  port: 'platform',
  once: true,
  urgency: 'prompt',
  clock: 'placed',
  plan({ entity, payload }) {
    const orderNo = idText(payload, 'orderNo')
    if (orderNo === null) return [{ part: '', entity }]
    // An order that waits, or is tried again later, must not come to the store after its cancellation.
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
    const orderNo = idText(payload, 'orderNo') ?? ''
    // What the platform acknowledged of each order would be kept for good.
    return [{ part: '', entity, unless: [facts.cancelled(orderNo)], version: null }]
  },
  call: (event) => ({ port: 'platform', method: 'changeOrder', argument: payloadOf(event) as SubmittedOrder }),
}

/** The order is off before the customer had it (facts, DELETE /api/OmniChannel). */
export const cancelOrder: Flow = {
  name: 'cancel-order',
  // An order that no store ever had is no news to the platform when it is called off.
  kinds: ['OrderCancelSubmitted', 'OrderCalledOff'],
  port: 'platform',
  urgency: 'prompt',
  takesBack: submitOrder.name,
  plan: ({ kind, entity }) => (kind === 'OrderCalledOff' ? [] : [{ part: '', entity }]),
  proves: ({ kind, payload }) => {
    const orderNo = idText(payload, 'orderNo')
    if (orderNo === null) return []
    return [kind === 'OrderCalledOff' ? facts.neverPlaced(orderNo) : facts.cancelled(orderNo)]
  },
  call: (event) => ({ port: 'platform', method: 'cancelOrder', argument: payloadOf(event) as SubmittedCancellation }),
}
