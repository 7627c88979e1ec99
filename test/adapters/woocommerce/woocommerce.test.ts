import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { startShop } from '../../../sandbox/shop/shop.ts'
import woocommerce from '../../../src/adapters/woocommerce/woocommerce.ts'
import type { OrdersPort } from '../../../src/ports/ports.ts'
import { listen } from '../../listen.ts'
import { adapterContract, attempt } from '../contract.ts'
import { type HttpScript, httpTransport, startHttpPeer } from '../http/peer.ts'
import type { Expected, Situation } from '../peer.ts'
import { adapterAt, emptyOrder, KEY, orderOf, PRODUCTS } from './kit.ts'

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
