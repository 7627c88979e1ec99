import { request } from 'undici'
import { expect, test } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { startedWith, startWritten, writtenConfig } from '../app/written.ts'
import { asking, tillbridge } from '../cli/run.ts'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { listen } from '../lib/http-server.ts'

const HOST = `host: 127.0.0.1\nport: 0\nadminToken: \${ADMIN_TOKEN}`
const AUTHORIZED = { authorization: `Bearer ${ADMIN_TOKEN}` }

async function ask(url: string, method: 'GET' | 'POST' = 'GET') {
  const body = method === 'POST' ? JSON.stringify(sale()) : null
  const headers = { ...AUTHORIZED, 'content-type': 'application/json' }
  const { statusCode, body: answer } = await request(url, { method, headers, body })
  await answer.dump()
  return statusCode
}

test('A hub with a listener for operators has /admin and /console there alone, and all else on the other', async () => {
  await using hub = await startTestHub({ config: { server: { admin: { port: 0 } } } })
  const own = hub.hub.adminUrl ?? ''
  expect(new URL(own)).toMatchObject({ hostname: '127.0.0.1' })
  expect(own).not.toBe(hub.url)
  const webhook = `/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`

  for (const path of ['/admin/status', '/admin/reload', '/ADMIN/status', '/console', '/console/sign-in'])
    expect(await ask(`${hub.url}${path}`), path).toBe(404)
  expect(await ask(`${hub.url}${webhook}`, 'POST')).toBe(202)
  expect(await ask(`${hub.url}/health`)).toBe(200)

  expect(await ask(`${own}/admin/status`)).toBe(200)
  expect(await ask(`${own}/console/sign-in`)).toBe(200)
  expect(await ask(`${own}/health`)).toBe(200)
  expect((await request(`${own}/admin/status`)).statusCode).toBe(401)
  for (const path of ['/v1/products', '/api/customers/search?phone=1', '/metrics', '/openapi.json'])
    expect(await ask(`${own}${path}`), path).toBe(404)
  expect(await ask(`${own}${webhook}`, 'POST')).toBe(404)
  expect((await asking({ url: own })('events', 'list')).out).toMatch(/SaleCreated/)
})

test('A list of addresses and a stop hold for the listener of operators as well', async () => {
  const hub = await startTestHub({ config: { server: { admin: { port: 0 }, allow: { admin: ['127.0.0.2'] } } } })
  const own = hub.hub.adminUrl ?? ''
  expect(await ask(`${own}/admin/status`)).toBe(403)
  await hub[Symbol.asyncDispose]()
  await expect(ask(`${own}/health`)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('The command line asks the listener of operators that config names; reload leaves it as it is', async () => {
  const port = await freePort()
  await using config = await writtenConfig({ server: `${HOST}\nadmin: { port: ${port} }` })
  await using hub = await startWritten(config.env)
  expect(hub.adminUrl).toBe(`http://127.0.0.1:${port}`)
  expect(await tillbridge(['status'], config.env)).toMatchObject({ code: 0 })
  expect(await tillbridge(['status'], { ...config.env, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })).toMatchObject({
    code: 0,
  })
  await config.write({ server: HOST })
  await expect(hub.reload('the tests')).rejects.toThrow(/server\.admin cannot change while the hub runs/)
})

test('A listener of operators whose port is taken is named by its key', async () => {
  await using other = await listen(() => {})
  await using config = await writtenConfig({ server: `${HOST}\nadmin: { port: ${other.port} }` })
  expect(await startedWith(config.env)).toMatch(
    /port \d+ \(server\.admin\.host, server\.admin\.port\): another program/,
  )
})
