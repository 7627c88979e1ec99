import { expect, test } from 'vitest'
import {
  PermanentError,
  RefusedTogetherError,
  RetryLaterError,
  UnknownOutcomeError,
} from '../../src/domain/values/errors.ts'
import { publish } from '../../src/flows/publish.ts'
import { createTestClock, type TestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { busTo, createFolder, startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { createBackOffice, levelOf, levelsFlow } from './kit/back-office.ts'
import {
  deliveriesOf,
  deliveryOf,
  hubOf,
  LEVEL,
  logged,
  middle,
  movement,
  SECOND,
  saleNo,
  statusOf,
  through,
  untilAll,
  untilTrouble,
} from './kit/kit.ts'

const article = (no: number) => `article-${no}`

/** So many levels come in, each of another article, and the batch is full when no more came for a while. */
async function submit(hub: TestHub, clock: TestClock, count: number) {
  const post = (_: unknown, no: number) => hub.post('StockMovementCreated', movement(no + 1, article(no)))
  await clock.standing(() => Promise.all(Array.from({ length: count }, post)))
  clock.advance(SECOND)
}

test('When many levels come in, then one call carries them all, each is a delivery of its own, and one line says so', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  const destinations = { office: office.destination() }
  await using hub = await startTestHub({ destinations, flows: [levelsFlow()], clock })
  await submit(hub, clock, 50)
  await untilAll(hub, 'delivered', 50)
  expect(office.calls.map((gtins) => gtins.length)).toEqual([50])
  expect(office.levels.get(article(7))).toBe('8')
  expect((await deliveryOf(hub, 8)).attempts).toMatchObject([{ outcome: 'delivered' }])
  expect(logged(hub, 'delivery.batch-attempted')).toMatchObject([
    { level: LEVEL.info, flow: 'levels', destination: 'office', batch: 'stock 12', states: { delivered: 50 } },
  ])
  expect(logged(hub, 'delivery.attempted')).toEqual([])
})

test('When one of two hundred is refused with all of them, then it alone is dead, and all others arrive', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  office.bad.add(article(120))
  const destinations = { office: office.destination() }
  await using hub = await startTestHub({ destinations, flows: [levelsFlow()], clock })
  await submit(hub, clock, 200)
  const [dead] = await eventually(async () => {
    const rows = await deliveriesOf(hub)
    const ended = rows.filter(({ state }) => state === 'delivered' || state === 'dead')
    return ended.length === 200 && rows.filter(({ state }) => state === 'dead')
  })
  expect(dead).toMatchObject({ why: 'there is no article article-120' })
  expect(office.levels.size).toBe(199)
  // The whole, and each level of halves twice.
  expect(office.calls.length).toBeLessThanOrEqual(1 + 2 * 8)
  expect(new Set(office.calls.flat()).size).toBe(200)
  expect(logged(hub, 'delivery.batch-attempted')).toMatchObject([
    { level: LEVEL.error, states: { delivered: 199, dead: 1 } },
  ])
  expect(logged(hub, 'delivery.attempted')).toMatchObject([{ level: LEVEL.error, state: 'dead' }])
})

test('When a system goes away while a batch is halved, then nothing dies but the one that was refused before others got through', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  office.wordless = true
  office.bad.add(article(0))
  // All eight, four, two, the bad one; then its neighbour and two more get through, and the other four do not.
  office.awayFrom = 6
  const destinations = { office: office.destination() }
  await using hub = await hubOf([levelsFlow()], destinations, clock)
  await submit(hub, clock, 8)
  await eventually(() => expect(office.levels.size).toBe(3))
  const dead = async () => (await deliveriesOf(hub, 'state=dead')).map(({ entity }) => entity)
  for (let minute = 0; minute < 3; minute += 1) {
    const before = office.calls.length
    await eventually(() => {
      clock.advance(5 * SECOND)
      expect(office.calls.length).toBeGreaterThan(before)
    })
    expect((await dead()).filter((entity) => entity !== 'level:article-0')).toEqual([])
  }
  office.awayFrom = null
  await eventually(async () => {
    clock.advance(5 * SECOND)
    expect(office.levels.size).toBe(7)
    expect(await dead()).toEqual(['level:article-0'])
  })
})

test('When only the last of a batch is left, since all others got through, then its next refusal is final', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  office.wordless = true
  office.bad.add(article(7))
  const destinations = { office: office.destination() }
  await using hub = await hubOf([levelsFlow()], destinations, clock)
  await submit(hub, clock, 8)
  await eventually(() => expect(office.levels.size).toBe(7))
  clock.advance(10 * SECOND)
  await eventually(async () => {
    expect((await deliveriesOf(hub, 'state=dead')).map(({ entity }) => entity)).toEqual(['level:article-7'])
  })
})

test('When the adapter tells what became of each, then each goes its own way', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  office.turns = [
    (gtins) =>
      gtins.map((gtin) => {
        if (gtin === article(1)) return new RetryLaterError('it is being counted')
        if (gtin === article(2)) return new UnknownOutcomeError('no answer')
        return { note: 'set', links: [{ kind: 'level', id: gtin, theirId: `their-${gtin}` }] }
      }),
  ]
  const destinations = { office: office.destination() }
  await using hub = await hubOf([levelsFlow()], destinations, clock)
  await submit(hub, clock, 4)
  await eventually(() => expect(logged(hub, 'delivery.batch-attempted')).toHaveLength(1))
  expect(logged(hub, 'delivery.batch-attempted')).toMatchObject([
    { level: LEVEL.warn, states: { delivered: 2, waiting: 2 } },
  ])
  await eventually(async () => {
    const links = await hub.hub.store.links('office', 'level', [article(0)])
    expect(links).toMatchObject([{ theirId: 'their-article-0' }])
  })
  clock.advance(5 * SECOND)
  clock.advance(SECOND)
  await untilAll(hub, 'delivered', 4)
  // Together or one after the other: they are due within a moment of each other.
  expect(office.calls.slice(1).flat().toSorted()).toEqual([article(1), article(2)])
})

test('When a key is revoked while a batch is sent one by one, then what was refused waits, though others of it were taken', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  const revoked = () => new PermanentError('it answered 401', { code: 'http-401' })
  office.turns = [(gtins) => gtins.map((_, no) => (no < 2 ? {} : revoked()))]
  const destinations = { office: office.destination() }
  await using hub = await hubOf([levelsFlow()], destinations, clock)
  await submit(hub, clock, 5)
  await eventually(() => expect(logged(hub, 'delivery.batch-attempted')).toHaveLength(1))
  expect(logged(hub, 'delivery.batch-attempted')).toMatchObject([{ states: { delivered: 2, waiting: 3 } }])
  clock.advance(6 * SECOND)
  clock.advance(SECOND)
  await untilAll(hub, 'delivered', 5)
})

test('When a batch is refused as a whole because of our key, then it is not sent in halves', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  const refused = () => new RefusedTogetherError('it answered 403', { code: 'http-403' })
  office.turns = [(gtins) => gtins.map(refused)]
  const destinations = { office: office.destination() }
  await using hub = await hubOf([levelsFlow()], destinations, clock)
  await submit(hub, clock, 40)
  await eventually(() => expect(logged(hub, 'delivery.batch-attempted')).toHaveLength(1))
  expect(office.calls.map((gtins) => gtins.length)).toEqual([40])
  expect(await statusOf(hub, 'office')).toMatchObject({ dead: 0 })
})

test('When the destination is away while halves go out, then the lane pauses once, and nothing is charged or lost', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  const goesAway = () => Promise.reject(new RetryLaterError('503', { scope: 'destination' }))
  const isRefused = () => Promise.reject(new RefusedTogetherError('one of them is bad'))
  // The whole, the first half, a quarter of it, and then nobody answers any more.
  office.turns = [isRefused, isRefused, (gtins) => gtins.map(() => ({})), goesAway]
  const destinations = { office: office.destination() }
  await using hub = await hubOf([levelsFlow()], destinations, clock)
  await submit(hub, clock, 40)
  expect(await untilTrouble(hub, 1, 'office')).toMatchObject({ failures: 1, why: '503' })
  expect(office.calls.map((gtins) => gtins.length)).toEqual([40, 20, 10, 10])
  const rows = await eventually(async () => {
    const found = await deliveriesOf(hub)
    return found.filter(({ state }) => state === 'waiting').length === 30 && found
  })
  expect(rows.filter(({ state }) => state === 'delivered')).toHaveLength(10)
  clock.advance(5 * SECOND)
  clock.advance(SECOND)
  await untilAll(hub, 'delivered', 40)
  expect(office.calls.slice(4).map((gtins) => gtins.length)).toEqual([30])
  expect((await deliveryOf(hub, 40)).tries).toBe(0)
})

test('When what is submitted is what the destination acknowledged last, then it is not sent again, unless it is forced', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  const flow = levelsFlow({
    plan: ({ payload }) => {
      const { quantity } = payload as { quantity: number }
      const step = { part: '', entity: `level:${levelOf(payload).gtin}`, batch: 'stock 12', digest: 'the same' }
      return [quantity === -99 ? { ...step, force: true } : step]
    },
  })
  await using hub = await startTestHub({ destinations: { office: office.destination() }, flows: [flow], clock })
  await hub.post('StockMovementCreated', movement(1, article(1)))
  clock.advance(SECOND)
  await untilAll(hub, 'delivered', 1)
  await hub.post('StockMovementCreated', movement(2, article(1)))
  clock.advance(SECOND)
  const second = await eventually(async () => {
    const found = await deliveryOf(hub, 2)
    return found.state === 'superseded' && found
  })
  expect(second).toMatchObject({ why: expect.stringMatching(/^unchanged: /), attempts: [{ code: 'unchanged' }] })
  expect(office.calls).toHaveLength(1)
  await hub.post('StockMovementCreated', { ...movement(3, article(1)), quantity: -99 })
  clock.advance(SECOND)
  await eventually(async () => (await deliveryOf(hub, 3)).state === 'delivered')
  expect(office.calls).toHaveLength(2)
})

test('When a dry run has recorded what it would send, then the same is sent for real all the same', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  await using folder = await createFolder()
  const flow = levelsFlow({
    plan: ({ payload }) => [{ part: '', entity: `level:${levelOf(payload).gtin}`, batch: 'all', digest: 'the same' }],
  })
  const given = { folder: folder.path, flows: [flow], clock }
  {
    await using hub = await startTestHub({ ...given, destinations: { office: office.destination({ dryRun: true }) } })
    await submit(hub, clock, 2)
    await untilAll(hub, 'delivered', 2)
    expect((await deliveryOf(hub, 1)).attempts[0]?.note).toMatch(/^dry run: platform\.setStock \{"stockId":"12"/)
    expect(office.calls).toEqual([])
  }
  await using hub = await startTestHub({ ...given, destinations: { office: office.destination() } })
  await hub.post('StockMovementCreated', movement(7, article(1)))
  clock.advance(SECOND)
  await untilAll(hub, 'delivered', 3)
  expect(office.calls).toEqual([[article(1)]])
})

test('When newer levels come while older ones wait, then only the newest go out', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  const destinations = { office: office.destination() }
  await using hub = await startTestHub({ destinations, flows: [levelsFlow({ latestWins: true })], clock })
  await hub.admin('destinations/office/pause', {})
  for (let level = 1; level <= 3; level += 1) await hub.post('StockMovementCreated', movement(level, article(1)))
  await hub.admin('destinations/office/resume', {})
  clock.advance(SECOND)
  await eventually(() => expect(office.levels.get(article(1))).toBe('3'))
  expect(office.calls).toEqual([[article(1)]])
  expect((await deliveriesOf(hub)).map(({ state }) => state).slice(0, 2)).toEqual(['superseded', 'superseded'])
})

test('When a call with many takes long, then what is prompt passes it', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  await using sink = await startSink()
  const goOn = Promise.withResolvers<void>()
  office.turns = [
    async (gtins) => {
      await goOn.promise
      return gtins.map(() => ({}))
    },
  ]
  const prompt = through({ publish: async () => ({}) })
  const both = office.destination({ publish: ['SaleCreated'], lane: { concurrency: 2 } })
  Object.assign(both.ports, prompt.ports)
  await using hub = await startTestHub({
    destinations: { office: both, bus: busTo(sink.url) },
    flows: [publish, levelsFlow()],
    clock,
  })
  await submit(hub, clock, 30)
  await eventually(() => office.calls.length === 1)
  expect(await statusOf(hub, 'office')).toMatchObject({ inFlight: 1 })
  await hub.post('SaleCreated', saleNo(1))
  await eventually(async () => (await deliveriesOf(hub, 'state=delivered&destination=office')).length === 1)
  expect(await statusOf(hub, 'office')).toMatchObject({ inFlight: 1 })
  goOn.resolve()
  await eventually(async () => (await deliveriesOf(hub, 'state=delivered&destination=office')).length === 31)
})

test('When the hub stops while halves go out, then what is left goes out after the next start, and nothing twice', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  office.bad.add(article(0))
  await using folder = await createFolder()
  const given = {
    folder: folder.path,
    destinations: { office: office.destination() },
    flows: [levelsFlow()],
    clock,
    random: middle,
  }
  {
    await using hub = await startTestHub(given)
    const stopped = Promise.withResolvers<void>()
    office.turns = [
      () => Promise.reject(new RefusedTogetherError('one of them is bad')),
      async (gtins) => {
        void hub.hub.stop(1_000).then(stopped.resolve)
        return gtins.map(() => ({}))
      },
    ]
    await submit(hub, clock, 16)
    await stopped.promise
  }
  expect(office.calls.map((gtins) => gtins.length)).toEqual([16, 8])
  await using hub = await startTestHub(given)
  clock.advance(SECOND)
  const rows = await eventually(async () => {
    const found = await deliveriesOf(hub)
    return found.every(({ state }) => state === 'delivered' || state === 'dead') && found
  })
  expect(rows).toHaveLength(16)
  const [, first = [], ...later] = office.calls
  expect(later.flat().filter((gtin) => first.includes(gtin))).toEqual([])
  expect(new Set([...first, ...later.flat()]).size).toBe(16)
})
