import { payloadOf } from '../domain/event.ts'
import type { SubmittedCustomer } from '../domain/submitted.ts'
import type { Flow } from './flow.ts'

/** A customer of an own system becomes one of the platform, or is found there (spec, PUT /api/Customer). */
export const saveCustomer: Flow = {
  name: 'save-customer',
  kinds: ['CustomerSubmitted'],
  port: 'platform',
  urgency: 'bulk',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'saveCustomer', argument: payloadOf(event) as SubmittedCustomer }),
}
