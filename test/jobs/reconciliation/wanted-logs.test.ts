import { expect, test } from 'vitest'
import { tillbridge } from '../../cli/run.ts'
import { ADMIN_TOKEN, startTestHub } from '../../hub.ts'
import { HOUR, MINUTE } from '../kit.ts'

/** Config says that the platform lists subscriptions; no document shows it. */
const LISTED = { 'webhooks.list': { path: '/api/Webhooks' } }

/** A platform that nobody answers for, and what config wants of it. */
const config = (platform: object, webhooks: object = {}) => ({
  server: { publicUrl: 'https://hub.example.com' },
  platform: { baseUrl: 'http://127.0.0.1:1', apiKey: 'key', subscriptionKey: 'key', trustWebhooks: true, ...platform },
  webhooks: { kinds: ['SaleCreated', 'CustomerCreated'], ...webhooks },
})

async function openHub(given: ReturnType<typeof config>) {
  const hub = await startTestHub({ config: given })
  const env = { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  return {
    hub,
    async looked(level: 'log' | 'lists', kind: string, storeId: string | null = null) {
      const now = Date.now()
      const watermark = { level, kind, storeId, from: now - 5 * HOUR, until: now - 15 * MINUTE, since: now } as const
      await hub.hub.storage.saveReconciliation({ watermarks: [{ type: 'put', watermark }] }, now)
    },
    /** The code of `complete`, and the kinds that stand as never scanned. */
    async complete() {
      const { code, out } = await tillbridge(['complete'], env)
      return {
        code,
        never: out
          .split('\n')
          .filter((line) => line.endsWith('never scanned'))
          .map((line) => line.split(/ +/)[1]),
      }
    },
  }
}

test('when lists were compared, and the log was never looked through, then nobody says that nothing is missing', async () => {
  const { hub, looked, complete } = await openHub(config({ endpoints: LISTED }))
  await using _ = hub
  await looked('lists', 'SaleCreated')
  expect(await complete()).toEqual({ code: 4, never: ['SaleCreated', 'CustomerCreated'] })
  await looked('log', 'SaleCreated')
  expect(await complete()).toEqual({ code: 4, never: ['CustomerCreated'] })
  await looked('log', 'CustomerCreated')
  expect(await complete()).toEqual({ code: 0, never: [] })
})

test('when config wants all stores, then the log of one of them is not enough', async () => {
  const { hub, looked, complete } = await openHub(config({}, { kinds: ['SaleCreated'], stores: 'all' }))
  await using _ = hub
  await looked('log', 'SaleCreated', '42')
  expect(await complete()).toEqual({ code: 4, never: ['SaleCreated'] })
  await looked('log', 'SaleCreated')
  expect(await complete()).toEqual({ code: 0, never: [] })
})

test('when the platform shows no subscriptions, then what its lists prove needs no log, and the rest is not known', async () => {
  const { hub, looked, complete } = await openHub(config({}))
  await using _ = hub
  await looked('lists', 'SaleCreated')
  expect(await complete()).toEqual({ code: 4, never: ['CustomerCreated'] })
})
