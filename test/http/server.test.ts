import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { close, listen } from '../../src/app/traffic-switch.ts'
import { markAuthenticated } from '../../src/http/refusals.ts'
import { createPipeliningGuard, watchConnections } from '../../src/http/server.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { keptAs, keptIn, shareHub, startTestHub, type TestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { connectTo } from './raw.ts'

const MAX = 10

/** A server that knows its callers by a header, and answers each at once. */
async function serve() {
  const refused: string[] = []
  const guard = createPipeliningGuard((why) => void refused.push(why))
  const server = createServer((request, response) => {
    if (!guard(request, response)) return
    markAuthenticated(request, response, String(request.headers['x-who']))
    response.end('right')
  })
  const watched = watchConnections(server, {
    most: MAX,
    identify: 60_000,
    cutOldest: () => false,
    refused: (why) => void refused.push(why),
  })
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  return {
    url,
    refused,
    count: watched.count,
    async [Symbol.asyncDispose]() {
      watched[Symbol.dispose]()
      await close(server, 0)
    },
  }
}

async function call(url: string, who: string) {
  const socket = await connectTo(url)
  const ask = async () => {
    await socket.write(`GET / HTTP/1.1\r\nHost: hub\r\nx-who: ${who}\r\n\r\n`)
    return await socket.answer(/right$/)
  }
  expect(await ask()).toContain('200 OK')
  return { ...socket, ask }
}

test('a crowd that showed a credential and fell silent makes room for others, the credential with most connections first', async () => {
  await using server = await serve()
  using stack = new DisposableStack()
  const honest = [stack.use(await call(server.url, 'platform')), stack.use(await call(server.url, 'platform'))]
  for (let nth = 0; nth < MAX * 3; nth++) stack.use(await call(server.url, 'leaked'))
  await eventually(() => expect(server.count()).toBeLessThanOrEqual(MAX))
  expect(server.refused).toContain('too-many-connections')
  for (const one of honest) expect(await one.ask()).toContain('200 OK')
})

test('of one credential the connection that was idle longest makes room', async () => {
  await using server = await serve()
  using stack = new DisposableStack()
  const all = []
  for (let nth = 0; nth < MAX; nth++) all.push(stack.use(await call(server.url, 'platform')))
  const [first, second] = all
  await first?.ask()
  stack.use(await call(server.url, 'platform'))
  expect(await second?.answer()).not.toMatch(/right.*right/s)
  expect(await first?.ask()).toContain('200 OK')
})

const hub = shareHub()

function webhook(receiptNo: string, headers = 'Host: hub\r\n'): string {
  const body = JSON.stringify(sale({ receiptNo }))
  return `POST /webhooks/SaleCreated?token=${WEBHOOK_TOKEN} HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)

describe('requests behind each other on one connection', () => {
  test.each([
    ['what is no HTTP', 'this is no HTTP\r\n\r\n'],
    [
      'a body that breaks off its chunks',
      'POST /webhooks/X?token=x HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
  ])('webhooks before %s get their own answers first', async (what, broken) => {
    using socket = await connectTo(hub().url)
    await socket.write(webhook(`known ${what}`))
    await socket.answer(/202/)
    await socket.write(webhook(`a ${what}`) + webhook(`b ${what}`) + broken)
    expect(statuses(await socket.answer())).toEqual(['202', '202', '202', '400'])
  })

  test('a sender that pipelines too many gets an answer to each that was stored, and no other is stored', async () => {
    using socket = await connectTo(hub().url)
    await socket.write(webhook('first'))
    await socket.answer(/202/)
    const sent = Array.from({ length: 40 }, (_, nth) => `many ${nth}`)
    await socket.write(sent.map((receiptNo) => webhook(receiptNo)).join(''))
    const answered = statuses(await socket.answer()).length - 1
    expect(answered).toBeGreaterThan(0)
    expect(answered).toBeLessThan(10)
    await eventually(async () => {
      const stored = keptIn(hub()).filter(({ body }) => body.includes('"many '))
      expect(stored).toHaveLength(answered)
    })
  })
})

describe('a request that a proxy may read as another one', () => {
  test.each([
    ['two Host headers', 'Host: hub\r\nHost: other\r\n', webhook],
    [
      'Transfer-Encoding identity and chunked',
      'Host: hub\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n',
      (_: string, headers?: string) =>
        `POST /webhooks/SaleCreated?token=${WEBHOOK_TOKEN} HTTP/1.1\r\n${headers}\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
  ])('%s is refused, and its connection closed', async (_, headers, make) => {
    using socket = await connectTo(hub().url)
    await socket.write(make('ambiguous', headers))
    expect(statuses(await socket.answer())).toEqual(['400'])
  })
})

const SECRET = 'nobody-may-read-this'

test('when a webhook brings secrets in its headers, then those are not kept, and what tells of the request is', async () => {
  await using hub = await startTestHub()
  const secrets = [
    'authorization',
    'proxy-authorization',
    'x-api-key',
    'apikey',
    'cookie',
    'ocp-apim-subscription-key',
    'x-auth-token',
    'x-webhook-secret',
    'x-password',
    'x-amz-security-token',
  ].map((name) => [name, SECRET])
  const others = { 'x-event-id': 'E-1', 'x-request-id': 'R-1', 'user-agent': 'Platform/7' }
  await hub.post('SaleCreated', sale(), { headers: { ...Object.fromEntries(secrets), ...others } })
  const kept = keptAs(hub, 1).headers
  expect(kept).toMatchObject({ ...others, 'content-type': 'application/json' })
  expect(Object.keys(kept)).not.toContain('authorization')
  expect(JSON.stringify(kept)).not.toContain(SECRET)
  expect((await hub.admin('events/1')).text).not.toContain(SECRET)
  expect(JSON.stringify(hub.lines)).not.toContain(SECRET)
})

test('when the header of the event id has a name that sounds secret, then it still tells copies', async () => {
  await using hub = await startTestHub({ config: { webhooks: { eventIdHeader: 'x-event-token' } } })
  const headers = { 'x-event-token': 'E-1' }
  await hub.post('StockCountReconciled', { a: 1 }, { headers })
  expect(await hub.post('StockCountReconciled', { a: 1 }, { headers })).toMatchObject({ status: 200, body: { id: 1 } })
})

test('when an event id is empty, then it tells nothing', async () => {
  await using hub = await startTestHub()
  await hub.post('StockCountReconciled', { a: 1 }, { headers: { 'x-event-id': '' } })
  expect(await hub.post('StockCountReconciled', { a: 2 }, { headers: { 'x-event-id': '' } })).toMatchObject({
    status: 202,
    body: { status: 'accepted', id: 2 },
  })
})

const SAFE = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': /max-age/,
  'referrer-policy': 'no-referrer',
}

describe('every answer', () => {
  test('when anything is asked, then helmet’s headers are there, and nothing says what the hub is built with', async () => {
    await using hub = await startTestHub({ config: { server: { maxBody: '1kb' } } })
    for (const [what, answer] of Object.entries(await everyAnswer(hub))) {
      for (const [name, value] of Object.entries(SAFE)) expect(answer.headers[name], `${what}: ${name}`).toMatch(value)
      expect(answer.headers['content-security-policy'], what).toContain("default-src 'self'")
      expect(answer.headers, what).not.toHaveProperty('x-powered-by')
      expect(answer.headers, what).not.toHaveProperty('etag')
    }
  })

  test('when it is an error, then it is problem+json with a stable code', async () => {
    await using hub = await startTestHub({ config: { server: { maxBody: '1kb' } } })
    const answers = await everyAnswer(hub)
    const codes = {
      wrongToken: [401, 'wrong-token'],
      wrongAdminToken: [401, 'wrong-token'],
      tooLarge: [413, 'body-too-large'],
      get: [405, 'method-not-allowed'],
      put: [405, 'method-not-allowed'],
      noKind: [404, 'not-found'],
      tooDeep: [404, 'not-found'],
      undecodable: [400, 'bad-request'],
      nowhere: [404, 'not-found'],
      root: [404, 'not-found'],
      postNowhere: [404, 'not-found'],
      adminNowhere: [404, 'not-found'],
      badFilter: [400, 'bad-request'],
      noJson: [400, 'bad-request'],
      otherMethod: [405, 'method-not-allowed'],
    } as const

    for (const [what, [status, code]] of Object.entries(codes)) {
      const { headers, body, ...answer } = answers[what as keyof typeof codes]
      expect({ what, status: answer.status, code: body.code }).toEqual({ what, status, code })
      expect(headers['content-type'], what).toMatch(/^application\/problem\+json/)
      expect(body, what).toMatchObject({ type: 'about:blank', status, title: expect.any(String) })
    }
    expect(answers.get.headers.allow).toBe('POST')
    expect(answers.otherMethod.headers.allow).toBe('POST, GET, HEAD')
  })

  test('when a webhook is asked for with HEAD, then that is 405 without a body', async () => {
    await using hub = await startTestHub()
    expect(await hub.ask(`/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`, { method: 'HEAD' })).toMatchObject({
      status: 405,
      text: '',
      headers: { allow: 'POST' },
    })
  })
})

async function everyAnswer(hub: TestHub) {
  const url = `/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`
  return {
    accepted: await hub.post('CustomerUpdated', { customerId: 1 }),
    duplicate: await hub.post('CustomerUpdated', { customerId: 1 }),
    quarantined: await hub.post('SaleCreated', 'broken'),
    wrongToken: await hub.post('SaleCreated', {}, { token: 'wrong' }),
    tooLarge: await hub.post('SaleCreated', 'x'.repeat(2_000)),
    get: await hub.ask(url),
    put: await hub.ask(url, { method: 'PUT', body: '{}' }),
    noKind: await hub.ask(`/webhooks?token=${WEBHOOK_TOKEN}`, { method: 'POST', body: '{}' }),
    tooDeep: await hub.post('SaleCreated', {}, { subscription: 'a/b' }),
    undecodable: await hub.ask('/intake/%E0%A4%A', { method: 'POST', body: '{}' }),
    nowhere: await hub.ask('/nowhere'),
    root: await hub.ask('/'),
    postNowhere: await hub.ask('/webhook/SaleCreated', { method: 'POST', body: '{}' }),
    live: await hub.ask('/health/live'),
    ready: await hub.ask('/health/ready'),
    status: await hub.admin('status'),
    wrongAdminToken: await hub.ask('/admin/status'),
    adminNowhere: await hub.admin('nowhere'),
    badFilter: await hub.admin('events?limit=many'),
    noJson: await hub.ask('/admin/deliveries/retry', {
      method: 'POST',
      headers: { authorization: `Bearer ${hub.config.server.adminToken}`, 'content-type': 'application/json' },
      body: '{"filter":',
    }),
    otherMethod: await hub.ask('/v1/products', { method: 'PUT', body: '[]' }),
  }
}
