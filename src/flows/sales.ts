import type { SubmittedSale } from '../domain/catalogue/submitted.ts'
import { keyPart, payloadOf } from '../domain/queue/event.ts'
import { idText } from '../domain/values/id.ts'
import type { Flow, Planned } from './flow.ts'
import { MAKE_PRODUCTS } from './master-data.ts'

/**
 * A completed online order becomes a sale, for returns in stores and the customer's history (spec, PUT /api/Sale). Whether
 * the platform would book it twice is not known, and it cannot be asked: an uncertain one waits for a person.
 */
export const importSale: Flow = {
  name: 'import-sale',
  kinds: ['SaleSubmitted'],
  follows: MAKE_PRODUCTS,
  port: 'platform',
  once: true,
  noFind: true,
  onUnknown: 'hold',
  urgency: 'bulk',
  plan: (event) => [{ part: '', entity: lineOf(event) }],
  call: (event) => ({ port: 'platform', method: 'importSale', argument: payloadOf(event) as SubmittedSale }),
}

/** The sales of one order of one system are imported in their order: a return after what was sold. They hold up nothing else of that number. */
function lineOf({ origin, entity, payload }: Planned): string | null {
  const orderNo = idText(payload, 'orderNo')
  return orderNo === null ? entity : `sale:${keyPart(origin)}/${keyPart(orderNo)}`
}
