import { payloadOf } from '../domain/event.ts'
import { tillOrder } from '../domain/order.ts'
import { readSale } from '../domain/sale.ts'
import type { SubmittedOrder } from '../domain/submitted.ts'
import type { Flow } from './flow.ts'

/** Endless aisle: what was sold and paid at a till becomes an order of the online shop (spec, "What the service does" 4). */
export const createOrder: Flow = {
  name: 'create-order',
  kinds: ['OmniChannelEndlessAisleOrderCreated'],
  port: 'orders',
  once: true,
  urgency: 'prompt',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'orders', method: 'create', argument: tillOrder(readSale(payloadOf(event))) }),
}

/** An online order for a store: to pick up, to pay there, or to ship from there (spec, POST /api/Omnichannel). */
export const submitOrder: Flow = {
  name: 'submit-order',
  kinds: ['OrderSubmitted'],
  port: 'platform',
  once: true,
  urgency: 'prompt',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'createOrder', argument: payloadOf(event) as SubmittedOrder }),
}
