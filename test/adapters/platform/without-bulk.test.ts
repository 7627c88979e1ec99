import { expect, test, vi } from 'vitest'
import { attempt, batchOf, toServer } from './given.ts'

const BULK = '/api/v2/Products/bulk-upsert'
const SINGLE = '/api/Products'
const products = ['A', 'B', 'C'].map((extId) => ({ extId, name: 'Jacket', price: '10' }))

test('When the platform has no bulk upsert, then each product goes by the one call that the specification shows', async () => {
  await using given = await toServer()
  const { server, port } = given
  server.play({ status: 404 }, BULK)
  server.play([{ status: 200 }, { status: 400, body: 'no group' }, { status: 200 }], SINGLE)
  expect(await port.upsertProducts(batchOf(products))).toMatchObject([
    { note: 'accepted' },
    { name: 'PermanentError', code: 'http-400' },
    { note: 'accepted' },
  ])
  expect(server.asked.map(({ line }) => line)).toEqual([
    `PUT ${BULK}`,
    `POST ${SINGLE}`,
    `POST ${SINGLE}`,
    `POST ${SINGLE}`,
  ])
  expect(server.asked.slice(1).map(({ body }) => JSON.parse(body).extId)).toEqual(['A', 'B', 'C'])
})

test('When there is no time to send all of them one by one, then the others go on with the next try, uncharged', async () => {
  await using given = await toServer()
  const { server, port } = given
  server.play({ status: 404 }, BULK)
  server.play({ status: 200 }, SINGLE)
  const now = performance.now.bind(performance)
  using _ = vi.spyOn(performance, 'now').mockImplementation(() => now() + (server.asked.length > 2 ? 31_000 : 0))
  const results = await port.upsertProducts(batchOf(products))
  expect(results).toMatchObject([
    { note: 'accepted' },
    { note: 'accepted' },
    { name: 'RefusedTogetherError', code: 'not-sent' },
  ])
})

test('When the platform has a bulk upsert, and it was there before, then its 404 is no reason to go another way', async () => {
  await using given = await toServer({ preset: 'frontsystems-v2' })
  const { server, port } = given
  server.play({ status: 404 })
  expect(await port.upsertProducts(batchOf(products.slice(1)))).toMatchObject([
    { name: 'RefusedTogetherError', code: 'http-404' },
    { name: 'RefusedTogetherError', code: 'http-404' },
  ])
  expect(server.asked.map(({ line }) => line)).toEqual([`PUT ${BULK}`])
})

test('When the platform has no bulk insert, then nothing is changed that may be there, and the reason says what to do', async () => {
  await using given = await toServer()
  const { server, port } = given
  server.play({ status: 404 })
  const only = products.slice(0, 1).map((one) => ({ ...one, insertOnly: true as const }))
  expect(await port.insertProducts(batchOf(only))).toMatchObject([
    { code: 'no-bulk-insert', message: expect.stringContaining('without insertOnly') },
  ])
  expect(server.asked).toHaveLength(1)
})

test('When fewer are counted than were sent, then halves tell which, and that one goes alone', async () => {
  await using given = await toServer()
  const { server, port } = given
  server.play({ body: { created: 2, updated: 0 } }, BULK)
  expect(await port.upsertProducts(batchOf(products))).toMatchObject(
    Array(3).fill({ name: 'RefusedTogetherError', code: 'counted-fewer' }),
  )
  server.play({ body: { created: 0, updated: 0 } }, BULK)
  server.play({ status: 422, body: 'no price list' }, SINGLE)
  const [alone] = await port.upsertProducts(products.slice(0, 1).map((argument) => ({ argument, attempt: attempt() })))
  expect(alone).toMatchObject({ name: 'PermanentError', code: 'http-422' })
  server.play({ status: 200 }, SINGLE)
  expect(await port.upsertProducts(batchOf(products.slice(0, 1)))).toEqual([{ note: 'accepted' }])
})
