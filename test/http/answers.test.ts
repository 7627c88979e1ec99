import { describe, expect, test } from 'vitest'
import { startTestHub, type TestHub, WEBHOOK_TOKEN } from '../hub.ts'

const SAFE = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': /max-age/,
  'referrer-policy': 'no-referrer',
}

/** What the platform reads only: an answer to a webhook that was taken. */
const TAKEN = ['accepted', 'duplicate', 'quarantined']

describe('every answer', () => {
  test('when anything is asked, then helmet’s headers are there, and nothing says what the hub is built with', async () => {
    await using hub = await startTestHub({ config: { server: { maxBody: '1kb' } } })
    for (const [what, answer] of Object.entries(await everyAnswer(hub))) {
      if (TAKEN.includes(what)) continue
      for (const [name, value] of Object.entries(SAFE)) expect(answer.headers[name], `${what}: ${name}`).toMatch(value)
      expect(answer.headers['content-security-policy'], what).toContain("default-src 'self'")
      expect(answer.headers, what).not.toHaveProperty('x-powered-by')
      expect(answer.headers, what).not.toHaveProperty('etag')
    }
  })

  test('when a webhook is taken, then its answer has the headers that describe it, and no others', async () => {
    await using hub = await startTestHub()
    const { accepted, duplicate, quarantined } = await everyAnswer(hub)
    for (const { headers, text } of [accepted, duplicate, quarantined]) {
      expect(Object.keys(headers).sort()).toEqual('connection content-length content-type date keep-alive'.split(' '))
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(headers['content-length']).toBe(String(text.length))
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
