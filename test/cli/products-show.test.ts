import { expect, test } from 'vitest'
import type { DialectName } from '../../sandbox/platform/dialects/dialect.ts'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import { eventually } from '../eventually.ts'
import { startTestHub } from '../hub.ts'
import { asking } from './run.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const TEE = '7090012340011'

async function open(dialect: DialectName, preset: 'spec' | 'frontsystems-v2') {
  await using opened = new AsyncDisposableStack()
  const sandbox = opened.use(await startPlatform({ ...KEYS, dialect, seedCatalogue: false }))
  const at = { baseUrl: sandbox.apiUrl, preset, ...KEYS }
  const hub = opened.use(await startTestHub({ config: { platform: at } }))
  await hub.admin('jobs/stores/run', {})
  await eventually(async () => expect(await hub.hub.storage.stores()).not.toEqual([]))
  const portal = opened.use(createPlatform(at))
  const run = asking(hub)
  const open = opened.move()
  return { portal, run, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

test('When an article is asked for, then its prices in all lists are told, and its cost in each stock', async () => {
  await using the = await open('frontsystems-v2', 'frontsystems-v2')
  await the.portal.prices.saveList({ name: 'Club', prices: [{ gtin: TEE, price: '79.90', validTo: '2030-12-24' }] })
  await the.portal.prices.saveCosts({ currency: 'NOK', costPrices: [{ gtin: TEE, price: '41.25' }] })
  const { out, err, code } = await the.run('products', 'show', TEE)
  expect({ err, code }).toEqual({ err: '', code: 0 })
  expect(out).toMatch(/^Club +79\.9 .*2030-12-24/m)
  expect(out).toMatch(/^Retail NOK +349 /m)
  expect(out).toMatch(/^12 +101 +41\.25 +NOK$/m)
  expect(out).toMatch(/^13 +102 +41\.25 +NOK$/m)
  expect(out).not.toContain('Unknown:')
})
