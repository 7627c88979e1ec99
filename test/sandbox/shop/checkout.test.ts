import request from 'supertest'
import { expect, test } from 'vitest'
import { startShop } from '../../../sandbox/shop/shop.ts'

const GIVEN = {
  consumerKey: 'ck_of_the_tests',
  consumerSecret: 'cs_of_the_tests',
  products: [{ name: 'T-shirt', sku: 'TEE', price: '349.00' }],
}

test('When somebody orders on the page of the shop, then the order is there as a customer of the shop places one', async () => {
  await using shop = await startShop(GIVEN)
  const { text } = await request(shop.url).get('/').expect(200)
  expect(text).toContain('<option>TEE</option>')
  const form = { sku: 'TEE', quantity: '2', way: 'bergen', payment: 'cod', email: 'ola@example.com' }
  const { headers } = await request(shop.url).post('/checkout').type('form').send(form).expect(303)
  const [order] = shop.orders()
  expect(headers.location).toBe(`/orders-page/${order?.id}`)
  expect(order).toMatchObject({
    status: 'processing',
    email: 'ola@example.com',
    total: '698.00',
    paymentMethod: 'cod',
    shipping: [{ methodId: 'pickup_location' }],
  })
})

test('When staff has sent an order, then a button completes it', async () => {
  await using shop = await startShop(GIVEN)
  const { id } = await shop.placeOrder({ lines: [{ sku: 'TEE' }] })
  expect((await request(shop.url).get(`/orders-page/${id}`)).text).toContain('complete it')
  await request(shop.url).post(`/orders-page/${id}/complete`).expect(303)
  expect(shop.orders()[0]?.status).toBe('completed')
})

test('When an article is not there, or the form is wrong, then nothing is ordered, and it says why', async () => {
  await using shop = await startShop(GIVEN)
  const { text } = await request(shop.url).post('/checkout').type('form').send({ sku: 'HAT' }).expect(400)
  expect(text).toBe('Not ordered: the shop has no such article.')
  await request(shop.url).post('/checkout').type('form').send({ sku: 'TEE', quantity: '0' }).expect(400)
  expect(shop.orders()).toEqual([])
})
