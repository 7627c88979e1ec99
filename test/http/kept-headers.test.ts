import { describe, expect, test } from 'vitest'
import { createKeptHeaders } from '../../src/http/webhooks.ts'
import { sale } from '../fixtures/payloads.ts'
import { keptIn, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { countOwnTime } from '../own-time.ts'

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
