import { expect, test } from 'vitest'
import { createLookups } from '../../../sandbox/platform/people/lookups.ts'
import { ORDER, startOwnSystem } from './lookups-given.ts'

test('When a till asks, then the question is the one parameter, and the till says who it is', async () => {
  await using system = await startOwnSystem()
  const lookups = createLookups()
  lookups.connect(system.connections)
  system.answer = { json: [{ customerId: 7, firstName: 'Kari', shoeSize: 38 }] }
  expect(await lookups.customers('+47 912 34 567')).toMatchObject([{ customerId: 7, firstName: 'Kari' }])
  system.answer = { json: ORDER }
  expect(await lookups.order('W/77&a=b')).toMatchObject({ orderNo: 'W-77', orderLines: [{ rowId: '7' }, {}, {}] })
  const authorization = 'Bearer token-of-the-till'
  expect(system.asked).toEqual([
    { path: '/api/customers/search?query=%2B47+912+34+567', authorization },
    { path: '/api/orders/search?shop=1&query=W%2F77%26a%3Db', authorization },
  ])
})

test('When there is no such order, then that is an answer, not trouble', async () => {
  await using system = await startOwnSystem()
  const lookups = createLookups()
  lookups.connect(system.connections)
  expect(await lookups.order('W-0')).toBeNull()
  await expect(lookups.customers('kari@example.com')).rejects.toThrow('Nothing is at its address (404).')
})

test.each([
  [{ status: 401 }, 'It does not know the token of the tills (401).'],
  [{ status: 429 }, 'The tills ask too often: try again in a minute (429).'],
  [{ status: 503 }, 'Not everybody who was asked there has answered: try again (503).'],
  [{ status: 500 }, 'It answered 500.'],
  [{ text: '<html>Welcome</html>' }, 'Its answer is not one that the tills can read.'],
  [{ json: { orderNo: 'W-77' } }, 'Its answer is not one that the tills can read.'],
])('When the answer is %o, then the till says what is wrong', async (answer, words) => {
  await using system = await startOwnSystem()
  const lookups = createLookups()
  lookups.connect(system.connections)
  system.answer = answer
  await expect(lookups.order('W-77')).rejects.toMatchObject({
    status: 502,
    message: `A system was asked for orders. ${words}`,
  })
})

test('When nobody is connected, nobody is there, or nobody answers, then the till does not wait', async () => {
  await using system = await startOwnSystem()
  const lookups = createLookups({ patience: 50 })
  await expect(lookups.order('W-77')).rejects.toMatchObject({
    status: 404,
    message: 'No system is connected that the tills could ask for orders.',
  })
  lookups.connect({ orders: { url: 'http://127.0.0.1:9/orders', token: 'token-of-the-till' } })
  await expect(lookups.order('W-77')).rejects.toMatchObject({
    status: 504,
    message: 'The orders were asked for at http://127.0.0.1:9. Nobody answers there.',
  })
  lookups.connect(system.connections)
  system.answer = 'silence'
  await expect(lookups.order('W-77')).rejects.toMatchObject({
    status: 504,
    message: expect.stringMatching(/No answer came within 0\.05 s\.$/),
  })
})
