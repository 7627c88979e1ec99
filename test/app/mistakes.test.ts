import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tillbridge } from '../cli/run.ts'
import { SECRETS, type Sections, startedWith, type WrittenConfig, writtenConfig } from './written.ts'

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
