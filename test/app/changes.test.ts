import { expect, test } from 'vitest'
import type { z } from 'zod'
import { changedKeys, restartKeys } from '../../src/app/hub.ts'
import { Config } from '../../src/config/config.ts'

type Destinations = z.input<typeof Config>['destinations']

function config(destinations: Destinations, more: object = {}): Config {
  return Config.parse({
    server: { adminToken: 'admin-token-of-the-tests' },
    platform: { webhooks: { tokens: ['webhook-token-of-the-tests'] } },
    destinations,
    ...more,
  })
}

const SHOP = { adapter: 'vendure', url: 'https://one.example.com' }

test.each<[string, Destinations, Destinations, string[]]>([
  ['nothing', { shop: SHOP }, { shop: { ...SHOP } }, []],
  ['an option', { shop: SHOP }, { shop: { ...SHOP, url: 'https://two.example.com' } }, ['destinations.shop.url']],
  ['a destination that comes', {}, { shop: SHOP }, ['destinations.shop']],
  ['a destination that goes', { shop: SHOP }, {}, ['destinations.shop']],
  ['a list', { shop: SHOP }, { shop: { ...SHOP, skip: ['publish'] } }, ['destinations.shop.skip']],
  ['a stock with a name', { shop: SHOP }, { shop: { ...SHOP, stocks: { 7: 'web' } } }, ['destinations.shop.stocks.7']],
  [
    'a safety stock',
    { shop: { ...SHOP, channels: { web: { stocks: ['7'], safetyStock: 1 } } } },
    { shop: { ...SHOP, channels: { web: { stocks: ['7'], safetyStock: 2 } } } },
    ['destinations.shop.channels.web.safetyStock'],
  ],
])('when two configs differ in %s, then that is named as it is written', (_, before, after, keys) => {
  expect(changedKeys(config(before), config(after))).toEqual(keys)
})

test('when what a hub holds on to has changed, then that takes a restart, and nothing else', () => {
  const after = config(
    { shop: SHOP },
    { store: { url: 'postgres://127.0.0.1/hub' }, server: { adminToken: 'another-token-of-the-tests', port: 81 } },
  )
  const changed = changedKeys(config({}), after)
  expect(changed).toEqual(['server.port', 'server.adminToken', 'store.url', 'destinations.shop'])
  expect(restartKeys(changed)).toEqual(['server.port', 'store.url'])
})
