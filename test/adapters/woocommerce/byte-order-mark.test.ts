import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { startShop } from '../../../sandbox/shop/shop.ts'
import woocommerce from '../../../src/adapters/woocommerce/woocommerce.ts'
import type { OrdersPort } from '../../../src/ports/orders.ts'
import { attempt } from '../contract.ts'
import { KEY, orderOf, PRODUCTS } from './shop.ts'

/**
 * A shop of which somebody has saved a file with a byte order mark: PHP sends it before whatever else it says.
 * @see https://github.com/woocommerce/wc-api-php/issues/104
 */
async function startMarked(target: string) {
  const server = createServer(async (incoming, answer) => {
    const { connection: _, host: __, ...headers } = incoming.headers
    const body = await buffer(incoming)
    const method = incoming.method ?? 'GET'
    const result = await request(target + incoming.url, { method, headers, body } as Parameters<typeof request>[1])
    const said = Buffer.concat([Buffer.from('\uFEFF'), Buffer.from(await result.body.arrayBuffer())])
    answer.writeHead(result.statusCode, { 'content-type': 'application/json' }).end(said)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

test('When each answer of a shop begins with a byte order mark, then it gets its orders all the same, once', async () => {
  await using shop = await startShop({ ...KEY, products: PRODUCTS })
  await using marked = await startMarked(shop.url)
  const options = woocommerce.options.parse({ url: marked.url, ...KEY })
  await using instance = woocommerce.create(options, { destination: 'shop', timeout: 5_000, concurrency: 2 })
  const { create } = instance.ports.orders as Required<OrdersPort>
  const { note } = await create(orderOf(), attempt({}))
  expect(note).toContain('1 line, 349.00 NOK')
  expect(shop.orders()).toMatchObject([{ status: 'processing', total: '349.00' }])
})
