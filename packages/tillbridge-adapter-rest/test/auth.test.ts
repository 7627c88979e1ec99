import { expect, test } from 'vitest'
import { look } from '../../../test/adapters/checked.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { startHttpPeer } from '../../../test/adapters/http-peer.ts'
import { startOms } from '../../../test/peers/oms/oms.ts'
import { orderOf } from '../../tillbridge-adapter-woocommerce/test/kit.ts'
import { startRest, startWithOms } from './kit.ts'

const question = () => ({ signal: AbortSignal.timeout(5_000) })

test('When many ask at once, then one token is fetched for all, and kept', async () => {
  await using world = await startWithOms()
  await Promise.all([1, 2, 3, 4].map(() => world.orders.search('A1', question())))
  await world.orders.search('A1', question())
  expect(world.oms.tokensIssued()).toBe(1)
})

test('When a token is about to run out, then another one is fetched', async () => {
  await using world = await startWithOms({ expiresIn: 20 })
  await world.orders.search('A1', question())
  await world.orders.search('A1', question())
  expect(world.oms.tokensIssued()).toBe(2)
})

test('When the OMS does not take the token any more, then one new one is fetched, and the order is created once', async () => {
  await using world = await startWithOms()
  await world.orders.search('A1', question())
  world.oms.revokeTokens()
  await world.orders.create(orderOf(), attempt({ key: 'K1' }))
  expect([world.oms.tokensIssued(), world.oms.orders().length]).toEqual([2, 1])
})

const search = { path: '/orders', query: { number: '{{number}}' }, answer: 'answer.orders' }

function withOauth(url: string, tokenUrl: string, given: object = {}) {
  const oauth = { tokenUrl, clientId: 'tillbridge', clientSecret: 'secret-of-the-oms', ...given }
  return startRest({ url, auth: { oauth }, orders: { search } })
}

test('When id and secret are wanted in the body, then they go there, and not into the header', async () => {
  await using oms = await startOms()
  await using instance = withOauth(`${oms.url}/api`, `${oms.url}/oauth/token`, { send: 'body', scope: 'orders' })
  expect(await instance.ports.orders?.search?.('A1', question())).toEqual([])
})

test('When the secret is wrong, then it is outage of the destination, and nothing shows the secret', async () => {
  await using oms = await startOms()
  await using instance = withOauth(`${oms.url}/api`, `${oms.url}/oauth/token`, { clientSecret: 'another-secret' })
  const error = await instance.ports.orders?.search?.('A1', question()).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({
    name: 'RetryLaterError',
    scope: 'destination',
    code: 'no-token',
    message: `oms: POST ${oms.url}/oauth/token answered 401 Unauthorized: invalid_client`,
  })
})

test.each([null, 0, '', 'never', '3600'])(
  'When a token says %j of how long it is good, then it is used, and kept until it is refused',
  async (expiresIn) => {
    await using oms = await startHttpPeer()
    oms.play({
      status: 200,
      body: JSON.stringify({ access_token: 'token-of-the-oms', expires_in: expiresIn, orders: [] }),
    })
    await using instance = withOauth(`${oms.address}/api`, `${oms.address}/token`)
    for (let asked = 0; asked < 2; asked++) expect(await instance.ports.orders?.search?.('A1', question())).toEqual([])
    expect(oms.calls.map(({ line }) => line)).toEqual(['POST /token', ...Array(2).fill('GET /api/orders?number=A1')])
  },
)

test.each([
  ['<html>', 'no JSON'],
  ['{"token":"abc-abc-abc"}', 'no token in it'],
])('When the token answer is %s (%s), then nothing of it is shown, and the API is not asked', async (body) => {
  await using peer = await startHttpPeer()
  peer.play({ status: 200, body })
  await using instance = withOauth(`${peer.address}/api`, `${peer.address}/token?tenant=7`)
  await expect(instance.ports.orders?.search?.('A1', question())).rejects.toMatchObject({
    scope: 'destination',
    message: `oms: ${peer.address}/token gave no token`,
  })
  expect(peer.calls.map(({ line }) => line)).toEqual(['POST /token?tenant=7'])
})

test('When the system wants user and password, then they come as Basic', async () => {
  await using peer = await startHttpPeer()
  peer.play({ status: 200, body: '{}' })
  await using instance = startRest({
    url: peer.address,
    auth: { basic: { user: 'me', password: 'pass:word' } },
    orders: { search },
  })
  await instance.ports.orders?.search?.('A1', question())
  expect(peer.calls[0]?.headers.authorization).toBe(`Basic ${btoa('me:pass:word')}`)
})

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
