import { payloadOf } from '../domain/event.ts'
import type { SubmittedSale } from '../domain/submitted.ts'
import type { Flow } from './flow.ts'

/**
 * A completed online order becomes a sale, for returns in stores and the customer's history (spec, PUT /api/Sale). Whether
 * the platform would book it twice is not known, and it cannot be asked: an uncertain one waits for a person.
 */
export const importSale: Flow = {
  name: 'import-sale',
  kinds: ['SaleSubmitted'],
  port: 'platform',
  once: true,
  noFind: true,
  onUnknown: 'hold',
  urgency: 'bulk',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'importSale', argument: payloadOf(event) as SubmittedSale }),
}
