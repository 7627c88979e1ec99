import { type ArticleStock, availabilityOf } from '../domain/catalogue/channel.ts'
import type { SubmittedStockCount, SubmittedStockLevel } from '../domain/catalogue/submitted.ts'
import { keyPart, payloadOf } from '../domain/queue/event.ts'
import { text } from '../domain/values/field.ts'
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
  follows: MAKE_PRODUCTS,
  port: 'platform',
  urgency: 'bulk',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'countStock', argument: payloadOf(event) as SubmittedStockCount }),
}

/**
 * How many of an article can be sold is published to shops (spec, Stock 4): for each of their channels, where a level or a
 * reservation of one of its stocks changed. It is a level, so it goes only where it differs from what the shop acknowledged
 * last, and never an older one after a newer.
 */
export const publishStock: Flow = {
  name: 'publish-stock',
  kinds: ['StockChanged'],
  port: 'stock',
  method: 'setLevels',
  urgency: 'bulk',
  latestWins: true,
  byChannel: true,
  plan({ payload }, channels = {}) {
    const { gtin, stocks, version, again } = payload as ArticleStock
    return Object.entries(channels).flatMap(([location, channel]) => {
      const level = availabilityOf(channel, stocks)
      if (level === null) return []
      const entity = `available:${keyPart(location)}:${keyPart(gtin)}`
      const forced = again === location ? ({ force: true } as const) : {}
      return [{ part: location, entity, batch: 'levels', digest: level, version, ...forced }]
    })
  },
  call(event, { part: location }, { channels }) {
    const { gtin, sku, stocks } = payloadOf(event) as ArticleStock
    const channel = channels[location]
    const level = channel ? availabilityOf(channel, stocks) : null
    // Config has no such channel any more.
    if (level === null) return null
    return { port: 'stock', method: 'setLevels', argument: { location, gtin, sku, level } }
  },
}
