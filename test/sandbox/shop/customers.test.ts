import { expect, test } from 'vitest'
import { givenShop } from './given.ts'

const ADA = { email: 'ada@example.com', first_name: 'Ada', billing: { phone: '91234567', country: 'NO' } }

test('When a customer is created, then it is listed by its e-mail address, in any capitals, and as a whole only', async () => {
  await using shop = await givenShop()
  const made = await shop.post('/customers', ADA)
  expect([made.status, made.json]).toMatchObject([201, { email: 'ada@example.com', role: 'customer', username: 'ada' }])
  expect((await shop.get('/customers?email=ADA@example.com')).json).toMatchObject([{ first_name: 'Ada' }])
  expect((await shop.get('/customers?email=da@example.com')).json).toEqual([])
})

test('When somebody searches by a phone number or a first name, then nobody is found who has another shown name', async () => {
  await using shop = await givenShop()
  await shop.post('/customers', ADA)
  expect((await shop.get('/customers?search=91234567')).json).toEqual([])
  expect((await shop.get('/customers?search=ada')).json).toHaveLength(1)
})

test('When an account gets the address of another, or its own in other capitals, then it is refused', async () => {
  await using shop = await givenShop()
  await shop.post('/customers', { email: 'bob@example.com' })
  const { id } = (await shop.post('/customers', ADA)).json as { id: number }
  for (const email of ['bob@example.com', 'Ada@example.com'])
    expect((await shop.put(`/customers/${id}`, { email })).json).toMatchObject({
      code: 'woocommerce_rest_customer_invalid_email',
    })
})
