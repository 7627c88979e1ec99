import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { tillbridge } from '../cli/run.ts'
import { openTestStore } from '../empty-store.ts'
import { eventually } from '../eventually.ts'
import { startWritten, writtenConfig } from './written.ts'

const STORES = [
  { storeId: '1', number: '101', stockId: '11', countryCode: 'NO' },
  { storeId: '2', number: '102', stockId: '12', countryCode: 'NO' },
  { storeId: '3', number: '201', stockId: '21', countryCode: 'SE' },
].map((one) => ({ ...one, name: `Store ${one.number}`, currency: 'NOK', zone: 'Europe/Oslo' }))

/** Each key that is most likely wrong, with what is found there. */
const DOUBTS: [key: string, says: RegExp][] = [
  ['platform.saleStores.NO', /found "199", expected a store of the platform: one of 101, 102, 201$/],
  ['platform.retailLists.199', /found the name "199", expected a store of the platform: one of .*NO, SE/],
  ['platform.webhooks.kinds[1]', /found "SaleCreatd", expected a kind that is known: .*did you mean "SaleCreated"\?/],
  ['platform.webhooks.stores[0]', /found "999", expected a store of the platform/],
  [
    'destinations.shop.publish',
    /found what comes to nothing, expected nothing here: vendure, as it is set up, sends on no events/,
  ],
  ['destinations.shop.stores[1]', /found "DK", expected a store of the platform: one of 101, 102, 201, NO, SE/],
  ['destinations.shop.intake.stores.OSL', /found "199", expected a store of the platform/],
  ['destinations.shop.messages', /found what comes to nothing, expected nothing here: .* tells customers nothing/],
  [
    'destinations.bus.publish[0]',
    /found "SalesCreated", expected a kind that is known: .*did you mean "SaleCreated"\?/,
  ],
  ['inactivity.hours.998', /found the name "998", expected a store of the platform: one of .*NO, SE/],
  [
    'retention.kinds.SaleCreatd',
    /found the name "SaleCreatd", expected a kind that is known: .*did you mean "SaleCreated"\?/,
  ],
]

test('when names are not in the lists as they were last read, then check tells those that need no platform, each with its line, and a hub starts and logs each', async () => {
  await using config = await writtenConfig({
    platform: `trustWebhooks: true
stockWriters: { nope: erp }
saleStores: { NO: "199", SE: "201" }
retailLists: { "199": Retail, SE: Retail }`,
    webhooks: `tokens: ["\${WEBHOOK_TOKEN}"]
kinds: [SaleCreated, SaleCreatd]
stores: ["999", NO]`,
    destinations: `shop:
  adapter: vendure
  url: http://127.0.0.1:9/shop
  username: hub
  password: \${SHOP_PASSWORD}
  publish: [SaleCreated]
  stores: [NO, DK, "101", se]
  channels: { web: { stocks: ["11", nope] } }
  stocks: { "13": clickAndCollect, "21": sverige }
  intake: { stores: { OSL: "199", STO: "201" } }
  messages: [ready]
bus:
  adapter: http
  url: http://127.0.0.1:9/bus
  publish: [SalesCreated]`,
    more: `inactivity: { hours: { NO: { week: { mon-sat: "10:00-20:00" } }, "998": { days: { 2026-12-24: closed } } } }
retention:
  kinds:
    SaleCreated: { payloads: 30d }
    SaleCreatd: { payloads: 30d }
    OrderSubmitted: { payloads: 30d }
    StockChanged: { payloads: 7d }`,
  })
  const storage = await openTestStore(join(config.folder, 'hub.db'))
  await storage.saveStores(STORES, 0)
  await storage[Symbol.asyncDispose]()
  const before = await readdir(config.folder)

  const checked = await tillbridge(['check', '--json'], config.env)

  expect(checked.code).toBe(1)
  expect(await readdir(config.folder)).toEqual(before)
  const { warnings } = JSON.parse(checked.out) as {
    warnings: { path: string; line: number; found: string; expected: string }[]
  }
  const reported = warnings.map(({ path, found, expected }) => [path, `found ${found}, expected ${expected}`])
  const offline = DOUBTS.filter(([, says]) => !/of the platform/.test(says.source))
  expect(reported).toEqual(offline.map(([key, says]) => [key, expect.stringMatching(says)]))
  expect(warnings.map(({ line }) => line).every((line, index, all) => line >= (all[index - 1] ?? 8))).toBe(true)

  // In text it says what is wrong with the file, and where.
  const text = await tillbridge(['check'], config.env)
  expect(text).toMatchObject({ code: 1, err: '' })
  expect(text.out).toContain(`A hub would start with ${config.path}, but this is most likely wrong in it:`)
  expect(text.out).toContain(`${config.path}:${warnings[0]?.line} platform.webhooks.kinds[1]: found`)

  await using hub = await startWritten(config.env)
  await eventually(() => {
    const said = hub.lines.filter(({ msg }) => msg === 'config.doubtful')
    expect(said.map(({ key }) => key).toSorted()).toEqual(DOUBTS.map(([key]) => key).toSorted())
    for (const [key, says] of DOUBTS) {
      const expected = expect.stringMatching(says.source.replace(/^found .*?, expected /, ''))
      expect(said).toContainEqual(expect.objectContaining({ key, expected }))
    }
  })
})

/** An adapter of one's own that looks at its system. */
const OWN = `import { z } from '${new URL('../../node_modules/zod/index.js', import.meta.url)}'
export default {
  name: 'own',
  options: z.strictObject({ down: z.boolean().default(false) }),
  create({ down }) {
    return {
      ports: {},
      async healthCheck() {
        if (down) throw new Error('nobody answers there')
        return [{ what: 'table sales', state: 'problem', says: 'It lacks a column.', todo: 'add it.' }]
      },
      async [Symbol.asyncDispose]() {},
    }
  },
}
`

test('when check asks online, then the platform says which names there are and whether it knows our keys, and destinations what they find', async () => {
  const keys = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
  await using platform = await startPlatform(keys)
  const asked = (key = 'API_KEY') =>
    `baseUrl: ${platform.url}\napiKey: \${${key}}\nsubscriptionKey: \${SUBSCRIPTION_KEY}\nsaleStores: { NO: "111" }`
  const destinations = 'one:\n  adapter: ./own.mjs\n  stores: [NO, "102"]\ntwo:\n  adapter: ./own.mjs\n  down: true'
  const server = `host: 127.0.0.1\nport: 0\nadminToken: \${ADMIN_TOKEN}\npublicUrl: https://hub.example.com`
  await using config = await writtenConfig({ server, platform: asked(), destinations })
  await writeFile(join(config.folder, 'own.mjs'), OWN)
  const offline = await tillbridge(['check'], config.env)
  expect(offline).toMatchObject({ code: 0, err: '' })
  const online = await tillbridge(['check', '--online'], config.env)
  expect(online).toMatchObject({ code: 1, err: '' })
  expect(online.out).toMatch(/platform\.saleStores\.NO: found "111", expected a store of the platform: one of 101, /)
  expect(online.out).not.toMatch(/destinations\.one\.stores/)
  expect(online.out).toMatch(/^ok +credentials +It accepts both keys\.$/m)
  expect(online.out).toMatch(/^problem +destinations +one, table sales: It lacks a column\. To do: add it\.$/m)
  expect(online.out).toMatch(/^problem +destinations +two, connection: .*\(nobody answers there\)\./m)
  await config.write({ server, platform: asked('SHOP_PASSWORD'), destinations: 'one:\n  adapter: ./own.mjs' })
  const refused = await tillbridge(['check', '--online'], config.env)
  expect(refused).toMatchObject({ code: 1, err: '' })
  expect(refused.out).toMatch(/^problem +credentials /m)
})
