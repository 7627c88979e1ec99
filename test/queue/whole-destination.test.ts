import { expect, test } from 'vitest'
import { createTestClock, type TestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { busTo, type TestHub } from '../hub.ts'
import { redirect, type SinkScript, startSink } from '../sink.ts'
import {
  DAY,
  HOUR,
  hubTo,
  hubWith,
  logged,
  MINUTE,
  SECOND,
  saleNo,
  statusOf,
  untilAll,
  untilDelivery,
  untilOutage,
} from './kit/kit.ts'

const TO_EVERYBODY: [string, SinkScript, string][] = [
  ['401', { status: 401 }, 'http-401'],
  ['403', { status: 403 }, 'http-403'],
  ['500', { status: 500 }, 'http-500'],
  ['a redirect', redirect('https://login.example.com/'), 'http-302'],
  ['nothing', 'close', 'no-answer'],
]

/** Lets time go by until the destination has met outage so many times. */
async function probe(hub: TestHub, clock: TestClock, times: number, after = 5 * MINUTE): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    const { outage } = await statusOf(hub)
    clock.advance(after)
    await untilOutage(hub, (outage?.failures ?? 0) + 1)
  }
}

for (const [name, script, code] of TO_EVERYBODY)
  test(`When the receiver answers every call with ${name} for two days, then the queue pauses with its cause, nothing dies, and all goes out at once when it is well`, async () => {
    const clock = createTestClock()
    await using sink = await startSink()
    const bus = busTo(sink.url, { queue: { concurrency: 2 } })
    await using hub = await hubWith({ bus }, clock)
    await hub.post('SaleCreated', saleNo('before'))
    await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
    sink.play(script)
    for (let no = 0; no < 20; no += 1) await hub.post('SaleCreated', saleNo(no))

    const { outage } = await eventually(async () => {
      const found = await statusOf(hub)
      if (found.outage === null) throw new Error(JSON.stringify(found))
      return found
    })
    expect(outage).toMatchObject({ code, todo: expect.any(String) })
    await eventually(async () => (await statusOf(hub)).inFlight === 0)
    // Three tell of it, and one more may have been out already.
    expect(sink.received.length).toBeLessThanOrEqual(1 + 4)

    await probe(hub, clock, 3)
    expect(logged(hub, 'destination.down')).toMatchObject([{ destination: 'bus', code }])
    await probe(hub, clock, 1, 2 * DAY)
    expect(await statusOf(hub)).toMatchObject({ waiting: 20, dead: 0, held: 0 })

    sink.play({ status: 200 })
    clock.advance(5 * MINUTE + SECOND)
    await eventually(async () => (await statusOf(hub)).outage === null)
    const well = clock.now()
    await eventually(async () => {
      const left = (await statusOf(hub)).waiting
      // In small steps: none is so long that a claim under way comes too late.
      if (left > 0) clock.advance(SECOND)
      return left === 0
    })
    expect(clock.now() - well).toBeLessThan(3 * MINUTE)
    await untilAll(hub, 'delivered', 21)
  })

test('When the key of the receiver is right for all but one, then that one is dead after its second try, and the queue goes on', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using hub = await hubTo(sink, clock)
  sink.play(({ body }) => ({ status: body.includes('forbidden') ? 403 : 200 }))
  await hub.post('SaleCreated', saleNo('forbidden'))
  const first = await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  expect(first).toMatchObject({ state: 'waiting', code: 'http-403' })
  await hub.post('SaleCreated', saleNo(1))
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
  clock.advance(5 * SECOND)
  await untilDelivery(hub, 1, ({ state }) => state === 'dead')
  expect(logged(hub, 'destination.outage')).toEqual([])
})

test('When one delivery waits alone and is refused with 401 for days, then it lives, its cause is told, and what comes then goes out at once', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using hub = await hubTo(sink, clock)
  sink.play(({ body }) => ({ status: body.includes('alone') ? 401 : 200 }))
  await hub.post('SaleCreated', saleNo('alone'))
  for (let tries = 1; tries <= 20; tries += 1) {
    await untilDelivery(hub, 1, ({ state, attempts }) => state === 'waiting' && attempts.length === tries)
    clock.advance(6 * HOUR)
  }
  const { outage } = await statusOf(hub)
  expect(outage).toMatchObject({ code: 'http-401', means: 'it refuses our key or password, whatever is sent' })
  await untilDelivery(hub, 1, ({ state, attempts }) => state === 'waiting' && attempts.length === 21)

  await hub.post('SaleCreated', saleNo(2))
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
  expect((await statusOf(hub)).outage).toBe(null)
  clock.advance(2 * MINUTE)
  await untilDelivery(hub, 1, ({ state }) => state === 'dead')
})

test('When the hub starts while its key is refused, then nothing dies of the first calls either', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  sink.play({ status: 401 })
  await using hub = await hubTo(sink, clock)
  for (let no = 0; no < 8; no += 1) await hub.post('SaleCreated', saleNo(no))
  await eventually(async () => (await statusOf(hub)).outage !== null)
  await probe(hub, clock, 4)
  expect(await statusOf(hub)).toMatchObject({ waiting: 8, dead: 0 })
})

test('When the receiver takes few of many calls and says 429, then it is called more slowly, status says so, and all arrive', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using hub = await hubTo(sink, clock)
  let room = 10
  sink.play(() => {
    room -= 1
    return { status: room >= 0 ? 200 : 429 }
  })
  await Promise.all(Array.from({ length: 60 }, (_, no) => hub.post('SaleCreated', saleNo(no))))
  await eventually(() => expect(logged(hub, 'destination.slowed')).toHaveLength(1))
  expect((await statusOf(hub)).outage).toBe(null)
  const { callsPerSecond } = await statusOf(hub)
  expect(callsPerSecond).toBeGreaterThan(0)
  for (let second = 0; second < 600 && (await statusOf(hub)).waiting > 0; second += 1) {
    room = 5
    clock.advance(SECOND)
    await eventually(async () => (await statusOf(hub)).inFlight === 0)
  }
  await untilAll(hub, 'delivered', 60)
  expect(logged(hub, 'destination.outage')).toEqual([])
})
