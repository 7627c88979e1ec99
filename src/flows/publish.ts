import { type ArticleStock, availabilityOf } from '../domain/catalogue/channel.ts'
import { keyPart, PULLED, payloadOf } from '../domain/queue/event.ts'
import type { Flow } from './flow.ts'

/** Hands the raw event on, to every destination that asks for its kind (`publish` in config). */
export const publish: Flow = {
  name: 'publish',
  kinds: 'all',
  port: 'publish',
  urgency: 'prompt',
  plan: (event) => [{ part: '', entity: event.entity }],
  call: (event) => ({
    port: 'publish',
    method: 'publish',
    argument: {
      kind: event.kind,
      body: event.body,
      ...(event.subscription === PULLED && { pulled: true as const }),
      receivedAt: event.receivedAt,
    },
  }),
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
