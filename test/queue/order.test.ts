import { expect, test } from 'vitest'
import { publish } from '../../src/flows/publish.ts'
import { eventually } from '../eventually.ts'
import { busTo, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { flowOf, hubOf, hubWith, movement, saleNo, statusOf, untilAll } from './kit/kit.ts'

test('When more is due than a destination may be called at once, then it is never called more than so often', async () => {
  await using sink = await startSink()
  await using hub = await hubWith({ bus: busTo(sink.url, { queue: { concurrency: 3 } }) })
  sink.play('hang')
  for (let no = 0; no < 12; no += 1) await hub.post('SaleCreated', saleNo(no))
  for (let calls = 3; calls <= 12; calls += 3) {
    await sink.until(calls)
    expect((await statusOf(hub)).inFlight).toBe(3)
    expect(sink.received).toHaveLength(calls)
    sink.letGo()
  }
  await untilAll(hub, 'delivered', 12)
})

const bulk = flowOf('bulk', { urgency: 'bulk' })

test('When bulk work fills its slots, then one is left, and what is prompt passes', async () => {
  await using sink = await startSink()
  const bus = busTo(sink.url, { publish: ['StockMovementCreated'], queue: { concurrency: 3 } })
  await using hub = await hubOf([publish, bulk], { bus })
  sink.play(({ kind }) => (kind === 'SaleCreated' ? 'hang' : { status: 200 }))
  for (let no = 0; no < 10; no += 1) await hub.post('SaleCreated', saleNo(no))
  await sink.until(2)
  for (let id = 0; id < 10; id += 1) await hub.post('StockMovementCreated', movement(id, `article-${id}`))
  await sink.until(12)
  expect(sink.received.filter(({ kind }) => kind === 'SaleCreated')).toHaveLength(2)
  expect(await eventually(async () => (await statusOf(hub)).inFlight === 2)).toBe(true)
  sink.play({ status: 200 })
  sink.letGo()
  await untilAll(hub, 'delivered', 20)
})

test('When a destination is called one at a time, then bulk work goes out too, after what is prompt', async () => {
  await using sink = await startSink()
  const bus = busTo(sink.url, { publish: ['StockMovementCreated'], queue: { concurrency: 1 } })
  await using hub = await hubOf([publish, bulk], { bus })
  sink.play((_, nth) => (nth === 0 ? 'hang' : { status: 200 }))
  await hub.post('StockMovementCreated', movement(0, 'first'))
  await sink.until(1)
  await hub.post('SaleCreated', saleNo(1))
  await hub.post('StockMovementCreated', movement(1, 'second'))
  sink.letGo()
  await sink.until(3)
  expect(sink.received.map(({ kind }) => kind)).toEqual(['StockMovementCreated', 'StockMovementCreated', 'SaleCreated'])
})

test('When what was retried by filter had to leave the last call free, then it goes out as soon as another ends', async () => {
  await using sink = await startSink()
  const bus = busTo(sink.url, { publish: ['StockMovementCreated'], queue: { concurrency: 2 } })
  await using hub = await hubOf([publish, bulk], { bus })
  sink.play({ status: 400 })
  await hub.post('StockMovementCreated', movement(1, 'retried'))
  await untilAll(hub, 'dead', 1)
  sink.play(({ kind }) => (kind === 'SaleCreated' ? 'hang' : { status: 200 }))
  await hub.post('SaleCreated', saleNo(1))
  await sink.until(2)
  await hub.admin('deliveries/retry', { filter: { state: 'dead' } })
  await hub.post('StockMovementCreated', movement(2, 'fresh'))
  await sink.until(3)
  sink.letGo()
  await untilAll(hub, 'delivered', 3)
  const passed = sink.received.slice(2).map(({ body }) => JSON.parse(body).gtin)
  expect(passed).toEqual(['fresh', 'retried'])
})

test('When one destination hangs, then another is not slowed', async () => {
  await using hanging = await startSink()
  await using other = await startSink()
  hanging.play('hang')
  const queue = { timeout: '20s', concurrency: 2 }
  await using hub = await startTestHub({
    destinations: { hanging: busTo(hanging.url, { queue }), other: busTo(other.url, { queue }) },
  })
  const took: number[] = []
  for (let no = 0; no < 100; no += 1) {
    const from = Date.now()
    await hub.post('SaleCreated', saleNo(no))
    await other.until(no + 1)
    took.push((other.received.at(no)?.at ?? Number.NaN) - from)
  }
  // Far from the twenty seconds that the other one takes, on whatever machine.
  expect(took.sort((a, b) => a - b)[95]).toBeLessThan(8_000)
  expect(hanging.received.length).toBeLessThan(20)
})
