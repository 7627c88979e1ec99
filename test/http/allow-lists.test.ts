import { Agent, request } from 'undici'
import { describe, expect, test } from 'vitest'
import { Config } from '../../src/config/config.ts'
import { createAddressList } from '../../src/lib/http/address-list.ts'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN, keptIn, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { words } from '../words.ts'

const INTERFACES = words(
  '/webhooks/SaleCreated /intake/shop /v1/products /api/customers/search /admin/status /console /metrics',
)

/** Asks from another address of this machine. */
async function from(localAddress: string, url: string, headers: Record<string, string> = {}, method = 'GET') {
  const dispatcher = new Agent({ localAddress })
  const body = method === 'POST' ? JSON.stringify(sale()) : null
  const answer = await request(url, { dispatcher, method, headers, body })
  const text = await answer.body.text()
  await dispatcher.close()
  return { status: answer.statusCode, text, headers: answer.headers }
}

describe('an interface with a list of addresses', () => {
  test.each(INTERFACES)('%s refuses others with 403, before it looks at a token, and counts them', async (path) => {
    const name = path.split('/')[1] ?? ''
    await using hub = await startTestHub({ config: { server: { allow: { [name]: ['127.0.0.1'] } } } })
    const refused = await from('127.0.0.2', `${hub.url}${path}`)
    expect(refused).toMatchObject({ status: 403, headers: { connection: 'close' } })
    expect(JSON.parse(refused.text)).toMatchObject({
      code: 'address-not-allowed',
      detail: 'server.allow does not have 127.0.0.2.',
    })
    expect((await from('127.0.0.1', `${hub.url}${path}`)).status).not.toBe(403)
    for (const other of INTERFACES.filter((one) => one !== path))
      expect((await from('127.0.0.2', `${hub.url}${other}`)).status, other).not.toBe(403)
    expect((await from('127.0.0.2', `${hub.url}/health`)).status).toBe(200)
    const { requests } = (await hub.admin<{ requests: object }>('status')).body
    expect(requests).toMatchObject({ refusedAt: { 'address-not-allowed': { [`/${name}`]: 1 } } })
    expect(hub.lines).toContainEqual(
      expect.objectContaining({ msg: 'request.refused', why: 'address-not-allowed', at: `/${name}` }),
    )
  })

  test('takes webhooks of these addresses, and none of others, with a right token', async () => {
    await using hub = await startTestHub({ config: { server: { allow: { webhooks: ['127.0.0.8/30', '::1'] } } } })
    const url = `${hub.url}/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`
    const json = { 'content-type': 'application/json' }
    for (const path of [url, url.replace('webhooks', 'WEBHOOKS'), url.replace('?', '/?')])
      expect(await from('127.0.0.7', path, json, 'POST')).toMatchObject({ status: 403 })
    expect(keptIn(hub)).toEqual([])
    expect(await from('127.0.0.9', url, json, 'POST')).toMatchObject({ status: 202 })
    expect(await from('127.0.0.11', url, json, 'POST')).toMatchObject({ status: 200 })
    expect(keptIn(hub)).toHaveLength(1)
  })

  test('is not asked under its name in other letters, or behind a scheme and host', async () => {
    await using hub = await startTestHub({ config: { server: { allow: { admin: ['127.0.0.2'] } } } })
    const authorization = `Bearer ${ADMIN_TOKEN}`
    for (const path of words('/admin/status /ADMIN/status /Admin/status/ /admin/status?x=/v1'))
      expect(await from('127.0.0.1', `${hub.url}${path}`, { authorization })).toMatchObject({ status: 403 })
    for (const path of words('//admin/status /%61dmin/status /x/../admin/status /v1/..%2fadmin/status'))
      expect((await hub.ask(path, { headers: { authorization } })).status, path).toBeGreaterThanOrEqual(403)
    expect((await from('127.0.0.2', `${hub.url}/admin/status`, { authorization })).status).toBe(200)
  })

  test('believes X-Forwarded-For of a trusted proxy alone', async () => {
    const allow = { admin: ['10.1.2.0/24'] }
    await using hub = await startTestHub({ config: { server: { allow, trustProxy: ['127.0.0.3'] } } })
    const asked = (address: string, forwarded: string) =>
      from(address, `${hub.url}/admin/status`, {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        'x-forwarded-for': forwarded,
      })
    expect((await asked('127.0.0.3', '10.1.2.3')).status).toBe(200)
    expect((await asked('127.0.0.3', '10.1.3.3')).status).toBe(403)
    // What the sender wrote itself stands before what the proxy added.
    expect((await asked('127.0.0.3', '10.1.2.3, 192.0.2.1')).status).toBe(403)
    expect((await asked('127.0.0.4', '10.1.2.3')).status).toBe(403)
  })
})

describe('a list of addresses', () => {
  const isAllowed = createAddressList(['10.0.0.0/8', '192.168.1.7', '2001:db8::/32', '::1'])

  test.each(
    words('10.0.0.0 10.255.255.255 192.168.1.7 ::ffff:10.1.2.3 ::ffff:a01:203 2001:db8::7 ::1 2001:DB8:0:0::1'),
  )('has %s', (address) => expect(isAllowed(address)).toBe(true))

  test.each([
    ...words('11.0.0.0 9.255.255.255 192.168.1.8 ::ffff:11.1.2.3 2001:db9:: ::2 10.0.0 unknown'),
    '',
    undefined,
  ])('does not have %s', (address) => expect(isAllowed(address)).toBe(false))

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    'loopback',
    '',
    '::1/129',
    '10.0.0.0/x',
    '10.0.0.0/-1',
    'fe80::1%eth0',
  ])('takes no %s', (range) => {
    const server = { adminToken: ADMIN_TOKEN, allow: { admin: [range] } }
    const { error } = Config.safeParse({ server, platform: { webhooks: { tokens: [WEBHOOK_TOKEN] } } })
    expect(error?.issues).toMatchObject([{ path: ['server', 'allow', 'admin', 0] }])
  })
})
