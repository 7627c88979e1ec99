import type { SubmittedStockCount, SubmittedStockLevel } from '../domain/catalogue/submitted.ts'
import { type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'
import type { Flow } from './flow.ts'
import { MAKE_PRODUCTS } from './master-data.ts'

/* Stock that another system counts, an online store's for example (spec, "Stock" 1 and 2). */

/** Spec, Stock 2: changes as they happen. They are levels: only the newest matters. */
export const setStock: Flow = {
  name: 'set-stock',
  kinds: ['StockLevelSubmitted'],
  follows: MAKE_PRODUCTS,
  port: 'platform',
  urgency: 'bulk',
  latestWins: true,
  undoneBy: { flows: ['count-stock'], elsewhere: countOf, leaves: () => null },
  afterEarlier: { flow: 'count-stock', about: countOf },
  // One call has one stock and one description.
  plan: ({ entity, payload }) => [
    { part: '', entity, batch: `${idText(payload, 'stockId')}:${text(payload, 'description') ?? ''}` },
  ],
  call: (event) => ({ port: 'platform', method: 'setStock', argument: payloadOf(event) as SubmittedStockLevel }),
}

/** Spec, Stock 1: what is not in a complete count becomes 0. A newer one says all of the stock anew. */
export const countStock: Flow = {
  name: 'count-stock',
  kinds: ['StockCountSubmitted'],
  follows: MAKE_PRODUCTS,
  port: 'platform',
  urgency: 'bulk',
  latestWins: true,
  afterEarlier: { flow: setStock.name, about: (event) => `level:${stockOf(event)}/` },
  undoneBy: { flows: [setStock.name], elsewhere: () => null, leaves: (count, { body }) => withLevel(count, body) },
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'countStock', argument: payloadOf(event) as SubmittedStockCount }),
}

function stockOf(event: Event): string {
  return keyPart(idText(payloadOf(event), 'stockId') ?? '')
}

/** The entity of complete counts of a level's stock. */
function countOf(event: Event): string {
  return `count:${stockOf(event)}`
}

/** The count with a level of its stock that was told since. */
function withLevel(count: Event, body: Uint8Array): Event {
  const { stockId, gtin, quantity } = payloadOf({ body }) as SubmittedStockLevel
  const counted = payloadOf(count) as SubmittedStockCount
  if (counted.stockId !== stockId) return count
  const items = [...counted.items.filter((item) => item.gtin !== gtin), { gtin, quantity }]
  return { ...count, body: Buffer.from(JSON.stringify({ ...counted, items })) }
}
