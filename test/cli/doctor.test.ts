import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import {
  judgeEventId,
  judgeFailure,
  judgeKinds,
  judgeStores,
  judgeSubscriptions,
  type KeptWebhook,
} from '../../src/cli/doctor/platform.ts'
import { KINDS } from '../../src/platform/payloads/kinds.ts'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN, createFolder, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { startPlatformServer } from '../platform/server.ts'
import { tillbridge } from './run.ts'

const PUBLIC_URL = 'https://hub.example.com'
const API_KEY = 'api-key-of-the-doctor'
const SUBSCRIPTION_KEY = 'subscription-key-of-the-doctor'
const GUID = '0b3f9f5e-6a3c-4f0e-9a53-3f8a4ad0c001'
const kinds = KINDS.map(({ name }) => name)

interface Found {
  problems: number
  findings: { check: string; state: string; says: string; todo?: string }[]
}

/** Runs the command against a platform of the tests. Gives what it found, by check. */
async function checked({
  baseUrl,
  webhooks = '',
  preset = 'spec',
  payloads = '{}',
  destinations = 'bus: { adapter: http, url: "http://127.0.0.1:9/never-called", publish: all }',
  env = {},
}: {
  baseUrl: string
  preset?: string
  webhooks?: string
  payloads?: string
  destinations?: string
  env?: Record<string, string>
}) {
  await using folder = await createFolder()
  const path = join(folder.path, 'tillbridge.yaml')
  await writeFile(
    path,
    `server: { port: 9, publicUrl: ${PUBLIC_URL}, adminToken: "\${ADMIN_TOKEN}" }
platform:
  preset: ${preset}
  baseUrl: ${baseUrl}
  apiKey: \${API_KEY}
  subscriptionKey: \${SUBSCRIPTION_KEY}
  webhooks: { tokens: ["\${WEBHOOK_TOKEN}"]${webhooks} }
  payloads: ${payloads}
destinations:
  ${destinations}
`,
  )
  const secrets = { ADMIN_TOKEN, WEBHOOK_TOKEN, API_KEY, SUBSCRIPTION_KEY }
  const { code, out, err } = await tillbridge(['doctor', '--json'], { ...secrets, TILLBRIDGE_CONFIG: path, ...env })
  expect(err).toBe('')
  for (const secret of Object.values(secrets)) expect(out).not.toContain(secret)
  const { problems, findings }: Found = JSON.parse(out)
  return { code, problems, found: Object.fromEntries(findings.map((one) => [one.check, one])) }
}

function subscription(event: string, more: object = {}) {
  return {
    id: `w-${event}`,
    storeId: null,
    event,
    url: `${PUBLIC_URL}/webhooks/${event}/all?token=${WEBHOOK_TOKEN}`,
    ...more,
  }
}

describe('the command', () => {
  test('When all is well, then each check says so, and the exit code is 0', async () => {
    await using server = await startPlatformServer()
    await using hub = await startTestHub()
    await hub.post('SaleCreated', sale(), { headers: { 'x-what-it-is-called': GUID } })
    await hub.admin('events/dismiss', { filter: { id: 1 }, reason: 'nobody is configured to take it' })
    server.play({ body: [{ StoreId: 1, StoreNo: '7', StockId: 3, TimeZoneInfo: 'Europe/Oslo' }] }, '/api/Stores')
    server.play({ body: [] }, '/api/possettlement')
    server.play({ body: kinds }, '/api/WebhooksTypes')
    server.play({ body: [subscription('SaleCreated')] }, '/api/Webhooks')
    const record = { webhookId: 'w', webhookEventId: GUID.toUpperCase(), createdDateTime: '2026-11-20T10:00:00' }
    server.play({ body: [record] }, '/api/WebhooksEvents/w-SaleCreated')

    const { code, found, problems } = await checked({
      baseUrl: server.url,
      webhooks: ', eventIdHeader: x-what-it-is-called',
      env: { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN },
    })
    expect(Object.values(found).map(({ check, state }) => `${check}: ${state}`)).toEqual([
      'hub: ok',
      'config: ok',
      'platform: ok',
      'credentials: ok',
      'stores: ok',
      'kinds: ok',
      'fields: ok',
      'subscriptions: ok',
      'event id: ok',
    ])
    expect([code, problems]).toEqual([0, 0])
    expect(server.asked.every(({ line }) => line.startsWith('GET '))).toBe(true)
  })

  test('When webhooks came with the event id in a header nobody told of, then it is found and told', async () => {
    await using server = await startPlatformServer()
    await using hub = await startTestHub()
    const other = { 'x-trace': '11111111-2222-3333-4444-555555555555' }
    await hub.post('SaleCreated', sale(), { headers: { 'x-what-it-is-called': GUID, ...other } })
    server.play({ body: [{ StoreId: 1, StoreNo: '7', StockId: 3, TimeZoneInfo: 'Europe/Oslo' }] }, '/api/Stores')
    server.play({ body: kinds }, '/api/WebhooksTypes')
    server.play({ body: [subscription('SaleCreated'), subscription('CustomerCreated')] }, '/api/Webhooks')
    const record = { webhookId: 'w', webhookEventId: GUID, createdDateTime: '2026-11-20T10:00:00' }
    server.play({ body: [record] }, '/api/WebhooksEvents/w-SaleCreated')
    const env = { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
    const { code, found } = await checked({ baseUrl: server.url, env })
    expect(found['event id']).toMatchObject({
      state: 'problem',
      todo: expect.stringContaining('eventIdHeader: x-what-it-is-called'),
    })
    expect(found['event id']?.says).not.toContain('x-trace')
    expect(code).toBe(1)
    // Only what was sent here lately is looked up, about the time when it came.
    expect(server.asked.filter(({ line }) => line.includes('WebhooksEvents'))).toHaveLength(1)
  })

  test('When a key is refused, then it says which header and where it is made, and looks no further', async () => {
    await using server = await startPlatformServer()
    server.play({
      status: 401,
      body: `{"message":"Access denied due to invalid subscription key ${SUBSCRIPTION_KEY}"}`,
    })
    const { code, found } = await checked({ baseUrl: server.url })
    expect(found.platform?.state).toBe('ok')
    expect(found.credentials).toMatchObject({
      state: 'problem',
      todo: expect.stringMatching(/Ocp-Apim-Subscription-Key/),
    })
    expect(Object.keys(found)).toEqual(['hub', 'config', 'platform', 'credentials'])
    expect(server.asked).toHaveLength(1)
    expect(code).toBe(1)
  })

  test('When nobody is there, or no hub runs, then it says what to do', async () => {
    const none = await checked({ baseUrl: 'http://127.0.0.1:9' })
    expect(none.found.platform).toMatchObject({ state: 'problem', todo: expect.stringContaining('platform.baseUrl') })
    const api = await checked({ baseUrl: 'http://127.0.0.1:9/api' })
    expect(api.found.config).toMatchObject({ state: 'problem', says: expect.stringContaining('leave out /api') })
    await using server = await startPlatformServer()
    server.play({ body: [] })
    const { found } = await checked({ baseUrl: server.url })
    expect(found.hub).toMatchObject({
      state: 'unknown',
      says: expect.stringContaining('Start it with "tillbridge start"'),
    })
    expect(found['event id']).toMatchObject({ state: 'note', todo: expect.stringContaining('when the hub works') })
  })

  for (const preset of ['spec', 'frontsystems-v2'] as const)
    test(`When it is the sandbox, seen as ${preset}, then every question is answered`, async () => {
      const keys = { apiKey: API_KEY, subscriptionKey: SUBSCRIPTION_KEY }
      await using sandbox = await startPlatform(keys)
      const { code, found } = await checked({ baseUrl: sandbox.url, preset })
      expect(found.platform?.state).toBe('ok')
      expect(found.credentials?.state).toBe('ok')
      expect(found.stores?.says).toMatch(/^\d+ stores\..* In several currencies.*: NOK, SEK\.$/)
      expect(found.kinds).toMatchObject({ says: expect.stringContaining('The platform offers 27 kinds') })
      expect(found.fields).toEqual({ check: 'fields', state: 'ok', says: 'The platform shows the schema of 27 kinds.' })
      // It is subscribed to by nobody yet.
      expect(found.subscriptions?.state).toBe('problem')
      expect(code).toBe(1)
    })

  test('When one question fails, then the others are still asked', async () => {
    await using server = await startPlatformServer()
    server.play({ body: [{ StoreId: 1, StoreNo: '7', StockId: 3, TimeZoneInfo: 'Europe/Oslo' }] }, '/api/Stores')
    server.play({ body: [subscription('SaleCreated')] }, '/api/Webhooks')
    const { found } = await checked({ baseUrl: server.url })
    expect(found.kinds).toMatchObject({ state: 'problem', says: expect.stringContaining('404 Not Found') })
    expect(found.subscriptions).toMatchObject({ state: 'ok' })
  })
})

for (const [code, message, check, todo] of [
  ['http-401', 'Invalid key', 'credentials', /both keys.*x-api-key.*Integration users.*Ocp-Apim/],
  ['http-403', 'Forbidden', 'credentials', /may not do this.*x-api-key/],
  ['unreachable', 'ECONNREFUSED', 'platform', /baseUrl.*firewall/],
  ['certificate-refused', 'certificate has expired', 'platform', /renewed.*NODE_EXTRA_CA_CERTS/],
  ['no-answer', 'TIMEOUT', 'platform', /firewall/],
  ['http-503', 'down', 'platform', /look again later/],
  ['http-404', 'Not Found', 'platform', /platform\.preset/],
  ['not-json', 'answered HTML', 'platform', /not as the platform does/],
] as const)
  test(`what a failure of the first question means: When it is ${code} (${message}), then the problem is with the ${check}`, () => {
    const findings = judgeFailure(Object.assign(new Error(message), { code }))
    expect(findings.filter(({ state }) => state === 'problem')).toMatchObject([
      { check, todo: expect.stringMatching(todo) },
    ])
  })

describe('stores', () => {
  const store = {
    storeId: '1',
    number: '7',
    name: 'Oslo',
    stockId: '3',
    countryCode: 'NO',
    currency: 'NOK',
    zone: 'Europe/Oslo',
  }

  test('When a store has no known zone, then that is a problem; without number or stock it is worth knowing', () => {
    expect(judgeStores([store, { ...store, zone: null, name: null }])).toMatchObject({
      state: 'problem',
      says: expect.stringMatching(/^2 stores\. Without a known time zone.*: store \(1\)\.$/),
    })
    expect(judgeStores([{ ...store, number: null, stockId: null }])).toMatchObject({
      state: 'note',
      says: '1 store. Without a number of your own (StoreNo): Oslo (1). Without a stock: Oslo (1).',
    })
    expect(judgeStores([])).toMatchObject({ state: 'problem', todo: expect.stringContaining('type company') })
    expect(judgeStores([store, { ...store, currency: 'SEK' }])).toMatchObject({
      state: 'note',
      says: '2 stores. In several currencies, each of which needs a price list: NOK, SEK.',
    })
  })
})

test('kinds: When config wants one that there is not, or there are none, then that is a problem', () => {
  expect(judgeKinds(kinds, ['SaleCreated', 'SaleCreate'])).toMatchObject({
    state: 'problem',
    says: expect.stringContaining('Config wants SaleCreate,'),
    todo: expect.stringContaining('platform.webhooks.kinds'),
  })
  expect(judgeKinds([], undefined)).toMatchObject({ state: 'problem' })
})

describe('subscriptions', () => {
  const expected = { publicUrl: `${PUBLIC_URL}/`, tokens: [WEBHOOK_TOKEN], wanted: undefined, offered: kinds }

  test.each([
    ['the same host with another ending', 'https://hub.example.com.evil.org/webhooks/SaleCreated'],
    ['another port', 'https://hub.example.com:8443/webhooks/SaleCreated'],
    ['no URL', 'hub'],
  ])('When all send elsewhere (%s), then the hub will get nothing', (_, url) => {
    const found = judgeSubscriptions([subscription('SaleCreated', { url })], expected)
    expect(found).toMatchObject({ state: 'problem', says: expect.stringContaining('0 of them to this hub') })
  })

  test.each([
    [
      'a token that is not known',
      { url: `${PUBLIC_URL}/webhooks/SaleCreated?token=old` },
      /does not accept: SaleCreated/,
    ],
    ['no token', { url: `${PUBLIC_URL}/webhooks/SaleCreated` }, /does not accept: SaleCreated/],
    ['the path of another kind', { url: `${PUBLIC_URL}/webhooks/Other?token=${WEBHOOK_TOKEN}` }, /URL that is not/],
    ['a path that is no webhook', { url: `${PUBLIC_URL}/SaleCreated?token=${WEBHOOK_TOKEN}` }, /URL that is not/],
  ])('When one has %s, then that is a problem, told without the token', (_, more, says) => {
    const found = judgeSubscriptions([subscription('SaleCreated', more)], expected)
    expect(found).toMatchObject({ state: 'problem', says: expect.stringMatching(says) })
    expect(found.says).not.toMatch(/token=/)
  })

  test('When config wants a kind that none is for, then that is a problem', () => {
    const listed = [subscription('SaleCreated')]
    expect(
      judgeSubscriptions(listed, { ...expected, wanted: 'all', offered: ['SaleCreated', 'BrandNewKind'] }),
    ).toMatchObject({ state: 'problem', says: expect.stringContaining('None for BrandNewKind.') })
    expect(judgeSubscriptions(listed, { ...expected, wanted: ['SaleCreated'] })).toMatchObject({ state: 'ok' })
  })
})

describe('the header that names the event', () => {
  const ids = new Set([GUID.replaceAll('-', '')])
  const kept = (headers: Record<string, string>): KeptWebhook[] => [{ kind: 'SaleCreated', receivedAt: 0, headers }]

  for (const value of [GUID, GUID.toUpperCase(), `{${GUID}}`, GUID.replaceAll('-', '')] as const)
    test(`When it is written ${value}, then it is known`, () => {
      expect(judgeEventId(kept({ 'x-id': value }), ids, 'x-id')).toMatchObject({ state: 'ok' })
    })

  test('When config names another header, then that is a problem', () => {
    const found = judgeEventId(kept({ 'x-id': GUID, 'x-other': 'something' }), ids, 'x-other')
    expect(found).toMatchObject({ state: 'problem', says: expect.stringContaining('x-id, not x-other') })
    expect(judgeEventId(kept({}), ids, 'x-id')).toMatchObject({
      state: 'problem',
      says: expect.stringContaining('No kept webhook'),
    })
  })
})
