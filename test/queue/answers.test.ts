import { expect, test } from 'vitest'
import { createTestClock } from '../clock.ts'
import { busTo } from '../hub.ts'
import { redirect, startSink } from '../sink.ts'
import {
  DAY,
  hubTo,
  hubWith,
  LEVEL,
  logged,
  movement,
  SECOND,
  saleNo,
  statusOf,
  untilAll,
  untilDelivery,
  untilOutage,
} from './kit/kit.ts'

test('When the receiver answers 400, then the delivery is dead at once with the reason, and the queue goes on', async () => {
  await using sink = await startSink()
  await using hub = await hubTo(sink)
  sink.play((_, nth) => (nth === 0 ? { status: 400, body: '{"errors":[{"field":"gtin"}]}' } : { status: 200 }))
  await hub.post('StockMovementCreated', movement(1, 'same'))
  await hub.post('StockMovementCreated', movement(2, 'same'))
  const dead = await untilDelivery(hub, 1, ({ state }) => state === 'dead')
  expect(dead).toMatchObject({ code: 'http-400', why: expect.stringMatching(/gtin$/) })
  expect(dead.attempts).toMatchObject([{ outcome: 'dead', code: 'http-400' }])
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
  expect(logged(hub, 'delivery.attempted').find(({ delivery }) => delivery === 1)?.level).toBe(LEVEL.error)
  expect(sink.received).toHaveLength(2)
})

for (const [name, after] of [
  ['in seconds', () => '120'],
  ['as a date', () => new Date(Date.now() + 121 * SECOND).toUTCString()],
] as const)
  test(`When the receiver answers 429 with Retry-After ${name}, then the queue rests until then, and no delivery is charged`, async () => {
    const clock = createTestClock()
    await using sink = await startSink()
    await using hub = await hubTo(sink, clock)
    sink.play({ status: 429, headers: { 'retry-after': after() } })
    await hub.post('SaleCreated', saleNo(1))
    const outage = await untilOutage(hub, 1)
    expect((outage?.until ?? 0) - clock.now()).toBeGreaterThan(110 * SECOND)
    expect((outage?.until ?? 0) - clock.now()).toBeLessThanOrEqual(121 * SECOND)
    sink.play({ status: 200 })
    clock.advance(100 * SECOND)
    await hub.post('SaleCreated', saleNo(2))
    expect((await statusOf(hub)).outage).toEqual(outage)
    expect(sink.received).toHaveLength(1)
    clock.advance(21 * SECOND)
    for (const { tries } of await untilAll(hub, 'delivered', 2)) expect(tries).toBe(0)
    expect(sink.received).toHaveLength(3)
    expect(new Set(sink.received.map(({ id }) => id)).size).toBe(2)
  })

test('When the receiver answers 500 to one for three days, and takes others, then it is dead and its entity goes on', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using hub = await hubTo(sink, clock)
  sink.play(({ body }) => ({ status: body.includes('"movementId":1,') ? 500 : 200 }))
  await hub.post('StockMovementCreated', movement(1, 'same'))
  await hub.post('StockMovementCreated', movement(2, 'same'))
  for (let days = 0; days < 3; days += 0.5) {
    const failed = days * 2 + 1
    const { state } = await untilDelivery(hub, 1, ({ tries }) => tries === failed)
    expect(state).toBe('waiting')
    await hub.post('SaleCreated', saleNo(failed))
    await untilDelivery(hub, 2 + failed, (other) => other.state === 'delivered')
    clock.advance(DAY / 2)
  }
  const dead = await untilDelivery(hub, 1, ({ state }) => state === 'dead')
  expect(dead.why).toMatch(/^failing for three days: bus: POST .* answered 500/)
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
})

test('When the receiver redirects one and takes others, then that one is dead, and the target is never asked', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using target = await startSink()
  await using hub = await hubTo(sink, clock)
  sink.play((_, nth) => (nth === 1 ? { status: 200 } : redirect(target.url)))
  await hub.post('SaleCreated', saleNo(1))
  await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  await hub.post('SaleCreated', saleNo(2))
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
  clock.advance(5 * SECOND)
  const { why, attempts } = await untilDelivery(hub, 1, ({ state }) => state === 'dead')
  expect(why).toContain('Redirects are not followed')
  expect(attempts.map(({ outcome, code }) => [outcome, code])).toEqual([
    ['retry', 'http-302'],
    ['dead', 'http-302'],
  ])
  expect(target.received).toEqual([])
  expect(sink.received).toHaveLength(3)
})

for (const [name, script, code] of [
  ['nothing at all', 'hang', 'no-answer'],
  ['half an answer', 'half', 'half-answer'],
  ['by hanging up', 'close', 'no-answer'],
] as const)
  test(`When the receiver answers ${name}, then it is unknown, and repeated with the same webhook-id`, async () => {
    const clock = createTestClock()
    await using sink = await startSink()
    const bus = busTo(sink.url, { queue: { timeout: '300ms' } })
    await using hub = await hubWith({ bus }, clock)
    sink.play((_, nth) => (nth === 0 ? script : { status: 200 }))
    await hub.post('SaleCreated', saleNo(1))
    const first = await untilDelivery(hub, 1, ({ tries }) => tries === 1)
    expect(first).toMatchObject({ state: 'waiting', open: true, attempts: [{ outcome: 'unknown', code }] })
    clock.advance(5 * SECOND)
    expect(await untilDelivery(hub, 1, ({ state }) => state === 'delivered')).toMatchObject({ open: false })
    expect(sink.received).toHaveLength(2)
    expect(sink.received[1]?.id).toBe(sink.received[0]?.id)
  })

test('When one delivery fails for ever, then hundreds behind it in its queue are delivered', async () => {
  await using sink = await startSink()
  await using hub = await hubWith({ bus: busTo(sink.url, { queue: { concurrency: 1 } }) })
  sink.play(({ body }) => ({ status: body.includes('"receiptNo":"poison"') ? 500 : 200 }))
  await hub.post('SaleCreated', saleNo('poison'))
  await Promise.all(Array.from({ length: 300 }, (_, no) => hub.post('SaleCreated', saleNo(no))))
  await sink.until(301)
  expect((await statusOf(hub)).waiting).toBeGreaterThanOrEqual(1)
})
