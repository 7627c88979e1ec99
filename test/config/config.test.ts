import { describe, expect, test } from 'vitest'
import { load, MINIMUM, problemsOf } from './fixture.ts'

const EITHER = 'file:<path> of a SQLite database, or postgres://user:password@host:5432/database for several hubs'

describe('what is not written', () => {
  test('when a section or a key has no value, then it counts as not written', async () => {
    const config = await load(`${MINIMUM}destinations:\nstore:\n  url:\nlog:\n`)
    expect(config).toMatchObject({
      destinations: [],
      store: { url: 'file:./data/tillbridge.db', connections: 10 },
      log: { level: 'info' },
    })
  })

  test('when the file is empty, then every required key is named, and not only the first', async () => {
    expect(await problemsOf('')).toEqual([
      { path: 'server.adminToken', line: 1, found: 'nothing', expected: 'text' },
      { path: 'platform.webhooks.tokens', line: 1, found: 'nothing', expected: 'a list' },
    ])
  })
})

describe('what comes out', () => {
  test('when durations and sizes are written, then milliseconds and bytes come out', async () => {
    const config = await load(`
server: { adminToken: "\${ADMIN_TOKEN}", maxBody: 10kb }
platform: { webhooks: { tokens: ["\${WEBHOOK_TOKEN}"], sameBytesWindow: 90d } }
destinations: { bus: { adapter: http, url: https://bus.example.com, queue: { timeout: 800ms } } }
`)
    expect(config.server.maxBody).toBe(10_240)
    expect(config.platform.webhooks.sameBytesWindow).toBe(90 * 86_400_000)
    expect(config.destinations[0]?.queue).toEqual({ concurrency: 4, timeout: 800 })
  })

  test('when a store stands for a country, then the country is a code in capital letters', async () => {
    const withStores = (stores: string) => MINIMUM.replace('platform: {', `platform: { saleStores: ${stores},`)
    expect((await load(withStores('{ NO: "101", SE: "201" }'))).platform.saleStores).toEqual({ NO: '101', SE: '201' })
    expect(await problemsOf(withStores('{ Norway: "101" }'))).toMatchObject([
      { path: 'platform.saleStores.Norway', expected: 'a country code of two capital letters, such as NO' },
    ])
  })

  test('when config says where fields of payloads stand, then kinds, fields and JSONata are those that there are', async () => {
    const withPayloads = (fields: string) => MINIMUM.replace('platform: {', `platform: { payloads: ${fields},`)
    const named =
      '{ GiftCardTransactionCreated: { amount: transaction.value }, StockCountReconciled: { items.quantity: n } }'
    expect((await load(withPayloads(named))).platform.payloads).toEqual({
      GiftCardTransactionCreated: { amount: 'transaction.value' },
      StockCountReconciled: { 'items.quantity': 'n' },
    })
    const endless = '($f := function($n) { $f($n + 1) }; $f(0))'
    const faults: [string, string, RegExp][] = [
      ['GiftCardSold: { amount: value }', 'GiftCardSold', /GiftCardTransactionCreated/],
      [
        'GiftCardTransactionCreated: { sum: value }',
        'GiftCardTransactionCreated.sum',
        /transactionId, giftCardId, type/,
      ],
      ...(
        [
          ['the value', /^a path such as Transaction.Amount, or JSONata: .* \(at character 9\)$/],
          ['$nmber(value)', /^JSONata whose functions there are \(at character 7\)$/],
          [endless, /^JSONata that comes to an end$/],
        ] as const
      ).map(([where, expected]): [string, string, RegExp] => [
        `GiftCardTransactionCreated: { amount: "${where}" }`,
        'GiftCardTransactionCreated.amount',
        expected,
      ]),
    ]
    for (const [written, path, expected] of faults)
      expect(await problemsOf(withPayloads(`{ ${written} }`))).toMatchObject([
        { path: `platform.payloads.${path}`, expected: expect.stringMatching(expected) },
      ])
    const jsonata = '{ GiftCardTransactionCreated: { amount: "-$number(value)", currency: "\'NOK\'" } }'
    expect((await load(withPayloads(jsonata))).platform.payloads).toMatchObject({
      GiftCardTransactionCreated: { amount: '-$number(value)', currency: "'NOK'" },
    })
  })

  test('when a destination is written, then its common keys and its adapter’s options are distinguished', async () => {
    const config = await load(`${MINIMUM}destinations:
  bus: { adapter: http, url: https://bus.example.com, publish: [SaleCreated], skip: [receipts], dryRun: true }
  all: { adapter: http, url: https://all.example.com, publish: all, retries: 2 }
`)
    const common = {
      ...{ adapter: 'http', stores: null, messages: [], stocks: {}, channels: {}, accounts: null },
      ...{ allowPrivate: false },
      ...{ daily: { flows: [], closes: '03:00' }, intake: { stores: {}, currencies: {} }, queue: { concurrency: 4 } },
    }
    expect(config.destinations).toEqual([
      {
        ...{ ...common, name: 'bus', publish: ['SaleCreated'], skip: ['receipts'], dryRun: true },
        options: { url: 'https://bus.example.com', retries: 0 },
        written: { url: 'https://bus.example.com' },
      },
      {
        ...{ ...common, name: 'all', publish: 'all', skip: [], dryRun: false },
        options: { url: 'https://all.example.com', retries: 2 },
        written: { url: 'https://all.example.com', retries: 2 },
      },
    ])
  })

  test('when the platform has an address but no keys, then both are asked for', async () => {
    const text = `
server: { adminToken: "\${ADMIN_TOKEN}" }
platform: { baseUrl: https://pos.example.com, webhooks: { tokens: ["\${WEBHOOK_TOKEN}"] } }
`
    await expect(load(text)).rejects.toThrow(/platform\.apiKey[\s\S]*platform\.subscriptionKey/)
  })

  test('when the header of the event id is written in capitals, then it is lower-cased', async () => {
    const config = await load(`
server: { adminToken: "\${ADMIN_TOKEN}" }
platform: { webhooks: { tokens: ["\${WEBHOOK_TOKEN}"], eventIdHeader: X-Event-Id } }
`)
    expect(config.platform.webhooks.eventIdHeader).toBe('x-event-id')
  })

  test('when it is loaded, then nothing of it can be changed', async () => {
    const config = await load(`${MINIMUM}destinations: { bus: { adapter: http, url: https://bus.example.com } }`)
    expect(() => Object.assign(config.server, { port: 1 })).toThrow(TypeError)
    expect(() => config.platform.webhooks.tokens.push('another')).toThrow(TypeError)
    expect(() => Object.assign(config.destinations[0]?.options ?? {}, { url: '' })).toThrow(TypeError)
  })
})

describe('bounds', () => {
  const server = (line: string) => `
server:
  adminToken: \${ADMIN_TOKEN}
  ${line}
platform: { webhooks: { tokens: ["\${WEBHOOK_TOKEN}"] } }
`

  test.each([
    ['port: 65536', 'server.port', '65536', 'at most 65535'],
    ['port: 80.5', 'server.port', '80.5', 'a whole number'],
    ['port: eighty', 'server.port', '"eighty"', 'a number'],
    ['host: 127', 'server.host', '127', 'text: put it in quotes'],
    ['admin: { port: 8080 }', 'server.admin.port', '8080', 'another port than that of server.port'],
    ['publicUrl: htp:/x', 'server.publicUrl', '"htp:/x"', 'an http or https URL'],
    ['maxBody: 64', 'server.maxBody', '64', 'a size from 1kb to 512mb, such as 512kb or 64mb'],
    ['maxBody: 64 pounds', 'server.maxBody', '"64 pounds"', 'a size from 1kb to 512mb, such as 512kb or 64mb'],
    ['maxBody: 9gb', 'server.maxBody', '"9gb"', 'a size from 1kb to 512mb, such as 512kb or 64mb'],
  ])('when %s is written, then it is refused', async (line, path, found, expected) => {
    expect(await problemsOf(server(line))).toEqual([{ path, line: 4, found, expected }])
  })

  test('when no value of the identity provider has a role, then sign-in there is refused', async () => {
    const oidc = `{ issuer: https://login.example.com, clientId: hub, clientSecret: "\${BUS_SECRET}", roles: {} }`
    expect(await problemsOf(`${MINIMUM}console: { oidc: ${oidc} }`)).toMatchObject([
      { path: 'console.oidc.roles', expected: 'at least one value and its role, else nobody may sign in' },
    ])
  })

  const bus = (keys: string) =>
    `${MINIMUM}destinations: { bus: { adapter: http, url: https://bus.example.com, ${keys} } }`
  const timeout = 'a duration from 100ms to 10m, such as 800ms, 20s, 5m, 24h or 90d'

  test.each([
    ['queue: { concurrency: 0 }', 'queue.concurrency', '0', 'at least 1'],
    ['queue: { concurrency: 257 }', 'queue.concurrency', '257', 'at most 256'],
    ['queue: { timeout: 99ms }', 'queue.timeout', '"99ms"', timeout],
    ['queue: { timeout: 11m }', 'queue.timeout', '"11m"', timeout],
    ['queue: { timeout: 20 }', 'queue.timeout', '20', timeout],
    ['publish: some', 'publish', '"some"', '"all" or a list'],
    ['publish: [SaleCreated, 1]', 'publish[1]', '1', 'text: put it in quotes'],
    ['skip: receipts', 'skip', '"receipts"', 'a list'],
    ['dryRun: maybe', 'dryRun', '"maybe"', 'true or false'],
  ])('when a destination has %s, then it is refused', async (keys, path, found, expected) => {
    expect(await problemsOf(bus(keys))).toEqual([{ path: `destinations.bus.${path}`, line: 3, found, expected }])
  })

  for (const name of ['Bus', '1bus', 'my_bus', 'b'.repeat(41)] as const)
    test(`when a destination is called ${name}, then it is refused`, async () => {
      const problems = await problemsOf(
        `${MINIMUM}destinations: { ${name}: { adapter: http, url: https://bus.example.com } }`,
      )
      expect(problems).toEqual([
        {
          path: `destinations.${name}`,
          line: 3,
          found: `the name "${name}"`,
          expected: 'a name of at most 40 lower-case letters, digits and hyphens that begins with a letter',
        },
      ])
    })

  test('when a destination is called platform, then it is said that the platform itself has that name', async () => {
    expect(
      await problemsOf(`${MINIMUM}destinations: { platform: { adapter: http, url: https://a.example } }`),
    ).toMatchObject([{ path: 'destinations.platform', expected: 'another name: platform is the platform itself' }])
  })

  test('when the store is a PostgreSQL database, then that is taken; another one is refused without its password', async () => {
    const store = async (url: string) => (await load(`${MINIMUM}store: { url: "${url}" }`, { env: { PW: 'pw' } })).store
    expect(await store(`postgres://hub:\${PW}@db/hub`)).toEqual({ url: 'postgres://hub:pw@db/hub', connections: 10 })
    expect(await store('postgresql://db/hub?schema=POS')).toMatchObject({ url: 'postgresql://db/hub?schema=POS' })
    const [problem] = await problemsOf(`${MINIMUM}store: { url: "mysql://hub@db/hub?sslkey=x" }`)
    expect(problem).toEqual({
      path: 'store.url',
      line: 3,
      found: '"mysql://(secret)@db/hub?(secret)"',
      expected: EITHER,
    })
  })

  test('when a token is short or there is none, then it is refused', async () => {
    const text = (tokens: string) =>
      `server: { adminToken: "\${ADMIN_TOKEN}" }\nplatform: { webhooks: { tokens: ${tokens} } }\n`
    expect(await problemsOf(text('[]'))).toMatchObject([
      { found: 'an empty list', expected: 'at least 1 item in the list' },
    ])
    expect(await problemsOf(text(`["\${S}"]`), { env: { S: 'fifteen letters' } })).toEqual([
      { path: 'platform.webhooks.tokens[0]', line: 2, found: '(secret)', expected: 'at least 16 characters' },
    ])
  })

  test.each([
    ['a blank', 'sixteen letters and more'],
    ['a line break at its end', 'sixteen-letters-and-more\n'],
    ['letters that no header carries', 'seksten-bokstaver-på-norsk'],
  ])('when a token that is sent in a header has %s, then it is refused', async (_, token) => {
    const text = `
server: { adminToken: "\${T}" }
platform: { webhooks: { tokens: ["\${T}"] } }
lookups: { customers: { tokens: ["\${T}"] } }
`
    const expected = 'ASCII letters, digits and signs alone; is there a blank or a line break, perhaps at its end?'
    expect(await problemsOf(text, { env: { T: token } })).toEqual([
      { path: 'server.adminToken', line: 2, found: '(secret)', expected },
      { path: 'lookups.customers.tokens[0]', line: 4, found: '(secret)', expected },
    ])
  })
})
