import { expect, test } from 'vitest'
import { look } from '../checked.ts'
import { startHttpPeer } from '../http/peer.ts'
import { startRest, startWithOms } from './kit.ts'

const SECRETS = ['secret-of-the-oms', 'bearer-secret']

const orders = {
  search: { path: '/orders', query: { number: '{{number}}' }, answer: 'answer.orders' },
  ready: { path: '/orders/{{theirId}}/ready' },
}

test('When it gives no token, or refuses the one of config, then the credentials are the problem', async () => {
  await using world = await startWithOms()
  const oauth = { tokenUrl: `${world.oms.url}/oauth/token`, clientId: 'tillbridge', clientSecret: 'bearer-secret' }
  const healthCheck = { path: '/orders', query: { number: 'A1' } }
  await using stranger = startRest({ url: `${world.oms.url}/api`, auth: { oauth }, orders, healthCheck })
  await using refused = startRest({
    url: `${world.oms.url}/api`,
    auth: { bearer: 'bearer-secret' },
    orders,
    healthCheck,
  })
  for (const instance of [stranger, refused]) {
    const { states, about } = await look(instance, { secrets: SECRETS })
    expect(states).toEqual(['credentials: problem'])
    expect(about('credentials')).toMatch(/^It refuses our key or password.*correct it in config/s)
  }
})

test('When config names a request for it, then that one is made; a 403 is about rights, a page is another system', async () => {
  await using peer = await startHttpPeer()
  const healthCheck = { path: '/ping', headers: { 'x-why': 'look' } }
  await using instance = startRest({
    url: `${peer.address}/api`,
    auth: { bearer: 'bearer-secret' },
    orders,
    healthCheck,
  })
  peer.play({ status: 200, body: '{}' })
  expect((await look(instance, { secrets: SECRETS })).states).toEqual(['connection: ok', 'credentials: ok'])
  expect(peer.calls).toMatchObject([
    { line: 'GET /api/ping', headers: { 'x-why': 'look', authorization: 'Bearer bearer-secret' } },
  ])
  peer.play({ status: 403 })
  expect((await look(instance, { secrets: SECRETS })).states).toEqual(['rights: problem'])
  peer.play({ status: 200, body: '<!doctype html><p>Log in</p>' })
  expect((await look(instance, { secrets: SECRETS })).about('connection')).toMatch(/^Something else answers/)
})

test('When nothing in config only reads, then it is reached by a HEAD, and what is not known is said', async () => {
  await using peer = await startHttpPeer()
  const { ready } = orders
  await using instance = startRest({ url: `${peer.address}/api`, auth: { bearer: 'bearer-secret' }, orders: { ready } })
  peer.play({ status: 404 })
  const { states, about } = await look(instance, { secrets: SECRETS })
  expect(states).toEqual(['connection: ok', 'credentials: unknown'])
  expect(about('credentials')).toMatch(/name a request that only reads, under `healthCheck`/)
  expect(peer.calls.map(({ line }) => line)).toEqual(['HEAD /api/'])
})

test('When nobody listens, then the connection is the problem', async () => {
  await using instance = startRest({ url: 'http://127.0.0.1:1', orders })
  expect((await look(instance)).states).toEqual(['connection: problem'])
})
