import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { shownFields } from '../../src/app/offline.ts'
import { PERSONAL_FIELDS } from '../../src/domain/privacy/personal-fields.ts'
import { tillbridge } from '../cli/run.ts'
import { openTestStore } from '../empty-store.ts'
import { eventually } from '../eventually.ts'
import { SECRETS, type Sections, startedWith, startWritten, type WrittenConfig, writtenConfig } from './written.ts'

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

const BUS = 'bus:\n  adapter: http\n  url: http://127.0.0.1:9/bus'
const SHOP = `shop:\n  adapter: vendure\n  url: http://127.0.0.1:9/shop\n  username: hub\n  password: \${SHOP_PASSWORD}`
const PLATFORM = `baseUrl: http://127.0.0.1:9\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}`
const CUSTOMERS = `customers:\n  tokens: ["\${LOOKUP_TOKEN}"]`
const ORDERS = `orders:\n  tokens: ["\${LOOKUP_TOKEN}"]`

/** What an operator gets wrong, the key that is named, and what is said to belong there. The line is that of `at`. */
interface Mistake {
  what: string
  given: Sections
  key: string
  at: string
  says: RegExp
}

const MISTAKES: Mistake[] = [
  {
    what: 'what is not to be asked is no destination',
    given: { destinations: BUS, more: 'completeness:\n  destinations:\n    leave: [bust]' },
    key: 'completeness.destinations.leave',
    at: 'leave: [bust]',
    says: /found "bust", which is no destination, expected names of destinations: bus/,
  },
  {
    what: 'a job is misspelt',
    given: { more: 'jobs:\n  settlement: "0 5 * * *"' },
    key: 'jobs.settlement',
    at: 'settlement:',
    says: /did you mean "settlements"\?/,
  },
  {
    what: 'a time of a job is none',
    given: { more: 'jobs:\n  settlements: nightly' },
    key: 'jobs.settlements',
    at: 'settlements:',
    says: /expected a cron expression/,
  },
  {
    what: 'the file of an adapter is not there',
    given: { destinations: 'erp:\n  adapter: ./erp.ts' },
    key: 'destinations.erp.adapter',
    at: 'adapter: ./erp.ts',
    says: /There is no adapter file .*erp\.ts/,
  },
  {
    what: 'a skipped flow is misspelt',
    given: { destinations: `${BUS}\n  skip: [publish, book-sales]` },
    key: 'destinations.bus.skip[1]',
    at: 'skip:',
    says: /found "book-sales", expected a flow: .*did you mean "book-sale"\?/,
  },
  {
    what: 'a daily flow is misspelt',
    given: {
      destinations: 'erp:\n  adapter: files\n  folder: /tmp\n  write: { sale: {} }\n  daily:\n    flows: [book-sal]',
    },
    key: 'destinations.erp.daily.flows[0]',
    at: 'flows:',
    says: /found "book-sal", expected a flow: .*did you mean "book-sale"\?/,
  },
  {
    what: 'two shops would create the same orders',
    given: { destinations: `${SHOP}\n${SHOP.replace('shop:', 'other:')}` },
    key: 'destinations.other',
    at: 'other:',
    says: /found a second destination, besides shop, for what must happen once \(.*create-order.*\), expected skip: /,
  },
  {
    what: 'two shops share a store',
    given: { destinations: `${SHOP}\n  stores: [NO]\n${SHOP.replace('shop:', 'other:')}\n  stores: [SE, NO]` },
    key: 'destinations.other.stores',
    at: 'stores: [SE, NO]',
    says: /found stores that meet those of shop \(NO is in both\)/,
  },
  {
    what: 'a stock has two writers',
    given: {
      platform: 'trustWebhooks: true\nstockWriters:\n  "7": shop',
      destinations: `${SHOP}\n  stocks: { "7": web }`,
    },
    key: 'platform.stockWriters.7',
    at: '"7": shop',
    says: /found a second writer of stock 7: shop is sent its levels as well \(web\), expected one writer/,
  },
  {
    what: 'a location is told of twice',
    given: { destinations: `${SHOP}\n  stocks: { "7": web }\n  channels: { web: { stocks: ["8"] } }` },
    key: 'destinations.shop.channels.web',
    at: 'channels:',
    says: /expected another name, or no entry of that name in stocks/,
  },
  {
    what: 'a lookup asks who is not there',
    given: { lookups: `${CUSTOMERS}\n  ask: [directory, crm]` },
    key: 'lookups.customers.ask[1]',
    at: 'ask:',
    says: /found "crm", expected one that can look for customers: one of directory/,
  },
  {
    what: 'a lookup has nobody to ask',
    given: { lookups: ORDERS, destinations: BUS },
    key: 'lookups.orders',
    at: 'orders:',
    says: /found a lookup that nobody can answer, expected a destination that can look for orders/,
  },
  {
    what: 'the answer of a lookup is no JSONata',
    given: { lookups: `${CUSTOMERS}\n  answer: "customers.{"` },
    key: 'lookups.customers.answer',
    at: 'answer:',
    says: /found "customers\.\{", expected JSONata at character \d+/,
  },
  {
    what: 'an endpoint is misspelt',
    given: { platform: `${PLATFORM}\nendpoints:\n  orders.reed: { path: /api/order }` },
    key: 'platform.endpoints["orders.reed"]',
    at: 'orders.reed:',
    says: /found the name "orders\.reed", expected an operation: .*did you mean "orders\.read"\?/,
  },
  {
    what: 'a parameter of the query of an endpoint is misspelt',
    given: {
      platform: `${PLATFORM}\nendpoints:\n  settlements.list: { query: { dya: { name: day, format: plain } } }`,
    },
    key: 'platform.endpoints["settlements.list"].query.dya',
    at: 'settlements.list:',
    says: /expected one of day, storeId, offset, limit, includePaymentTypes; did you mean "day"\?/,
  },
  {
    what: 'the words for mails stand in no file',
    given: {
      destinations: `mail:\n  adapter: smtp\n  url: \${SMTP_URL}\n  from: a@example.com\n  wording: /nowhere/own.yaml`,
    },
    key: 'destinations.mail.wording',
    at: 'wording:',
    says: /found "\/nowhere\/own\.yaml", expected a value that can be used: the file .* cannot be read/,
  },
]

describe('a config that cannot be', () => {
  let config: WrittenConfig
  beforeAll(async () => {
    config = await writtenConfig()
  })
  afterAll(() => config[Symbol.asyncDispose]())

  test.each(MISTAKES.map((mistake) => [mistake.what, mistake] as const))(
    'when %s, then check and start refuse it in the same words, with its line, and leave nothing behind',
    async (_, { given, key, at, says }) => {
      await config.write(given)
      const { env } = config
      const checked = await tillbridge(['check'], env)
      expect(checked).toMatchObject({ code: 2, out: '' })
      expect(checked.err).toMatch(says)
      expect(checked.err).toContain(`${config.path}:${await lineOf(config.path, at)} ${key}: found`)
      for (const secret of Object.values(SECRETS)) expect(checked.err).not.toContain(secret)
      expect(await startedWith(env)).toBe(checked.err.trimEnd())
      expect(await readdir(config.folder)).toEqual(['tillbridge.yaml'])
    },
  )
})

/** The line that a piece of the file begins in. */
async function lineOf(path: string, piece: string): Promise<number> {
  const text = await readFile(path, 'utf8')
  const at = text.indexOf(piece)
  if (at < 0) throw new Error(`The file does not hold ${piece}.`)
  return text.slice(0, at).split('\n').length
}

test('each leaf of a call has its path, in lists too, and bytes have their size and hash', () => {
  const argument = {
    sale: { lines: [{ gtin: '709' }, {}], paid: true },
    none: null,
    left: undefined,
    body: Buffer.from('a'),
  }

  expect(shownFields(argument)).toEqual({
    'sale.lines.0.gtin': '709',
    'sale.lines.1': '{}',
    'sale.paid': 'true',
    none: 'null',
    body: '1 bytes (ca978112ca1b)',
  })
})

test.each([
  ['sale.total.amount', '349.50', '349.50'],
  ['sale.lines.0.gtin', '7090012340011', '7090012340011'],
  ['sale.createdAt', '2026-11-20T14:03:27', '2026-11-20T14:03:27'],
  ['sale.customer.birthDate', '1980-01-02', '… (10 signs)'],
  ['sale.customer.number', 4711, '… (4 signs)'],
  ['sale.customer', null, 'null'],
  ['sale.customer.deleted', false, 'false'],
  ['to', '4790000000', '… (10 signs)'],
  ['sale.receiptUrl', 'https://r.example/1', '… (19 signs)'],
  ['sale.reference', 'kari@example.com', '… (16 signs)'],
  ['sale.reference', 'Kari Nordmann', '… (13 signs)'],
  ['sale.shippingAddress.city', 'Oslo', '… (4 signs)'],
])('the field %s with %s is shown as %s', (path, value, shown) => {
  expect(shownFields({ [path]: value })).toEqual({ [path]: shown })
})

test('each personal field is masked, however its name is written', () => {
  const names = [...PERSONAL_FIELDS.keys(), 'CustomerGuid', 'PostalCode']
  for (const name of names)
    expect(shownFields({ a: { [name]: '12345' } }), name).toEqual({ [`a.${name}`]: '… (5 signs)' })
  expect(shownFields({ constructor: '1', total: '1' })).toEqual({ constructor: '1', total: '1' })
})
