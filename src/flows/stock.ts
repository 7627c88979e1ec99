import { PermanentError } from '../domain/errors.ts'
import { payloadOf } from '../domain/event.ts'
import { text } from '../domain/field.ts'
import { parseDecimal } from '../domain/money.ts'
import type { SubmittedStockCount, SubmittedStockLevel } from '../domain/submitted.ts'
import type { Flow } from './flow.ts'

/* Stock that another system counts, an online store's for example (spec, "Stock" 1 and 2). */

/** Spec, Stock 2: changes as they happen. They are levels: only the newest matters. */
export const setStock: Flow = {
  name: 'set-stock',
  kinds: ['StockLevelSubmitted'],
  port: 'platform',
  urgency: 'bulk',
  latestWins: true,
  // One call has one stock and one description.
  plan: ({ entity, payload }) => [
    { part: '', entity, batch: `${text(payload, 'stockId')}:${text(payload, 'description') ?? ''}` },
  ],
  call: (event) => ({ port: 'platform', method: 'setStock', argument: payloadOf(event) as SubmittedStockLevel }),
}

/** Spec, Stock 1: what is not in a complete count becomes 0. */
export const countStock: Flow = {
  name: 'count-stock',
  kinds: ['StockCountSubmitted'],
  port: 'platform',
  urgency: 'bulk',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'countStock', argument: payloadOf(event) as SubmittedStockCount }),
}

/**
 * The level that a movement left is published to shops (spec, "StockMovementCreated"), for the stocks that they name. It is a
 * level, so it goes only where it differs from what the shop acknowledged last, and never an older one after a newer.
 */
export const publishStock: Flow = {
  name: 'publish-stock',
  kinds: ['StockMovementCreated'],
  port: 'stock',
  method: 'setLevels',
  urgency: 'bulk',
  latestWins: true,
  plan({ entity, payload }) {
    const level = text(payload, 'stockLevel')
    if (level === null || text(payload, 'stockId') === null) return []
    const version = Number(text(payload, 'movementId'))
    return [{ part: '', entity, batch: 'levels', digest: level, ...(Number.isSafeInteger(version) && { version }) }]
  },
  call(event, _, { stocks }) {
    const payload = payloadOf(event)
    const stockId = text(payload, 'stockId') ?? lacking('stockId')
    const argument = {
      stockId,
      location: stocks[stockId] ?? stockId,
      gtin: text(payload, 'gtin'),
      sku: text(payload, 'sku'),
      level: parseDecimal(text(payload, 'stockLevel') ?? lacking('stockLevel')),
    }
    return { port: 'stock', method: 'setLevels', argument }
  },
}

function lacking(what: string): never {
  throw new PermanentError(`the movement lacks ${what}`, { code: 'bad-movement' })
}
