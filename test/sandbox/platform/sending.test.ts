import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { events, givenPlatform, HEADERS, startReceiver, subscribe } from './given.ts'

describe('a receiver in trouble', () => {
  test('When it is down, then the event is failed in the log, and goes nowhere until it is resent', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    receiver.answer = 503
    const webhookId = await subscribe(platform, 'StockMovementCreated', receiver.url)
    platform.till.moveStock()
    await platform.settled()
    const log = await events(platform, { success: false, includePayload: true, includeRuns: true })
    const runs = [{ statusCode: 503 }]
    expect(log).toMatchObject([{ success: false, statusCode: 503, runsCounter: 1, payload: receiver.bodies[0], runs }])
    expect(platform.failed()).toBe(1)

    receiver.answer = 202
    const eventId = log[0]?.webhookEventId
    await request(platform.url).post(`/api/WebhooksEvents/${webhookId}/deliver/${eventId}`).set(HEADERS).expect(200)
    expect(receiver.ids).toEqual([eventId, eventId])
    expect(receiver.bodies[1]).toEqual(receiver.bodies[0])
    expect(await events(platform, { success: false })).toEqual([])
    expect(await events(platform)).toMatchObject([{ success: true, statusCode: 202, runsCounter: 2 }])
  })

  test('When nobody listens, then the event is failed, and other receivers get theirs', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'StockMovementCreated', 'http://127.0.0.1:9/')
    await subscribe(platform, 'StockMovementCreated', receiver.url)
    for (let move = 0; move < 3; move++) platform.till.moveStock()
    await platform.settled()
    expect(receiver.bodies).toHaveLength(3)
    const refused = { success: false, statusCode: 0, status: 'ECONNREFUSED', runsCounter: 1 }
    expect(await events(platform)).toMatchObject([refused, refused, refused])
  })

  test('When it never answers, then the event is failed, and the platform goes on', async () => {
    await using platform = await givenPlatform({ timeout: 50 })
    await using receiver = await startReceiver()
    await subscribe(platform, 'StockMovementCreated', receiver.url)
    receiver.answer = 'silence'
    platform.till.moveStock()
    await platform.settled()
    expect(await events(platform)).toMatchObject([{ success: false, statusCode: 0, runsCounter: 1 }])
    receiver.answer = 200
    platform.till.moveStock()
    await platform.settled()
    expect(await events(platform, { success: true })).toHaveLength(1)
  })

  test('When it points elsewhere, then nobody goes there', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'StockMovementCreated', receiver.url)
    receiver.answer = 302
    platform.till.moveStock()
    await platform.settled()
    expect(receiver.bodies).toHaveLength(1)
    expect(await events(platform)).toMatchObject([{ success: false, statusCode: 302 }])
  })

  test('When it is slow, then no more than 32 webhooks are under way at once', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'SaleCreated', receiver.url)
    receiver.answer = 'silence'
    platform.burst(100)
    await eventually(() => receiver.waiting === 32)
    expect(receiver.bodies).toHaveLength(32)
    receiver.letGo()
    await platform.settled()
    expect(receiver.bodies).toHaveLength(100)
    expect(platform.failed()).toBe(0)
  })

  test('When the platform is stopped with webhooks on their way, then it stops at once, and nothing hangs', async () => {
    await using receiver = await startReceiver()
    const platform = await givenPlatform()
    await subscribe(platform, 'SaleCreated', receiver.url)
    receiver.answer = 'silence'
    platform.faults.set({ delayMs: 3_600_000 })
    platform.faults.next('delay')
    platform.burst(50)
    await eventually(() => receiver.waiting === 32)
    const settled = platform.settled()
    await platform[Symbol.asyncDispose]()
    await settled
    expect(receiver.bodies).toHaveLength(32)
  })
})

describe('resending', () => {
  test('When the subscription leads elsewhere by now, then the same event goes there, under the same id', async () => {
    await using platform = await givenPlatform()
    await using old = await startReceiver()
    await using next = await startReceiver()
    const id = await subscribe(platform, 'SaleCreated', old.url)
    const { receiptNo } = platform.till.sell()
    await platform.settled()
    await request(platform.url)
      .put(`/api/Webhooks/${id}`)
      .set(HEADERS)
      .send({ event: 'SaleCreated', url: next.url })
      .expect(200)
    const path = `/api/WebhooksEvents/${id}/deliver/${old.ids[0]}`
    const { body } = await request(platform.url).post(path).set(HEADERS).expect(200)
    expect(body).toMatchObject({ webhookEventId: old.ids[0], runsCounter: 2, payload: { receiptNo } })
    expect([next.ids, next.bodies]).toEqual([old.ids, old.bodies])
  })

  test('When the subscription is gone, then its events cannot be resent', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    const id = await subscribe(platform, 'SaleCreated', receiver.url)
    platform.till.sell()
    await platform.settled()
    await request(platform.url).delete(`/api/Webhooks/${id}`).set(HEADERS).expect(200)
    const path = `/api/WebhooksEvents/${id}/deliver/${receiver.ids[0]}`
    await request(platform.url).post(path).set(HEADERS).expect(404)
    expect(receiver.bodies).toHaveLength(1)
  })
})

describe('the road', () => {
  test('When it duplicates, drops and delays, then it does so to the next ones in that order', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'StockMovementCreated', receiver.url)
    platform.faults.set({ delayMs: 30 })
    platform.faults.next('duplicate', 'drop', 'delay')
    for (let move = 0; move < 4; move++) platform.till.moveStock()
    await platform.settled()
    const [doubled, dropped, delayed, plain] = platform.ledger().map(({ movementId }) => movementId)
    const arrived = receiver.bodies.map(({ movementId }): number | null => movementId)
    expect(arrived.filter((id) => id === doubled)).toHaveLength(2)
    expect(new Set(receiver.ids).size).toBe(3)
    expect(arrived).not.toContain(dropped)
    expect(arrived.indexOf(delayed ?? null)).toBeGreaterThan(arrived.indexOf(plain ?? null))
    expect(await events(platform, { success: false })).toMatchObject([{ status: 'Lost', statusCode: 0 }])
  })

  test('When shares are set, then about so many are lost, and all are in the log', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'SaleCreated', receiver.url)
    platform.faults.set({ drop: 0.3, duplicate: 0.2 })
    platform.burst(300)
    await platform.settled()
    const lost = platform.failed()
    expect(lost).toBeGreaterThan(60)
    expect(lost).toBeLessThan(120)
    expect(new Set(receiver.ids).size).toBe(300 - lost)
    expect(receiver.ids.length).toBeGreaterThan(300 - lost + 30)
    expect(await events(platform)).toHaveLength(300)
  })

  test('When 200 are sold at once and nothing is lost, then the receiver has what the ledger says', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'SaleCreated', receiver.url)
    platform.burst(200)
    await platform.settled()
    const sold = platform.ledger().filter(({ what }) => what === 'sale')
    expect(sold).toHaveLength(200)
    const arrived = receiver.bodies.map(({ paymentLines: [payment], total }) => `${payment.txRef} ${total.toFixed(2)}`)
    expect(arrived.sort()).toEqual(sold.map(({ txRef, total }) => `${txRef} ${total}`).sort())
    expect(new Set(sold.map(({ txRef }) => txRef)).size).toBe(200)
  })
})
