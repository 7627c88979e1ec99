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

test('When the staff has an account, then only role=all lists it, and its e-mail address cannot be changed', async () => {
  await using shop = await givenShop()
  const { id } = shop.addManager('boss@example.com')
  expect((await shop.get('/customers?email=boss@example.com')).json).toEqual([])
  expect((await shop.get('/customers?email=boss@example.com&role=all')).json).toHaveLength(1)
  expect((await shop.put(`/customers/${id}`, { email: 'other@example.com' })).status).toBe(403)
  expect((await shop.put(`/customers/${id}`, { first_name: 'Boss' })).status).toBe(200)
})

test('When a customer is changed, then what is not sent stays', async () => {
  await using shop = await givenShop()
  const { id } = (await shop.post('/customers', ADA)).json as { id: number }
  const meta_data = [{ key: 'tillbridge_customer', value: '7' }]
  const changed = await shop.put(`/customers/${id}`, { last_name: 'Byron', billing: { city: 'Oslo' }, meta_data })
  expect(changed.json).toMatchObject({
    first_name: 'Ada',
    last_name: 'Byron',
    billing: { city: 'Oslo', phone: '91234567' },
    meta_data: [{ key: 'tillbridge_customer', value: '7' }],
  })
})

test.each([
  ['an address that is taken', { email: 'ADA@example.com' }, 'registration-error-email-exists'],
  ['no address', { first_name: 'Ada' }, 'rest_missing_callback_param'],
  ['an address that is none', { email: 'ada' }, 'rest_invalid_param'],
  ['a null in an address', { email: 'b@example.com', billing: { city: null } }, 'rest_invalid_param'],
  ['an id', { id: 7, email: 'b@example.com' }, 'woocommerce_rest_customer_exists'],
])('When a customer is created with %s, then it is refused', async (_, body, code) => {
  await using shop = await givenShop()
  await shop.post('/customers', ADA)
  const answer = await shop.post('/customers', body)
  expect([answer.status, answer.json]).toMatchObject([400, { code }])
  expect(shop.customers()).toHaveLength(1)
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

test('When there is no such customer, or nobody asks, then it says so', async () => {
  await using shop = await givenShop()
  expect((await shop.get('/customers/999')).json).toMatchObject({ code: 'wc_user_invalid_id', data: { status: 404 } })
  expect((await shop.as(null, '/customers')).json).toMatchObject({ code: 'woocommerce_rest_cannot_view' })
})
