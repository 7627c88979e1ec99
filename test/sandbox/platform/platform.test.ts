import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { KINDS } from '../../../src/platform/payloads/kinds.ts'
import { events, givenPlatform, HEADERS, startReceiver, subscribe } from './given.ts'

test('stores and kinds: When it is asked what can be subscribed to, then it names the 27 kinds of the spec', async () => {
  await using platform = await givenPlatform()
  const { body } = await request(platform.url).get('/api/WebhooksTypes').set(HEADERS)
  expect(body).toEqual(KINDS.map(({ name }) => name))
  await request(platform.url).get('/api/WebhooksTypes/SaleCreated/schema').set(HEADERS).expect(200)
  await request(platform.url).get('/api/WebhooksTypes/SaleDeleted/schema').set(HEADERS).expect(404)
})

describe('subscriptions', () => {
  test('When a subscription is changed or deleted, then events go to its new place, or nowhere', async () => {
    await using platform = await givenPlatform()
    await using old = await startReceiver()
    await using next = await startReceiver()
    const id = await subscribe(platform, 'StockMovementCreated', old.url)
    const path = `/api/Webhooks/${id}`
    platform.pos.moveStock()
    await platform.settled()
    const { body } = await request(platform.url).get(path).set(HEADERS).expect(200)
    await request(platform.url)
      .put(path)
      .set(HEADERS)
      .send({ ...body, url: next.url })
      .expect(200)
    platform.pos.moveStock()
    await platform.settled()
    await request(platform.url).delete(path).set(HEADERS).expect(200)
    platform.pos.moveStock()
    await platform.settled()
    expect([old.bodies.length, next.bodies.length]).toEqual([1, 1])
  })

  test('When a subscription is for one store, then it hears of that store only', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'SaleCreated', receiver.url, 51)
    for (const store of ['101', '201', '102']) platform.pos.sell({ store })
    await platform.settled()
    expect(receiver.bodies).toMatchObject([{ store: { storeExtId: '201' } }])
  })
})

test.each([
  ['the day', '2026-11-20', '2026-11-20', 1],
  ['the day before', '2026-11-18', '2026-11-19', 0],
  ['the day after', '2026-11-21', '2026-11-22', 0],
  ['the very millisecond', '2026-11-20 23:30:00.0', '2026-11-20 23:30:00.000', 1],
  ['until just before', '2026-11-20', '2026-11-20 23:29:59.9', 0],
  ['from just after', '2026-11-20T23:30:00.001Z', '2026-11-21', 0],
])('the event log: When it is asked for %s, then it tells of that time only (UTC)', async (_, from, to, count) => {
  await using platform = await givenPlatform({ now: () => Date.parse('2026-11-20T23:30:00Z') })
  await using receiver = await startReceiver()
  await subscribe(platform, 'StockMovementCreated', receiver.url)
  platform.pos.moveStock()
  await platform.settled()
  expect(await events(platform, { from, to })).toHaveLength(count)
})

test('When the second changes while a sale is booked, then receipt and settlement name the same one', async () => {
  let now = Date.parse('2026-11-20T10:00:00.000Z')
  await using platform = await givenPlatform({ seedCatalogue: false, now: () => (now += 999) })
  await using receiver = await startReceiver()
  await subscribe(platform, 'SaleCreated', receiver.url)
  const sold = [1, 2, 3, 4, 5].map(() => platform.pos.sell({ store: '101', pos: 1 }))
  const [settled] = platform.closeDay('101')
  const told = platform.events().flatMap(({ kind, payload }) => (kind === 'SaleCreated' ? [payload] : []))
  expect(told).toHaveLength(sold.length)
  const times = told.map((sale) => (sale as { createdDateTime: string }).createdDateTime).sort()
  const of = (text: string | undefined) => text?.slice(0, 19)
  expect([of(settled?.DateTimeFrom), of(settled?.DateTimeTo)]).toEqual([times[0], times.at(-1)])
})
