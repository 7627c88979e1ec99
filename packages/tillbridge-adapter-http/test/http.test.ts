import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { PublishedEvent } from '../../../src/ports/ports.ts'
import { look } from '../../../test/adapters/checked.ts'
import { adapterContract, attempt } from '../../../test/adapters/contract.ts'
import { BAD_ADDRESSES, type HttpScript, httpTransport, startHttpPeer } from '../../../test/adapters/http-peer.ts'
import type { Call } from '../../../test/adapters/peer.ts'
import http, { parseSigningKey, signatures } from '../src/http.ts'

const KEY = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OLD_KEY = Buffer.alloc(32, 7).toString('base64')
const BODY = Buffer.from('{ "name": "Blåbærsyltetøy 🫐",\r\n  "price": 12.50, "same": 1, "same": 2 }')

adapterContract({
  adapter: http,
  transport: httpTransport,
  options: (address) => ({
    url: `${address}/hooks/pos?token=query-secret`,
    secret: [`whsec_${KEY}`, `whsec_${OLD_KEY}`],
    headers: { Authorization: 'Bearer bearer-secret', 'X-Login': `Basic ${btoa('me:basic-secret')}` },
  }),
  badOptions: [
    ...BAD_ADDRESSES,
    { key: 'url', why: 'is link-local as a number', value: 'http://2852039166/' },
    { key: 'secret', why: 'has no prefix', value: KEY },
    { key: 'secret', why: 'is too short', value: `whsec_${Buffer.alloc(23).toString('base64')}` },
    { key: 'secret', why: 'is too long', value: `whsec_${Buffer.alloc(65).toString('base64')}` },
    { key: 'secret', why: 'is not base64', value: `whsec_${KEY.slice(0, -4)}!ä w` },
    { key: 'secret.1', why: 'is wrong within a list', value: [`whsec_${KEY}`, 'whsec_wrong'] },
    { key: 'secret', why: 'is an empty list', value: [] },
    { key: 'secret', why: 'is a list of four', value: Array(4).fill(`whsec_${KEY}`) },
    ...[
      'webhook-id',
      'Webhook-Signature',
      'content-length',
      'Host',
      'transfer-encoding',
      'connection',
      'tillbridge-kind',
    ].map((name) => ({ key: `headers.${name}`, why: 'is given', value: { [name]: 'x' } })),
    { key: 'headers.X-A', why: 'is given twice', value: { 'x-a': '1', 'X-A': '2' } },
    { key: 'headers.two words', why: 'is no name', value: { 'two words': 'x' } },
    { key: 'headers.x-a', why: 'has a line break', value: { 'x-a': 'secret\r\nx-b: 1' } },
  ],
  act: publish,
  secrets: ['query-secret', KEY, OLD_KEY, 'bearer-secret', 'basic-secret', btoa('me:basic-secret')],
  keyOf: ({ headers }) => headers['webhook-id'],
})

function publish(ports: ReturnType<typeof http.create>['ports'], of = attempt(), kind = 'SaleCreated') {
  const event: PublishedEvent = { kind, body: BODY, receivedAt: 1_700_000_000_000 }
  return ports.publish?.publish(event, of) ?? Promise.reject(new Error('no port'))
}

/** Publishes once to a peer that accepts, and gives what arrived. */
async function arrived(
  options: Record<string, unknown>,
  key = 'SaleCreated:1:f:p',
  kind = 'SaleCreated',
): Promise<Call> {
  await using peer = await startHttpPeer()
  const parsed = http.options.parse({ url: `${peer.address}/hook`, ...options })
  await using instance = http.create(parsed, { destination: 'bus', timeout: 5_000, concurrency: 1 })
  await publish(instance.ports, attempt({ key }), kind)
  const [call] = peer.calls
  if (!call) throw new Error('Nothing arrived.')
  return call
}

/** The signature as the specification says it, written again. */
function expectedSignature(base64Key: string, { headers, body }: Call): string {
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body])
  return `v1,${createHmac('sha256', Buffer.from(base64Key, 'base64')).update(signed).digest('base64')}`
}

/** The receiver's code, as the page of the adapter shows it. */
async function receiverOfThePage(): Promise<(secret: string, headers: Call['headers'], body: Buffer) => boolean> {
  const code = /```js\n(.*?)```/s.exec(readFileSync('docs/adapters/http.md', 'utf8'))?.[1] ?? ''
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).isGenuine
}

test('The code for receivers on the page accepts what is genuine, by either secret, and nothing else', async () => {
  const isGenuine = await receiverOfThePage()
  const { headers, body } = await arrived({ secret: [`whsec_${KEY}`, `whsec_${OLD_KEY}`] })
  const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 301) }
  const results = [
    isGenuine(`whsec_${KEY}`, headers, body),
    isGenuine(`whsec_${OLD_KEY}`, headers, body),
    isGenuine(`whsec_${Buffer.alloc(32).toString('base64')}`, headers, body),
    isGenuine(`whsec_${KEY}`, headers, Buffer.from(`${body} `)),
    isGenuine(`whsec_${KEY}`, { ...headers, 'webhook-id': 'another' }, body),
    isGenuine(`whsec_${KEY}`, old, body),
    isGenuine(`whsec_${KEY}`, {}, body),
  ]
  expect(results).toEqual([true, true, false, false, false, false, false])
})

describe('a published event', () => {
  test('When an event is published, then its bytes arrive unchanged, with its kind and who sent it', async () => {
    const call = await arrived({ secret: `whsec_${KEY}` })
    expect(call.body).toEqual(BODY)
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect([call.line, call.headers]).toEqual([
      'POST /hook',
      expect.objectContaining({
        'content-type': 'application/json',
        'tillbridge-kind': 'SaleCreated',
        'user-agent': `Tillbridge/${version.split('.')[0]}`,
        'content-length': String(BODY.length),
      }),
    ])
  })

  test('When there is a secret, then the signature is that of the specification, over id, second and bytes', async () => {
    const call = await arrived({ secret: `whsec_${KEY}` })
    expect(call.headers['webhook-signature']).toBe(expectedSignature(KEY, call))
    expect(Math.abs(Number(call.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(5)
  })

  test('The signature is that of the test vector of the Standard Webhooks libraries', () => {
    const body = Buffer.from('{"test": 2432232314}')
    const key = parseSigningKey(`whsec_${KEY}`)
    const signed = signatures(key ? [key] : [], 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', body)
    expect(signed).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  test('When a secret is rotated, then there is a signature for each, in their order', async () => {
    const call = await arrived({ secret: [`whsec_${KEY}`, `whsec_${OLD_KEY}`] })
    const both = [KEY, OLD_KEY].map((key) => expectedSignature(key, call))
    expect(call.headers['webhook-signature']).toBe(both.join(' '))
  })

  test('When there is no secret, then it is not signed', async () => {
    expect((await arrived({})).headers).not.toHaveProperty('webhook-signature')
  })

  test('When the operator gives headers, then they arrive, and may replace the content type', async () => {
    const headers = { Authorization: 'Bearer b', 'Content-Type': 'application/vnd.pos+json', 'X-Empty': '' }
    const call = await arrived({ headers })
    expect(call.headers).toMatchObject({
      authorization: 'Bearer b',
      'content-type': 'application/vnd.pos+json',
      'x-empty': '',
    })
  })

  test('When the key or the kind has other characters, then they are percent-encoded, and the id has no full stop', async () => {
    const call = await arrived({ secret: `whsec_${KEY}` }, 'Café.1 a%20~b/c:d\n🫐', 'Ny.Type')
    expect(call.headers['webhook-id']).toBe('Caf%C3%A9%2E1%20a%20~b/c:d%0A%F0%9F%AB%90')
    expect(call.headers['tillbridge-kind']).toBe('Ny%2EType')
    expect(call.headers['webhook-signature']).toBe(expectedSignature(KEY, call))
  })

  test('When it is delivered, then the note says the status', async () => {
    await using peer = await startHttpPeer()
    await using instance = http.create({ url: peer.address }, { destination: 'bus', timeout: 5_000, concurrency: 1 })
    expect(await publish(instance.ports)).toEqual({ note: '202 Accepted' })
  })
})

const SECRETS = ['query-secret', 'bearer-secret']

function adapterAt(address: string) {
  const headers = { authorization: 'Bearer bearer-secret' }
  const options = http.options.parse({ url: `${address}/hooks/pos?token=query-secret`, headers })
  return http.create(options, { destination: 'bus', timeout: 5_000, concurrency: 2 })
}

test.each<[string, HttpScript, string[], RegExp]>([
  ['takes no HEAD', { status: 405 }, ['connection: ok', 'credentials: note'], /A HEAD proves no more than that/],
  ['takes it', { status: 200 }, ['connection: ok', 'credentials: note'], /A HEAD proves no more than that/],
  ['asks who that is', { status: 401 }, ['connection: ok', 'credentials: unknown'], /answered 401.*compare `headers`/],
  [
    'leads elsewhere',
    { status: 301, headers: { location: '/new' } },
    ['connection: problem'],
    /It sends every call to another address .*final address/,
  ],
  ['is only its gateway', { status: 502 }, ['connection: problem'], /It breaks down over every call/],
])(
  'When the receiver %s, then no more is said than that proves, and no event is sent',
  async (_, script, states, says) => {
    await using peer = await startHttpPeer()
    await using instance = adapterAt(peer.address)
    peer.play(script)
    const found = await look(instance, { secrets: SECRETS })
    expect(found.states).toEqual(states)
    expect(found.about(states.at(-1)?.replace(/:.*/, '') ?? '')).toMatch(says)
    expect(peer.calls.map(({ line, body }) => [line, body.length])).toEqual([['HEAD /hooks/pos?token=query-secret', 0]])
  },
)

test('When nobody listens, then the connection is the problem', async () => {
  await using instance = adapterAt('http://127.0.0.1:1')
  expect((await look(instance, { secrets: SECRETS })).about('connection')).toMatch(
    /^It cannot be reached .*see whether/,
  )
})
