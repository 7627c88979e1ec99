import { setImmediate as turn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { RetryLaterError, UnknownOutcomeError } from '../../src/domain/values/errors.ts'
import type { Attempt, PublishPort } from '../../src/ports/ports.ts'
import { createTestClock, type TestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { createBackOffice, levelOf, levelsFlow } from './kit/back-office.ts'
import {
  DAY,
  deliveriesOf,
  deliveryOf,
  flowOf,
  HOUR,
  hubOf,
  hubTo,
  hubWith,
  logged,
  MINUTE,
  movement,
  SECOND,
  saleNo,
  statusOf,
  through,
  untilAll,
  untilDelivery,
} from './kit/kit.ts'
import { createShop } from './kit/shop.ts'

const TIMEOUT = 20 * SECOND

/** A system that does not answer as long as `hangs` says so; told to stop, its adapter says that nothing was sent. */
function createHanging(
  hangs: (body: string) => boolean,
  ends: 'told to stop' | 'uncertain' | 'never' = 'told to stop',
) {
  const system = {
    /** Bodies in the order in which they were done. */
    done: [] as string[],
    calls: 0,
    hanging: 0,
    hangs,
    fails: 0,
    port: { publish } satisfies PublishPort,
  }

  async function publish({ body }: { body: Uint8Array }, { signal }: Attempt) {
    system.calls += 1
    const text = Buffer.from(body).toString()
    if (system.hangs(text)) {
      system.hanging += 1
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      system.hanging -= 1
      if (ends === 'never') await new Promise(() => {})
      if (ends === 'uncertain') throw new UnknownOutcomeError('no answer')
      throw new RetryLaterError('it was not sent', { scope: 'destination', code: 'aborted' })
    }
    system.fails -= 1
    if (system.fails >= 0) throw new RetryLaterError('it answered 500')
    system.done.push(text)
    return {}
  }
  return system
}

/** Lets calls hang until their time is over, and time go by where none does, until a check is true. */
async function goOnUntil(hub: TestHub, clock: TestClock, hanging: () => number, check: () => Promise<boolean>) {
  for (let steps = 0; !(await check()); steps += 1) {
    if (steps > 200)
      throw new Error(
        `not so after ${steps} steps: ${JSON.stringify((await deliveriesOf(hub, 'state=waiting')).slice(0, 3))}`,
      )
    const some = await eventually(async () => {
      if (hanging() > 0) return { hanging: true }
      const { destinations } = (await hub.admin<{ destinations: { inFlight: number }[] }>('status')).body
      return destinations.every(({ inFlight }) => inFlight === 0) && { hanging: false }
    })
    clock.advance(some.hanging ? TIMEOUT : 5 * SECOND)
    // What is due by now is claimed and called before time goes on, however slow the machine: the writer answers in turn.
    for (let round = 0; round < 4; round += 1) {
      await hub.hub.storage.check()
      await turn()
    }
  }
}

for (const ends of ['told to stop', 'uncertain', 'never'] as const)
  test(`When one payload always hangs (${ends}), then it is charged, the others pass, it is tried less and less often, and is dead after three days`, async () => {
    const clock = createTestClock()
    const poison = saleNo('poison')
    const system = createHanging((body) => body.includes('poison'), ends)
    const bus = through(system.port, { publish: 'all', queue: { concurrency: 1, timeout: '20s' } })
    await using hub = await hubWith({ bus }, clock)
    await hub.post('SaleCreated', poison)
    const waits: number[] = []
    let state = 'waiting'
    for (let round = 1; state === 'waiting' && round < 30; round += 1) {
      await eventually(() => system.hanging === 1)
      await hub.post('SaleCreated', saleNo(round))
      clock.advance(TIMEOUT)
      // One that is left behind has a moment more.
      if (ends === 'never') await eventually(() => system.hanging === 0)
      clock.advance(SECOND)
      const { attempts, ...found } = await untilDelivery(hub, 1, (one) => one.attempts.length === round)
      const last = attempts.at(-1)
      if (found.state === 'waiting') expect(found.tries).toBe(round)
      waits.push(Math.round((found.dueAt - (last?.at ?? 0) - (last?.ms ?? 0)) / SECOND))
      state = found.state
      if (state !== 'waiting') break
      clock.advance(5 * SECOND)
      await eventually(() => expect(system.done).toHaveLength(round))
      const { dueAt } = await deliveryOf(hub, 1)
      clock.advance(Math.max(0, dueAt - clock.now()))
    }
    expect(waits.slice(0, 9)).toEqual([5, 30, 120, 240, 300, 300, 300, 300, 300])
    expect(waits.slice(9, 14)).toEqual([1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600])
    expect(await deliveryOf(hub, 1)).toMatchObject({ state: 'dead', why: /^failing for three days: / })
    expect(await deliveriesOf(hub, 'state=dead')).toHaveLength(1)
    await goOnUntil(
      hub,
      clock,
      () => system.hanging,
      async () => (await statusOf(hub)).waiting === 0,
    )
  })

test('When a receiver drops every packet for four days, then nothing is dead, it is probed as ever, and all arrive in order soon after it is back', async () => {
  const clock = createTestClock()
  const system = createHanging(() => true)
  const bus = through(system.port, { publish: 'all', queue: { concurrency: 4, timeout: '20s' } })
  await using hub = await hubWith({ bus }, clock)
  for (let id = 1; id <= 12; id += 1) await hub.post('StockMovementCreated', movement(id, `article-${id % 4}`))
  await eventually(() => system.hanging === 4)
  clock.advance(TIMEOUT)
  await eventually(async () => (await statusOf(hub)).inFlight === 0)
  const from = clock.now()
  while (clock.now() - from < 4 * DAY) {
    const { outage } = await statusOf(hub)
    expect(outage).not.toBeNull()
    expect((outage?.until ?? 0) - clock.now()).toBeLessThanOrEqual(5 * MINUTE)
    const before = system.calls
    clock.advance(2 * HOUR)
    await eventually(() => system.hanging === 1)
    expect(system.calls).toBe(before + 1)
    clock.advance(TIMEOUT)
    await eventually(async () => (await statusOf(hub)).inFlight === 0)
  }
  expect(await statusOf(hub)).toMatchObject({ waiting: 12, dead: 0, held: 0 })
  expect(logged(hub, 'destination.down')).toHaveLength(1)

  // It comes back, and is not quite well yet: what waited for it is not at the end of its patience because of that.
  system.hangs = () => false
  system.fails = 1
  const back = clock.now()
  await goOnUntil(
    hub,
    clock,
    () => 0,
    async () => (await deliveriesOf(hub, 'state=delivered')).length === 12,
  )
  expect(clock.now() - back).toBeLessThan(12 * MINUTE)
  for (let first = 1; first <= 4; first += 1) {
    const ids = system.done.map((body) => JSON.parse(body).movementId).filter((id) => id % 4 === first % 4)
    expect(ids).toEqual([first, first + 4, first + 8])
  }
})

for (const ends of ['told to stop', 'uncertain'] as const)
  test(`When one of a batch hangs (${ends}), then the batch is sent again in halves, and all others arrive`, async () => {
    const clock = createTestClock()
    const office = createBackOffice()
    let hanging = 0
    const arrived = new Set<string>()
    const setStock = async (gtins: string[], signal: AbortSignal) => {
      if (gtins.includes('article-0')) {
        hanging += 1
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        hanging -= 1
        if (ends === 'uncertain') throw new UnknownOutcomeError('no answer')
        throw new RetryLaterError('it was not sent', { scope: 'destination', code: 'aborted' })
      }
      for (const gtin of gtins) arrived.add(gtin)
      return gtins.map(() => ({}))
    }
    office.turns = Array.from({ length: 500 }, () => setStock)
    const destinations = { office: office.destination({ queue: { timeout: '20s' } }) }
    await using hub = await startTestHub({ destinations, flows: [levelsFlow()], clock })
    await Promise.all(
      Array.from({ length: 200 }, (_, no) => hub.post('StockMovementCreated', movement(no + 1, `article-${no}`))),
    )
    await goOnUntil(
      hub,
      clock,
      () => hanging,
      async () => arrived.size === 199,
    )
    const poison = await eventually(async () => {
      // What came through in halves is written down when the last of them has ended.
      if (hanging > 0) clock.advance(TIMEOUT)
      const left = await deliveriesOf(hub, 'state=waiting')
      return left.length === 1 && left[0]
    })
    expect(poison?.tries).toBeGreaterThan(0)
    expect(poison?.entity).toBe('level:article-0')
    expect(office.calls.length).toBeLessThan(100)
  })

test('When one of a batch hangs whose effects must happen once, and whether it had one is not known, then it goes out in ever smaller calls', async () => {
  const clock = createTestClock()
  let hanging = 0
  const arrived: string[] = []
  const calls: number[] = []
  const ports = {
    platform: {
      async setStock(batch: readonly { argument: { gtin: string }; attempt: Attempt }[]) {
        calls.push(batch.length)
        const gtins = batch.map(({ argument }) => argument.gtin)
        if (gtins.includes('article-77')) {
          hanging += 1
          await new Promise<void>((resolve) => batch[0]?.attempt.signal.addEventListener('abort', () => resolve()))
          hanging -= 1
          throw new UnknownOutcomeError('no answer')
        }
        arrived.push(...gtins)
        return batch.map(() => ({}))
      },
      find: async () => null,
    },
  }
  const destinations = { office: { ...through({ publish: async () => ({}) }), ports, queue: { timeout: '20s' } } }
  const flow = levelsFlow({
    atMostOnce: true,
    plan: ({ payload }) => [{ part: '', entity: `level:${levelOf(payload).gtin}`, batch: 'all' }],
  })
  await using hub = await hubOf([flow], destinations, clock)
  await Promise.all(
    Array.from({ length: 100 }, (_, no) => hub.post('StockMovementCreated', movement(no + 1, `article-${no}`))),
  )
  await goOnUntil(
    hub,
    clock,
    () => hanging,
    async () => arrived.length >= 99,
  )
  expect(new Set(arrived).size).toBe(99)
  expect(arrived).toHaveLength(99)
  expect(calls[0]).toBeGreaterThan(1)
})

/** Somebody else's lock on the file: nothing can be written while it is held. */
function lockFile(file: string): Disposable {
  const db = new Database(file)
  db.exec('begin immediate')
  return {
    [Symbol.dispose]() {
      db.exec('rollback')
      db.close()
    },
  }
}

test('When the store cannot write while results come in, then none is lost and none is sent twice', async () => {
  await using sink = await startSink()
  await using hub = await hubTo(sink)
  sink.play('hang')
  for (let id = 0; id < 4; id += 1) await hub.post('StockMovementCreated', movement(id + 1, `article-${id}`))
  await hub.post('StockMovementCreated', movement(5, 'article-0'))
  await sink.until(4)
  {
    using _lock = lockFile(hub.file)
    sink.play({ status: 200 })
    sink.letGo()
    await eventually(async () => (await hub.ask('/health/ready')).status === 503)
    expect((await hub.post('SaleCreated', saleNo(1))).status).toBe(503)
    expect(sink.received).toHaveLength(4)
  }
  await untilAll(hub, 'delivered', 5)
  expect(sink.received.map(({ body }) => JSON.parse(body).movementId).sort()).toEqual([1, 2, 3, 4, 5])
})

test('When the intent of what must happen once cannot be written, then it is not called, until it can', async () => {
  const shop = createShop()
  let release = () => {}
  shop.turns = [() => new Promise((resolve) => (release = () => resolve({})))]
  await using hub = await startTestHub({
    destinations: { bank: through(shop.port, { queue: { concurrency: 1 } }) },
    flows: [flowOf('refund', { atMostOnce: true, whenInDoubt: 'hold' })],
  })
  await hub.post('SaleCreated', saleNo(1))
  await eventually(() => shop.calls.length === 1)
  await hub.post('SaleCreated', saleNo(2))
  {
    using _lock = lockFile(hub.file)
    release()
    await eventually(async () => (await hub.ask('/health/ready')).status === 503)
    expect(shop.calls).toHaveLength(1)
  }
  await untilAll(hub, 'delivered', 2)
  expect(shop.calls).toHaveLength(2)
})
