import { describe, expect, test } from 'vitest'
import { createKeptHeaders } from '../../src/receiver/kept-headers.ts'
import { sale } from '../fixtures/payloads.ts'
import { keptIn, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { countOwnTime } from '../own-time.ts'

const TOKEN = 'a token/of+4 words & ümlauts='
const HEX = '5f0c2a9d3b7e41868c1f5a7e90d2b6c4'
const keep = createKeptHeaders([TOKEN, HEX])
const url = (token: string) => `https://hub.example.com/webhooks/SaleCreated/all?x=1&token=${token}`
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** With every character written as `%61`. */
const wholly = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')

describe.each([TOKEN, HEX])('the token %j', (token) => {
  const once = encodeURIComponent(token)
  const twice = encodeURIComponent(once)

  test.each([
    ['as it is', `quoted "${token}" here`],
    ['in a URL', url(once)],
    ['in a URL that is encoded', encodeURIComponent(url(once))],
    ['in one that is encoded twice', encodeURIComponent(encodeURIComponent(url(once)))],
    [
      'encoded in lower case',
      `<${once.toLowerCase() === once ? once : once.replace(/%../g, (one) => one.toLowerCase())}>`,
    ],
    ['encoded twice', `x=${twice}`],
    ['encoded where there is no need', `x=${wholly(token)}`],
    ['encoded so, and again', `x=${encodeURIComponent(wholly(token))}`],
    ['in JSON with escapes', JSON.stringify({ url: url(once) }).replaceAll('/', '\\/')],
    ['in base64', base64(token)],
    ['in base64 with a login', `value ${base64(`hub:${token}`)}`],
    ['in base64 of a URL, behind a path', `/forwarded/${base64(url(once))}`],
    ['in base64url', `x:${Buffer.from(`1${url(once)}`).toString('base64url')}`],
    ['in hex', Buffer.from(token).toString('hex').toUpperCase()],
  ])('When it stands in any header %s, then nothing of it is kept', (_, value) => {
    const { 'x-any': kept = '' } = keep({ 'x-any': value })
    expect(kept).toContain('(hidden)')
    for (const form of [token, once, twice, base64(token).slice(4, -4), Buffer.from(token).toString('hex')])
      expect(kept.toLowerCase()).not.toContain(form.toLowerCase())
  })

  test('When the rest of a URL is no secret, then it is kept', () => {
    expect(keep({ 'x-original-url': `${url(once)}&y=2` })['x-original-url']).toBe(`${url('(hidden)')}&y=2`)
  })
})

test('When a URL has a token of yesterday, then it is not kept either', () => {
  expect(keep({ referer: url('of-yesterday'), 'x-uri': '%2Fwebhooks%3Ftoken%3Dof-yesterday%26x' })).toEqual({
    referer: url('(hidden)'),
    'x-uri': '%2Fwebhooks%3Ftoken%3D(hidden)%26x',
  })
})

test.each([
  'x-auth',
  'x-auth-request-access-token',
  'authorization',
  'www-authenticate',
  'x-jwt-assertion',
  'x-ms-token-aad-id-token',
  'x-ms-client-principal',
  'x-goog-iap-jwt-assertion',
  'x-goog-authenticated-user-email',
  'x-amzn-oidc-data',
  'x-functions-key',
  'x-access-key',
  'x-credentials',
  'x-forwarded-client-cert',
  'x-csrf-token',
  'session',
  'dpop',
])('When a header is called %s, then it is not kept', (name) => {
  expect(keep({ [name]: 'whatever' })).toEqual({})
})

test('When a login or a signed token stands in a header of another name, then it is hidden', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
  expect(keep({ 'x-a': `a, Bearer abc.def`, 'x-b': jwt, 'x-c': `Basic ${base64('me:it')}` })).toEqual({
    'x-a': 'a, (hidden)',
    'x-b': '(hidden)',
    'x-c': '(hidden)',
  })
})

test('When headers are none of a secret, then they are kept as they are', () => {
  const headers = {
    'x-event-id': '0c9a7c2e-6b3e-4f7e-9d1a-2f0b8a1f9e11',
    'idempotency-key': 'k-1',
    'x-webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    'user-agent': 'Platform/7 (100 % of it; C:\\x)',
    author: 'Platform',
    via: '1.1 proxy',
  }
  expect(keep({ ...headers, 'x-several': ['a', 'b'] })).toEqual({ ...headers, 'x-several': 'a, b' })
})

test.each(['%', 'eyJaaaaaaaa', 'eyJaaaaaaaa.', 'eyJ-', '?token=', 'Basic ', 'QUJD', '%2525', '\\', '%3ftoken'])(
  'When a header of 16 KB is made of %j, then reading it takes no time to speak of',
  (part) => {
    const ownTime = countOwnTime()
    keep({ 'x-any': part.repeat(16_384 / part.length) })
    expect(ownTime()).toBeLessThan(250)
  },
)

test('When a webhook brings its own token in headers in any form, then neither store nor log has it', async () => {
  await using hub = await startTestHub()
  const callback = `/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`
  const headers = {
    'x-original-url': encodeURIComponent(callback),
    'x-quoted': `"${WEBHOOK_TOKEN}"`,
    'x-forwarded-path': base64(callback),
    'x-auth': WEBHOOK_TOKEN,
  }
  await hub.post('SaleCreated', sale(), { headers })
  await hub.post('SaleCreated', 'no JSON', { headers })

  const shown = JSON.stringify([keptIn(hub), hub.lines])
  for (const form of [WEBHOOK_TOKEN, base64(callback).slice(0, 20)]) expect(shown).not.toContain(form)
  expect(keptIn(hub)).toHaveLength(2)
})
