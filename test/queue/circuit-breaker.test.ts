import { expect, test } from 'vitest'
import { publish } from '../../src/flows/publish.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { busTo } from '../hub.ts'
import { startSink } from '../sink.ts'
import {
  DAY,
  deliveriesOf,
  flowOf,
  HOUR,
  hubOf,
  hubTo,
  hubWith,
  LEVEL,
  logged,
  MINUTE,
  movement,
  SECOND,
  saleNo,
  statusOf,
  untilAll,
  untilOutage,
} from './kit/kit.ts'

const PROBES = [5, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * SECOND)

test('When the receiver answers 503, then one delivery at a time probes it, after 5 s and doubling up to 5 min', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using hub = await hubTo(sink, clock)
  sink.play({ status: 503 })
  await clock.active(async () => {
    await hub.post('SaleCreated', saleNo(0))
    await untilOutage(hub, 1)
    for (let no = 1; no < 20; no += 1) await hub.post('SaleCreated', saleNo(no))
  })
  expect(sink.received).toHaveLength(1)

  for (const [at, delay] of PROBES.entries()) {
    const outage = await untilOutage(hub, at + 1)
    expect(sink.received).toHaveLength(at + 1)
    const left = (outage?.until ?? 0) - clock.now()
    expect(left).toBeGreaterThan(delay - 3 * SECOND)
    expect(left).toBeLessThanOrEqual(delay)
    clock.advance(left - 2 * SECOND)
    expect((await statusOf(hub)).inFlight).toBe(0)
    expect(sink.received).toHaveLength(at + 1)
    clock.advance(2 * SECOND)
  }

  await untilOutage(hub, PROBES.length + 1)
  sink.play({ status: 200 })
  clock.advance(5 * MINUTE)
  const all = await untilAll(hub, 'delivered', 20)
  for (const { tries } of all) expect(tries).toBe(0)
  expect(logged(hub, 'destination.outage')).toHaveLength(1)
  expect(logged(hub, 'destination.recovered')).toMatchObject([{ destination: 'bus', level: LEVEL.info }])
})

test('When a receiver is away for five days, then nothing is dead, one alarm is raised after 15 min, and all goes on when it is back', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using hub = await hubTo(sink, clock)
  await sink.refuse()
  for (let id = 1; id <= 50; id += 1) await hub.post('StockMovementCreated', movement(id, `article-${id % 7}`))
  await untilOutage(hub, 1)

  let failures = 1
  async function later(ms: number) {
    clock.advance(ms)
    failures += 1
    await untilOutage(hub, failures)
  }
  await later(7 * MINUTE)
  await later(7 * MINUTE)
  expect(logged(hub, 'destination.down')).toEqual([])
  await later(5 * MINUTE)
  const alarm = { destination: 'bus', level: LEVEL.error, why: expect.stringContaining('ECONNREFUSED') }
  expect(logged(hub, 'destination.down')).toMatchObject([alarm])
  for (let hours = 0; hours < 5 * 24; hours += 8) await later(8 * HOUR)
  expect(logged(hub, 'destination.down')).toHaveLength(1)
  expect(await statusOf(hub)).toMatchObject({ waiting: 50, dead: 0, held: 0 })

  await sink.open()
  clock.advance(5 * MINUTE)
  await untilAll(hub, 'delivered', 50)
  expect(logged(hub, 'destination.recovered')).toHaveLength(1)
  expect(logged(hub, 'destination.recovered')[0]?.ms).toBeGreaterThan(5 * DAY)
  for (let article = 0; article < 7; article += 1) {
    const ids = sink.received.map(({ body }) => JSON.parse(body).movementId).filter((id) => id % 7 === article)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
  }

  await sink.refuse()
  await hub.post('SaleCreated', saleNo(1))
  await untilOutage(hub, 1)
  clock.advance(5 * SECOND)
  await untilOutage(hub, 2)
  clock.advance(16 * MINUTE)
  await untilOutage(hub, 3)
  expect(logged(hub, 'destination.down')).toHaveLength(2)
})

test('When the probe is answered by nothing, then the outage goes on, and the delivery is charged', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  const bus = busTo(sink.url, { queue: { timeout: '200ms' } })
  await using hub = await hubWith({ bus }, clock)
  sink.play((_, nth) => (nth === 0 ? { status: 503 } : nth === 1 ? 'close' : { status: 200 }))
  await hub.post('SaleCreated', saleNo(1))
  await untilOutage(hub, 1)
  await hub.post('SaleCreated', saleNo(2))
  clock.advance(5 * SECOND)
  await untilOutage(hub, 2)
  clock.advance(10 * SECOND)
  const [first, second] = await untilAll(hub, 'delivered', 2)
  expect((first?.tries ?? 0) + (second?.tries ?? 0)).toBe(1)
})

test('When one prompt delivery alone always meets outage, then bulk work goes on all the same', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  const bus = busTo(sink.url, { publish: ['StockMovementCreated'] })
  const flows = [publish, flowOf('bulk', { urgency: 'bulk' })]
  await using hub = await hubOf(flows, { bus }, clock)
  sink.play(({ kind }) => ({ status: kind === 'StockMovementCreated' ? 503 : 200 }))
  await hub.post('StockMovementCreated', movement(1, 'bad'))
  await untilOutage(hub, 1)
  await hub.post('SaleCreated', saleNo(1))
  clock.advance(5 * MINUTE)
  await untilOutage(hub, 2)
  expect(sink.received.map(({ kind }) => kind)).toEqual(['StockMovementCreated', 'StockMovementCreated'])
  clock.advance(5 * MINUTE)
  await eventually(async () => {
    expect((await deliveriesOf(hub)).map(({ state }) => state)).toContain('delivered')
  })
})

test('When bulk and prompt work are due while the receiver is away, then still only one of them probes', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using hub = await hubTo(sink, clock)
  sink.play({ status: 400 })
  for (let no = 0; no < 5; no += 1) await hub.post('SaleCreated', saleNo(no))
  await untilAll(hub, 'dead', 5)
  sink.play({ status: 503 })
  await hub.post('SaleCreated', saleNo(5))
  await untilOutage(hub, 1)
  // Whoever has them retried has the receiver tried at once: the clock is put forward only when that probe has ended.
  await hub.admin('deliveries/retry', { filter: { state: 'dead' } })
  for (let failures = 2; failures < 7; failures += 1) {
    await untilOutage(hub, failures)
    expect(sink.received).toHaveLength(5 + failures)
    if (failures < 6) clock.advance(5 * MINUTE)
  }
  sink.play({ status: 200 })
  clock.advance(5 * MINUTE)
  await untilAll(hub, 'delivered', 6)
})
