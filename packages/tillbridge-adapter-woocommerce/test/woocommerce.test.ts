import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { type Fault, startShop } from '../../../sandbox/shop/shop.ts'
import { clockFound } from '../../../src/adapters/shared/health-check.ts'
import type { OrdersPort } from '../../../src/ports/ports.ts'
import { look } from '../../../test/adapters/checked.ts'
import { adapterContract, attempt } from '../../../test/adapters/contract.ts'
import { type HttpScript, httpTransport, startHttpPeer } from '../../../test/adapters/http-peer.ts'
import type { Expected, Situation } from '../../../test/adapters/peer.ts'
import { createTestClock } from '../../../test/clock.ts'
import {
  endlessAisle,
  orderUpdate,
  refundUpdate,
  saleLine,
  shippedOrderUpdate,
} from '../../../test/fixtures/payloads.ts'
import { startTestHub } from '../../../test/hub.ts'
import { listen } from '../../../test/listen.ts'
import { middle, SECOND, untilDelivery } from '../../../test/queue/kit/kit.ts'
import woocommerce from '../src/woocommerce.ts'
import { adapterAt, emptyOrder, KEY, orderOf, PRODUCTS, place, startWithShop } from './kit.ts'

const created = JSON.stringify({
  id: 99,
  number: '99',
  status: 'processing',
  currency: 'NOK',
  total: '0.00',
  date_paid: null,
  meta_data: [],
  line_items: [],
})

/** What a request that creates an order may have done although it failed. */
const MAY_HAVE_CREATED = [408, 500, 501, 502, 504]

const credentials = Buffer.from(`${KEY.consumerKey}:${KEY.consumerSecret}`).toString('base64')

adapterContract({
  adapter: woocommerce,
  transport: {
    ...httpTransport,
    accept: { status: 201, body: created },
    situations: httpTransport.situations.map(forAnOrder),
  },
  options: (url) => ({ url, ...KEY }),
  badOptions: [
    { key: 'url', why: 'is missing', value: undefined },
    { key: 'url', why: 'is no URL', value: 'shop.example.com' },
    { key: 'url', why: 'is of another scheme', value: 'ftp://shop.example.com' },
    { key: 'url', why: 'has a user and a password', value: 'https://ck_1:cs_1@shop.example.com' },
    { key: 'url', why: 'has the keys in it', value: 'https://shop.example.com/?consumer_key=ck_1' },
    { key: 'url', why: 'leads into the API', value: 'https://shop.example.com/wp-json/wc/v3' },
    { key: 'url', why: 'is link-local', value: 'http://169.254.169.254/' },
    { key: 'consumerKey', why: 'is missing', value: undefined },
    { key: 'consumerKey', why: 'is too short to be hidden', value: 'ck_1' },
    { key: 'consumerSecret', why: 'has a colon', value: 'cs_of:the_tests' },
    { key: 'consumerSecret', why: 'has a line break', value: 'cs_of_the_tests\n' },
  ],
  act: (ports, attempt) => ports.orders?.create?.(emptyOrder(), attempt) ?? Promise.reject(),
  secrets: [KEY.consumerKey, KEY.consumerSecret, credentials, 'kari.nordmann@example.com', 'Nordmann'],
  keyOf({ body }) {
    const { meta_data } = JSON.parse(body.toString()) as { meta_data: { key: string; value: string }[] }
    return meta_data.find(({ key }) => key === '_tillbridge_key')?.value
  },
})

/** A success is one only with an order in it, and outage of the shop may have come after the order was saved. */
function forAnOrder(situation: Situation<HttpScript>): Situation<HttpScript> {
  const { script, expected } = situation
  const status = typeof script === 'object' ? script.status : 0
  const unknown: Expected = 'unknown'
  if (MAY_HAVE_CREATED.includes(status)) return { ...situation, expected: unknown }
  if (expected !== 'delivered') return situation
  const readable = typeof script === 'object' && script.body === undefined && status !== 204
  return readable ? { ...situation, script: { ...script, body: created } } : { ...situation, expected: unknown }
}

test('When a request is made, then it says who asks, and the keys are in no address', async () => {
  await using peer = await startHttpPeer()
  peer.play({ status: 201, body: created })
  await using instance = adapterAt(`${peer.address}/no/`)
  await instance.ports.orders?.create?.(emptyOrder(), attempt())
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(peer.calls).toMatchObject([
    {
      line: 'POST /no/wp-json/wc/v3/orders',
      headers: {
        authorization: `Basic ${credentials}`,
        'content-type': 'application/json',
        'user-agent': `Tillbridge/${version.split('.')[0]}`,
      },
    },
  ])
})

/**
 * A shop that says something before whatever else it says: a byte order mark with which somebody has saved a file, or what PHP
 * complains of.
 * @see https://github.com/woocommerce/wc-api-php/issues/104
 * @see https://github.com/woocommerce/wc-api-php/issues/107
 */
async function startMarked(target: string, before = '\uFEFF') {
  const server = await listen(async (incoming, answer) => {
    const { connection: _, host: __, ...headers } = incoming.headers
    const body = await buffer(incoming)
    const method = incoming.method ?? 'GET'
    const result = await request(target + incoming.url, { method, headers, body } as Parameters<typeof request>[1])
    const said = Buffer.concat([Buffer.from(before), Buffer.from(await result.body.arrayBuffer())])
    answer.writeHead(result.statusCode, { 'content-type': 'application/json' }).end(said)
  })
  return server
}

const COMPLAINTS = [
  '<br />\n<b>Deprecated</b>:  Creation of dynamic property [x] is deprecated in <b>/var/www/a.php</b> on line <b>12</b><br />\n',
  '\nWarning: Undefined array key "x" in /var/www/a.php on line 12\n\nNotice: {y} in /var/www/b.php on line 3\n',
]

test.each(COMPLAINTS)(
  'a shop that shows %j before each answer gets its orders once, also after a lost answer',
  async (before) => {
    await using shop = await startShop({ ...KEY, products: PRODUCTS })
    await using marked = await startMarked(shop.url, before)
    await using instance = adapterAt(marked.url)
    const { create, find } = instance.ports.orders as Required<OrdersPort>
    const effect = await create(orderOf(), attempt({}))
    expect(effect.note).toContain('1 line, 349.00 NOK')
    const call = { port: 'orders', method: 'create', argument: orderOf() } as const
    expect(await find(attempt({}), call)).toMatchObject({ links: effect.links })
    expect(shop.orders()).toHaveLength(1)
  },
)

const SECRETS = Object.values(KEY)

test('When all is right, then it says so of each thing, and the shop is as it was', async () => {
  await using world = await startWithShop()
  const before = [world.shop.orders(), world.shop.products(), world.shop.customers()]
  const { states, about } = await look(world.instance, { secrets: SECRETS })
  expect(states).toEqual(['connection: ok', 'credentials: ok', 'rights: ok', 'clock: ok'])
  expect(about('rights')).toBe('Our key may read and write orders, products, customers.')
  expect([world.shop.orders(), world.shop.products(), world.shop.customers()]).toEqual(before)
})

test('When the shop does not know the key, then that is said with what to do about it', async () => {
  await using world = await startWithShop({ consumerSecret: 'cs_of_another_key' })
  const { states, about } = await look(world.instance, { secrets: SECRETS })
  expect(states).toEqual(['credentials: problem'])
  expect(about('credentials')).toMatch(/^It refuses our key .*answered 401.*correct it in config/s)
})

test.each([
  ['read', 'Our key may not write orders, write products, write customers.'],
  ['write', 'Our key may not read orders, read products, read customers.'],
] as const)('When the key may only %s, then the rights that it lacks are named', async (permissions, lacking) => {
  await using world = await startWithShop({ permissions })
  const { states, about } = await look(world.instance, { secrets: SECRETS })
  expect(states).toEqual(expect.arrayContaining(['connection: ok', 'credentials: ok', 'rights: problem']))
  expect(about('rights')).toBe(`${lacking} ${todoOf403}`)
})

const todoOf403 =
  'look at the rights of our key (read and write), and at a firewall that refuses this machine. Nothing is lost meanwhile.'

test('When the site has no API, something else answers, or nobody does, then the connection is the problem', async () => {
  await using peer = await startHttpPeer()
  await using there = adapterAt(peer.address)
  await using nowhere = adapterAt('http://127.0.0.1:1')
  peer.play({ status: 404, headers: { 'content-type': 'text/html' }, body: '<!doctype html><p>Nothing here</p>' })
  expect((await look(there)).about('connection')).toMatch(/^Its site is there, but not its API .*permalinks are Plain/)
  peer.play({ status: 200, body: '<!doctype html><p>Log in</p>' })
  expect((await look(there)).about('connection')).toMatch(/^Something else answers in its place/)
  expect((await look(nowhere)).about('connection')).toMatch(/^It cannot be reached .*ECONNREFUSED/)
})

test('When clocks differ, then it is said by how much, and from ten minutes on that it does harm', () => {
  const now = Date.UTC(2026, 10, 20, 12)
  const found = (minutes: number) => clockFound(new Date(now + minutes * 60_000).toUTCString(), now, 10 * 60_000)[0]
  expect(found(0.5)?.state).toBe('ok')
  expect(found(5)).toMatchObject({ what: 'clock', state: 'note', says: 'Its clock is 5 minutes ahead of ours.' })
  expect(found(-180)).toMatchObject({
    state: 'problem',
    says: expect.stringMatching(/^Its clock is 3 hours behind ours\. .* placed twice\.$/),
  })
  expect(clockFound(undefined, now, 10 * 60_000)).toEqual([])
})

const troubles: [Fault, 'POST' | 'PUT', number][] = [
  ['drop-before', 'POST', 2],
  ['drop-answer', 'POST', 2],
  ['error-500-after-save', 'POST', 2],
  ['error-503', 'PUT', 2],
  ['drop-answer', 'PUT', 2],
  ['error-500-before', 'PUT', 2],
]

for (const [fault, method, attempts] of troubles)
  test(`When a hub meets ${fault} of a ${method}, then the shop has the order once, paid, and the hub its number`, async () => {
    const clock = createTestClock()
    const products = [{ name: 'T-shirt', sku: 'TEE-BLK-M', price: '349' }]
    await using shop = await startShop({ ...KEY, products })
    await using hub = await startTestHub({
      destinations: { shop: { adapter: 'woocommerce', url: shop.url, ...KEY } },
      clock,
      random: middle,
    })
    shop.faults.next(fault, { method })
    const order = endlessAisle({ orderLines: [saleLine({ shipFromOnlineStore: true })] })
    await hub.post('OmniChannelEndlessAisleOrderCreated', order)
    await untilDelivery(hub, 1, (delivery) => delivery.attempts.length === 1 && delivery.state === 'waiting')
    // An uncertain one is asked for when it must have landed: after twice the time of a call.
    clock.advance(60 * SECOND)
    const delivery = await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
    expect(delivery.attempts).toHaveLength(attempts)
    expect(shop.orders()).toMatchObject([{ status: 'processing', total: '349.00', datePaid: expect.any(String) }])
    expect(delivery.attempts.at(-1)?.note).toContain(`order ${shop.orders()[0]?.number}, 1 line, 349.00 NOK`)
  })

const stories: [string, Fault, 'POST' | 'PUT', string, (number: string) => object, object][] = [
  ['a refund', 'drop-answer', 'POST', 'OmniChannelOrderRefundUpdated', refundOf, { refunds: [{ paidBack: true }] }],
  ['a refund', 'drop-before', 'POST', 'OmniChannelOrderRefundUpdated', refundOf, { refunds: [{ paidBack: true }] }],
  ['a pickup', 'drop-before', 'PUT', 'OmniChannelOrderUpdated', shippedOf, { status: 'completed', refunds: [] }],
  ['a parcel', 'drop-answer', 'POST', 'OmniChannelOrderUpdated', parcelOf, { status: 'processing', refunds: [] }],
]

for (const [name, fault, method, kind, payload, expected] of stories)
  test(`When a hub tells the shop of ${name} and meets ${fault} of a ${method}, then the shop has it once`, async () => {
    const clock = createTestClock()
    const products = [{ id: 11, name: 'T-shirt', globalUniqueId: '7090012340011', price: '349' }]
    await using shop = await startShop({ ...KEY, products })
    const number = await place(shop)
    await using hub = await startTestHub({
      destinations: { shop: { adapter: 'woocommerce', url: shop.url, ...KEY } },
      clock,
      random: middle,
    })
    shop.faults.next(fault, { method })
    await hub.post(kind, payload(number))
    await untilDelivery(hub, 1, (delivery) => delivery.attempts.length === 1 && delivery.state === 'waiting')
    clock.advance(60 * SECOND)
    await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
    const [order] = shop.orders()
    expect(order).toMatchObject(expected)
    expect(order?.notes.filter((note) => note.startsWith('Parcel'))).toHaveLength(payload === parcelOf ? 1 : 0)
  })

function refundOf(orderNo: string) {
  return refundUpdate({ orderNo })
}

function shippedOf(orderNo: string) {
  return orderUpdate({ orderNo, status: 'Shipped' })
}

function parcelOf(orderNo: string) {
  return shippedOrderUpdate({ orderNo, status: 'Shipped' })
}

test('When somebody saves a webhook in the shop, then the shop is content with the answer to its ping', async () => {
  await using shop = await startShop(KEY)
  const webhookSecret = 'a secret that nobody guesses'
  await using hub = await startTestHub({
    destinations: { shop: { adapter: 'woocommerce', url: shop.url, ...KEY, webhookSecret } },
  })
  shop.sendWebhooksTo({ url: `${hub.url}/intake/shop`, secret: webhookSecret })
  // Anything else, 202 too, is an error to whoever saves it.
  expect(await shop.pingWebhook()).toBe(200)
})
