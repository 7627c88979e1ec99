import { createHmac } from 'node:crypto'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import http from '../../packages/tillbridge-adapter-http/src/http.ts'
import { type Bus, startBus } from '../../sandbox/bus/bus.ts'
import { createVerifier } from '../../sandbox/bus/verify.ts'
import { attempt } from '../adapters/contract.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OTHER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

interface Given {
  id?: string
  body?: string
  secret?: string
  timestamp?: number
  headers?: Record<string, string>
}

async function post(bus: Bus, { id = 'msg_1', body = '{"a":1}', secret = SECRET, timestamp, headers }: Given = {}) {
  const at = String(Math.floor(timestamp ?? Date.now() / 1000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  const answer = await request(`${bus.url}/events`, {
    method: 'POST',
    headers: {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': `v1,${signature}`,
      'tillbridge-kind': 'SaleCreated',
      ...headers,
    },
    body,
  })
  await answer.body.dump()
  return answer.statusCode
}

async function pageOf(bus: Bus): Promise<string> {
  return await (await request(bus.url)).body.text()
}

test('When the http adapter publishes, then the bus has the event byte for byte, and a second try is a copy', async () => {
  await using bus = await startBus({ secret: SECRET })
  const options = http.options.parse({ url: bus.url, secret: SECRET })
  await using adapter = http.create(options, { destination: 'bus', timeout: 5_000, concurrency: 1 })
  const body = '{ "name": "Blåbær 🫐",\r\n "price": 12.50 }'
  for (const key of ['SaleCreated:1:f:p', 'SaleCreated:2:f:p', 'SaleCreated:1:f:p']) {
    await adapter.ports.publish?.publish(
      { kind: 'SaleCreated', body: Buffer.from(body), receivedAt: 0 },
      attempt({ key }),
    )
  }
  expect(bus.events()).toEqual(
    ['SaleCreated:1:f:p', 'SaleCreated:2:f:p'].map((id) => ({
      id,
      kind: 'SaleCreated',
      body,
      receivedAt: expect.any(Date),
    })),
  )
  expect(bus.copies()).toBe(1)
  const page = await pageOf(bus)
  expect(page).toMatch(/2 events, 1 copy of them.*<td>SaleCreated<\/td><td class="number">2<\/td>/s)
  const [, first = ''] = /href="(\/events\/SaleCreated%3A1%3Af%3Ap)"/.exec(page) ?? []
  const event = await request(`${bus.url}${first}`)
  expect([event.statusCode, await event.body.text()]).toEqual([200, expect.stringContaining('Blåbær 🫐')])
  const none = await request(`${bus.url}/events/none`)
  expect([none.statusCode, await none.body.text()]).toEqual([404, expect.stringContaining('No such event')])
})

describe('what is not genuine', () => {
  test.each<[string, Given]>([
    ['another secret signed it', { secret: OTHER }],
    ['the id is another than the signed one', { headers: { 'webhook-id': 'msg_2' } }],
    ['the time is another than the signed one', { headers: { 'webhook-timestamp': '1614265330' } }],
    ['it is six minutes old', { timestamp: Date.now() / 1000 - 360 }],
    ['it comes from the future', { timestamp: Date.now() / 1000 + 360 }],
    ['the signature is of another version', { headers: { 'webhook-signature': 'v1a,AAAA' } }],
    ['the signature is empty', { headers: { 'webhook-signature': '' } }],
    ['the signature is short', { headers: { 'webhook-signature': 'v1,AAAA' } }],
    ['the time is no number', { headers: { 'webhook-timestamp': 'NaN' } }],
  ])('When %s, then the answer is 401, and nothing is kept', async (_, given) => {
    await using bus = await startBus({ secret: SECRET })
    expect(await post(bus, given)).toBe(401)
    expect([bus.events(), bus.copies()]).toEqual([[], 0])
  })

  test('When the first of two events with one id has another body, then the first stays', async () => {
    await using bus = await startBus({ secret: SECRET })
    await post(bus, { body: '{"a":1}' })
    await post(bus, { body: '{"a":2}' })
    expect(bus.events()).toMatchObject([{ body: '{"a":1}' }])
  })
})

test('The signature of the Standard Webhooks libraries’ own test vector is right, among others of a rotation', () => {
  const verify = createVerifier(SECRET, () => 1_614_265_330_000)
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,AAAA v1a,BBBB v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  expect(verify(headers, Buffer.from('{"test": 2432232314}'))).toBe('msg_p5jXN8AQM9LWM0D4loKWxJek')
  expect(verify(headers, Buffer.from('{"test": 2432232315}'))).toBeNull()
})
