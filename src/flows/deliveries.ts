import { payloadOf } from '../domain/event.ts'
import type { SubmittedDelivery } from '../domain/submitted.ts'
import type { Flow } from './flow.ts'

/** Goods on their way to a store (spec, PUT /api/Delivery). Its request id keeps one that is sent again from being two. */
export const createDelivery: Flow = {
  name: 'create-delivery',
  kinds: ['DeliverySubmitted'],
  port: 'platform',
  once: true,
  noFind: true,
  onUnknown: 'repeat',
  urgency: 'bulk',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'createDelivery', argument: payloadOf(event) as SubmittedDelivery }),
}
