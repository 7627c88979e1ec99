import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { listen } from '../../listen.ts'
import { givenShop, paidOrder } from './given.ts'

const SECRET = 'secret of the shop'

async function startTaker(status = 200) {
  const came: { headers: IncomingHttpHeaders; body: string }[] = []
  const server = await listen(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    came.push({ headers: incoming.headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(status).end()
  })
  return {
    came,
    url: `${server.url}/hook`,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

test('When an order is created and paid by the API, then two webhooks come, signed, with the order as the API shows it', async () => {
  await using taker = await startTaker()
  await using shop = await givenShop({ webhook: { url: taker.url, secret: SECRET } })
  const { json } = await shop.post('/orders', paidOrder())
  await eventually(() => shop.webhooksSettled())
  expect(taker.came.map(({ headers }) => headers['x-wc-webhook-topic'])).toEqual(['order.created', 'order.updated'])
  for (const { headers, body } of taker.came) {
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-wc-webhook-resource': 'order',
      'x-wc-webhook-source': `${shop.url}/`,
      'x-wc-webhook-signature': createHmac('sha256', SECRET).update(body).digest('base64'),
    })
    expect(JSON.parse(body)).toEqual(json)
  }
})

test('When an order is changed, noted upon or thrown away, then changes come, notes do not, and a deletion has the id alone', async () => {
  await using taker = await startTaker()
  await using shop = await givenShop({ webhook: { url: taker.url, secret: SECRET } })
  const { id } = await shop.placeOrder({ lines: [{ sku: 'COAT' }] })
  await shop.post(`/orders/${id}/notes`, { note: 'Nice people.' })
  await shop.put(`/orders/${id}`, { status: 'completed' })
  shop.trash(id)
  await eventually(() => shop.webhooksSettled())
  expect(shop.webhooks().map(({ topic }) => topic)).toEqual([
    'order.created',
    'order.updated',
    'order.updated',
    'order.deleted',
  ])
  expect(taker.came.at(-1)?.body).toBe(`{"id":${id}}`)
  expect((await shop.get('/orders')).json).toEqual([])
  expect((await shop.get('/orders?status=trash')).json).toMatchObject([{ id, status: 'trash' }])
})

test('When a webhook fails, then it is not sent again, and after six in a row the shop turns it off', async () => {
  await using taker = await startTaker(500)
  await using shop = await givenShop({ webhook: { url: taker.url, secret: SECRET } })
  const { id } = await shop.placeOrder({ lines: [{ sku: 'COAT' }] })
  for (let count = 0; count < 8; count++) await shop.put(`/orders/${id}`, { customer_note: String(count) })
  await eventually(() => shop.webhooksSettled())
  expect(shop.disabledWebhooks()).toEqual(['order.updated'])
  expect(shop.webhooks().filter(({ topic }) => topic === 'order.updated')).toHaveLength(6)
})
