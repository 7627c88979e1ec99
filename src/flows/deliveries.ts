import type { SubmittedDelivery } from '../domain/catalogue/submitted.ts'
import { payloadOf } from '../domain/queue/event.ts'
import type { Flow } from './flow.ts'
import { MAKE_PRODUCTS } from './master-data.ts'

/**
 * Goods on their way to a store (spec, PUT /api/Delivery). An uncertain one is sent again only where its request id is known to
 * keep it from being two; else it waits for a person.
 */
export const createDelivery: Flow = {
  name: 'create-delivery',
  kinds: ['DeliverySubmitted'],
  follows: MAKE_PRODUCTS,
  port: 'platform',
  once: true,
  onUnknown: 'hold',
  urgency: 'bulk',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'createDelivery', argument: payloadOf(event) as SubmittedDelivery }),
}
