import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createBudget } from '../../src/http/budget.ts'
import { createPosPriority } from '../../src/http/pos-priority.ts'
import { createKeptHeaders } from '../../src/http/webhooks.ts'
import { KINDS } from '../../src/platform/payloads/kinds.ts'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN, busTo, keptAs, keptIn, OLD_WEBHOOK_TOKEN, shareHub, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { countOwnTime } from '../own-time.ts'
import { startSink } from '../sink.ts'

describe('any kind', () => {
  const hub = shareHub()

  test('when each kind of the spec comes with a body that says next to nothing, then each is answered 2xx', async () => {
    for (const { name, identity } of KINDS) {
      const { status, body } = await hub().post(name, { note: 'thin' })
      expect({ name, status, said: body.status }).toEqual({
        name,
        status: 202,
        said: identity ? 'quarantined' : 'accepted',
      })
    }
  })

  test.each([
    ['OmniChannelOrderUpdated', { order: { id: 'O-1' } }],
    ['OmniChannelOrderRefundUpdated', { refund: { id: 'R-1' } }],
    ['CustomerUpdated', { customerId: 1 }],
    ['DeliveryUpdated', { orderId: 1 }],
    ['POSSettlementCreated', { settlementId: 1 }],
    ['StockMovementCreated', { movementId: 1 }],
    ['SaleCreated', { receiptNo: 1, createdDateTime: '2026-11-20T00:00:00', store: { posId: 1 } }],
  ])('when %s is thin but says which one it is, then it is accepted', async (kind, thin) => {
    expect(await hub().post(kind, thin)).toMatchObject({ status: 202, body: { status: 'accepted' } })
  })
})

describe('a kind that the hub does not know', () => {
  const hub = shareHub()

  test.each([
    ['unknown', 'LoyaltyPointsGranted', 'LoyaltyPointsGranted'],
    ['of other case', 'saleCREATED', 'saleCREATED'],
    ['with a slash', 'Sale%2FCreated', 'Sale/Created'],
    ['of 300 characters, of which 200 are kept', 'K'.repeat(300), 'K'.repeat(200)],
    ['not ASCII', 'Verkauf%C3%9F%F0%9F%8E%81', 'Verkaufß🎁'],
    ['with a line break', 'Sale%0d%0aCreated', 'Sale\r\nCreated'],
    ['with NUL', 'Sale%00', 'Sale\0'],
    ['__proto__', '__proto__', '__proto__'],
    ['constructor', 'constructor', 'constructor'],
    ['a path upwards', '..%2f..%2fadmin', '../../admin'],
  ])('when it is %s, then it is an ordinary event', async (_, path, kind) => {
    const { status, body } = await hub().post(path, { a: 1 })
    expect({ status, said: body.status }).toEqual({ status: 202, said: 'accepted' })
    expect((await hub().post(path, { a: 1 })).body).toEqual({ status: 'duplicate', id: body.id })
    expect(keptAs(hub(), body.id)).toMatchObject({ kind, identity: null })
    const found = await hub().admin(`events?kind=${encodeURIComponent(kind)}`)
    expect(found.body).toMatchObject({ events: [{ id: body.id, kind }] })
  })

  test('when a destination wants all, then it goes there under its name, as far as a header can say it', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    for (const kind of ['Verkauf%C3%9F', 'Sale%0d%0aX-Evil%3A%201']) await hub.post(kind, { a: 1 })
    await sink.until(2)
    expect(sink.received.map(({ kind }) => decodeURIComponent(kind)).sort()).toEqual(['Sale\r\nX-Evil: 1', 'Verkaufß'])
    expect(sink.received.some(({ headers }) => 'x-evil' in headers)).toBe(false)
  })
})

test('when a subscription is named, then it is kept with the event', async () => {
  await using hub = await startTestHub()
  await hub.post('SaleCreated', {}, { subscription: '101' })
  await hub.post('StockCountReconciled', {})
  expect(keptAs(hub, 1)).toMatchObject({ subscription: '101' })
  expect(keptAs(hub, 2)).toMatchObject({ subscription: null })
})

test('when a token is wrong or missing, then the answer is 401 that says what to do, and nothing is kept', async () => {
  await using hub = await startTestHub()
  const wrong = [null, '', 'wrong', WEBHOOK_TOKEN.slice(0, -1), `${WEBHOOK_TOKEN}x`, ADMIN_TOKEN, 'x'.repeat(2_000)]
  for (const token of wrong) {
    const answer = await hub.post('SaleCreated', sale(), { token })
    expect(answer).toMatchObject({ status: 401, body: { status: 401, code: 'wrong-token', title: 'Wrong token' } })
    expect(answer.body.detail).toContain('platform.webhooks.tokens')
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
  }
  expect(keptIn(hub)).toEqual([])
})

test('when the token is given twice, in a header, or in the body, then it does not count', async () => {
  await using hub = await startTestHub()
  const twice = `/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}&token=${WEBHOOK_TOKEN}`
  expect(await hub.ask(twice, { method: 'POST', body: '{}' })).toMatchObject({ status: 401 })
  const headers = { authorization: `Bearer ${WEBHOOK_TOKEN}`, token: WEBHOOK_TOKEN }
  expect(await hub.post('SaleCreated', `token=${WEBHOOK_TOKEN}`, { token: null, headers })).toMatchObject({
    status: 401,
  })
})

test('when two tokens are live, then both are good', async () => {
  await using hub = await startTestHub()
  for (const [index, token] of [WEBHOOK_TOKEN, OLD_WEBHOOK_TOKEN].entries())
    expect(await hub.post('StockMovementCreated', { movementId: index }, { token })).toMatchObject({ status: 202 })
})

test('when somebody guesses on, then the answer becomes 429, and a right token from there is still taken', async () => {
  await using hub = await startTestHub()
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, n) => hub.post('SaleCreated', sale(), { token: `guess ${n}` })),
  )
  const statuses = guesses.map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(30)
  const refused = guesses.find(({ status }) => status === 429)
  expect(refused).toMatchObject({ body: { code: 'too-many-wrong-tokens' }, headers: { 'retry-after': '60' } })
  expect(refused?.headers['content-type']).toMatch(/^application\/problem\+json/)
  expect(await hub.post('SaleCreated', sale())).toMatchObject({ status: 202 })
  expect((await hub.admin('status')).status).toBe(200)
  for (let n = 0; n < 50; n++) expect((await hub.post('SaleCreated', sale())).status).toBe(200)
})

test('when webhooks come and fail in any way, then no token is in a log line, an answer, or what is kept', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({
    destinations: { bus: busTo(sink.url) },
    config: { server: { maxBody: '4kb' } },
  })
  const secrets = {
    referer: `https://hub/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`,
    'x-forwarded-uri': `/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`,
    'x-original-url': `/webhooks/SaleCreated?x=1&token=${WEBHOOK_TOKEN}`,
  }
  const answers = [
    await hub.post('SaleCreated', sale(), { headers: secrets }),
    await hub.post('SaleCreated', 'broken', { headers: secrets }),
    await hub.post('SaleCreated', 'x'.repeat(5_000), { headers: secrets }),
    await hub.post('SaleCreated', sale({ total: 1 })),
    await hub.post('SaleCreated', sale(), { token: `${WEBHOOK_TOKEN}1` }),
    await hub.post('%E0%A4%A', sale()),
    await hub.ask(`/webhooks?token=${WEBHOOK_TOKEN}`),
    await hub.ask(`/nowhere?token=${WEBHOOK_TOKEN}`),
    await hub.admin('events'),
    await hub.admin('status'),
    ...(await Promise.all([1, 2, 3].map((id) => hub.admin(`events/${id}`)))),
  ]
  await sink.until(1)

  for (const { text, headers } of answers) expect(`${text}${JSON.stringify(headers)}`).not.toContain(WEBHOOK_TOKEN)
  expect(JSON.stringify(hub.lines)).not.toContain(WEBHOOK_TOKEN)
  expect(JSON.stringify(sink.received)).not.toContain(WEBHOOK_TOKEN)
  // One of an unreadable name, too.
  expect(keptIn(hub)).toHaveLength(5)
  for (const { body, ...kept } of keptIn(hub)) expect(`${body} ${JSON.stringify(kept)}`).not.toContain(WEBHOOK_TOKEN)
})

const TOKEN = 'a token/of+4 words & ümlauts='
const GUID = '5f0c2a9d-3b7e-4186-8c1f-5a7e90d2b6c4'
const keep = createKeptHeaders({ also: ['x-original-url', 'x-note'], tokens: [TOKEN, GUID] })
const url = (token: string) => `https://hub.example.com/webhooks/SaleCreated/all?x=1&token=${token}`

test('headers of the list are stored as they came, several of one name as one', () => {
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': 'k-1',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    'user-agent': 'Platform/7 (100 % of it; C:\\x)',
    'x-request-id': 'R-1',
  }
  expect(keep({ ...headers, 'x-note': ['a', 'b'] })).toEqual({ ...headers, 'x-note': 'a, b' })
})

test('a header that is not of the list is not stored, whatever form of a secret it carries', () => {
  const base64 = Buffer.from(`hub:${TOKEN}`).toString('base64')
  expect(
    keep({ 'x-any': TOKEN, 'x-b': base64, 'x-c': `Bearer ${TOKEN}`, referer: url(TOKEN), via: '1.1 proxy' }),
  ).toEqual({})
})

test.each([
  '0c9a7c2e-6b3e-4f7e-9d1a-2f0b8a1f9e11',
  '{0C9A7C2E-6B3E-4F7E-9D1A-2F0B8A1F9E11}',
  '0c9a7c2e6b3e4f7e9d1a2f0b8a1f9e11',
])('the GUID %s is stored under any harmless name, since it may be the id of the event', (guid) => {
  expect(keep({ 'x-what-it-is-called': guid })).toEqual({ 'x-what-it-is-called': guid })
})

describe.each([
  'authorization',
  'cookie',
  'dpop-token',
  'ocp-apim-subscription-key',
  'x-api-key',
  'x-client-secret',
  'x-credentials',
  'x-csrf',
  'x-ms-client-principal-id',
  'x-password',
  'x-session-id',
])('a GUID in the header %s', (name) => {
  test('is taken for a secret and not stored', () => {
    expect(keep({ [name]: '0c9a7c2e-6b3e-4f7e-9d1a-2f0b8a1f9e11' })).toEqual({})
  })
})

test('a GUID that is a token of webhooks is not stored, however it is written', () => {
  expect(keep({ 'x-any': GUID, 'x-b': `{${GUID.toUpperCase()}}`, 'x-c': GUID.replaceAll('-', '') })).toEqual({})
})

describe('a token in a header of the list', () => {
  const once = encodeURIComponent(TOKEN)

  test.each([
    ['as it is', `quoted "${TOKEN}" here`, 'quoted "(hidden)" here'],
    ['in a URL', `${url(once)}&y=2`, `${url('(hidden)')}&y=2`],
    ['in a URL that is encoded', encodeURIComponent(`/webhooks?token=${once}`), '%2Fwebhooks%3Ftoken%3D(hidden)'],
    ['of yesterday, in a URL', url('of-yesterday'), url('(hidden)')],
  ])('%s is hidden', (_, value, kept) => {
    const hidden = keep({ 'x-original-url': value })['x-original-url'] ?? ''
    expect(hidden.startsWith(kept)).toBe(true)
    for (const form of [TOKEN, 'of-yesterday']) expect(hidden).not.toContain(form)
  })
})

test.each(['%', '?token=', '%2525', '\\', '%3ftoken', 'a'])(
  'a header of 16 KB made of %j takes no time to speak of',
  (part) => {
    const ownTime = countOwnTime()
    keep({ 'x-any': part.repeat(16_384 / part.length), 'x-note': part.repeat(16_384 / part.length) })
    expect(ownTime()).toBeLessThan(250)
  },
)

test('a webhook that brings its own token in headers in any form leaves it in neither storage nor log', async () => {
  await using hub = await startTestHub({ config: { webhooks: { keepHeaders: ['X-Original-Url'] } } })
  const callback = `/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`
  const encoded = Buffer.from(callback).toString('base64')
  const headers = {
    'x-original-url': encodeURIComponent(callback),
    'x-quoted': `"${WEBHOOK_TOKEN}"`,
    'x-forwarded-path': encoded,
    'x-auth': WEBHOOK_TOKEN,
  }
  await hub.post('SaleCreated', sale(), { headers })
  await hub.post('SaleCreated', 'no JSON', { headers })
  const shown = JSON.stringify([keptIn(hub), hub.lines])
  for (const form of [WEBHOOK_TOKEN, encoded.slice(0, 20)]) expect(shown).not.toContain(form)
  expect(keptIn(hub).map(({ headers: kept }) => kept['x-original-url'])).toEqual(
    Array(2).fill('%2Fwebhooks%2FSaleCreated%3Ftoken%3D(hidden)'),
  )
})

test('When no POS waits, then webhooks are answered at once', () => {
  expect(createPosPriority().turn()).toBeNull()
})

test('When a POS waits, then webhooks are answered a few a turn, in their order, and all of them once it is over', async () => {
  const priority = createPosPriority()
  const over = Promise.withResolvers<void>()
  const asked = priority.during(() => over.promise)
  const answered: number[] = []
  for (let webhook = 1; webhook <= 10; webhook++) void priority.turn()?.then(() => answered.push(webhook))
  await turn()
  await turn()
  expect(answered.length).toBeGreaterThan(0)
  expect(answered.length).toBeLessThan(10)
  over.resolve()
  await asked
  await turn()
  await turn()
  expect(answered).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(priority.turn()).toBeNull()
})

test('When a question fails, then nobody waits because of it', async () => {
  const priority = createPosPriority()
  await expect(priority.during(() => Promise.reject(new Error('the source is down')))).rejects.toThrow('down')
  expect(priority.turn()).toBeNull()
})

const KB = 1024

function budget({ most = 1_000 * KB, reserve = 400 * KB, patience = 30_000 } = {}) {
  const time = { now: 0 }
  const cut: string[] = []
  const made = createBudget({ most, reserve, inflated: 1_000, patience, now: () => time.now })
  return { ...made, time, cut, open: (name: string) => made.open((why) => cut.push(`${name}: ${why}`)) }
}

test('when a body begins small and grows, then it is a large one from then on', () => {
  const { open } = budget()
  open('large').take(599 * KB)
  const growing = open('growing')
  expect(growing.take(60 * KB)).toBe(true)
  expect(growing.take(10 * KB)).toBe(false)
})

test('when there is room for nothing, then a small body gets the room of the one that has been coming longest', () => {
  const { open, cut, time } = budget()
  for (let n = 0; n < 20; n++) open(`slow ${n}`).take(50 * KB)
  time.now = 2_000
  expect(open('honest').take(2 * KB)).toBe(true)
  expect(cut).toEqual(['slow 0: over-budget'])
})

test('when those that are coming have only just begun, or are whole, then nobody is cut off, and the newcomer is refused', () => {
  const { open, cut, time } = budget()
  for (let n = 0; n < 10; n++) {
    const share = open(`whole ${n}`)
    share.take(50 * KB)
    share.whole()
  }
  time.now = 2_000
  for (let n = 0; n < 10; n++) open(`young ${n}`).take(50 * KB)
  expect(open('honest').take(2 * KB)).toBe(false)
  expect(cut).toEqual([])
})

test('when a body has been coming for too long, then it is cut off, and its bytes are free', () => {
  const { open, cut, time, scan, inFlightBytes } = budget({ patience: 10_000 })
  open('slow').take(50 * KB)
  time.now = 6_000
  open('young').take(10 * KB)
  time.now = 10_000
  scan()
  expect(cut).toEqual(['slow: too-slow'])
  expect(inFlightBytes()).toBe(10 * KB)
})

test('what the bodies of one credential become by decompression is limited a minute, and another credential has its own', () => {
  const { inflate, time } = budget()
  expect([inflate('webhooks', 600), inflate('webhooks', 400), inflate('webhooks', 1)]).toEqual([true, true, false])
  expect(inflate('key 1', 1_000)).toBe(true)
  time.now += 60_000
  expect(inflate('webhooks', 1_000)).toBe(true)
})
