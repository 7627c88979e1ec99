import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { startShop } from '../../../sandbox/shop/shop.ts'
import woocommerce from '../../../src/adapters/woocommerce/woocommerce.ts'
import type { OrdersPort } from '../../../src/ports/ports.ts'
import { listen } from '../../listen.ts'
import { attempt } from '../contract.ts'
import { KEY, orderOf, PRODUCTS } from './shop.ts'

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
  return {
    ...server,
  }
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
    const options = woocommerce.options.parse({ url: marked.url, ...KEY })
    await using instance = woocommerce.create(options, { destination: 'shop', timeout: 5_000, concurrency: 2 })
    const { create, find } = instance.ports.orders as Required<OrdersPort>
    const effect = await create(orderOf(), attempt({}))
    expect(effect.note).toContain('1 line, 349.00 NOK')
    const call = { port: 'orders', method: 'create', argument: orderOf() } as const
    expect(await find(attempt({}), call)).toMatchObject({ links: effect.links })
    expect(shop.orders()).toHaveLength(1)
  },
)
