import { type ArticleStock, availabilityOf } from '../domain/catalogue/channel.ts'
import { keyPart, PULLED, payloadOf } from '../domain/queue/event.ts'
import type { Flow } from './flow.ts'

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

/** Available quantity per channel (spec, Stock 4). */
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
    if (level === null) return null
    return { port: 'stock', method: 'setLevels', argument: { location, gtin, sku, level } }
  },
}
