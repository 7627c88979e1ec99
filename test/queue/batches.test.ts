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
import { createBackOffice, levelsFlow } from './kit/back-office.ts'
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
  untilOutage,
} from './kit/kit.ts'

const article = (no: number) => `article-${no}`

/** So many levels come in, each of another article, and the batch is full when no more came for a while. */
async function submit(hub: TestHub, clock: TestClock, count: number) {
  const post = (_: unknown, no: number) => hub.post('StockMovementCreated', movement(no + 1, article(no)))
  await clock.active(() => Promise.all(Array.from({ length: count }, post)))
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
    const links = await hub.hub.storage.links('office', 'level', [article(0)])
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

test('When the destination is away while halves go out, then the queue pauses once, and nothing is charged or lost', async () => {
  const clock = createTestClock()
  const office = createBackOffice()
  const goesAway = () => Promise.reject(new RetryLaterError('503', { scope: 'destination' }))
  const isRefused = () => Promise.reject(new RefusedTogetherError('one of them is bad'))
  // The whole, the first half, a quarter of it, and then nobody answers any more.
  office.turns = [isRefused, isRefused, (gtins) => gtins.map(() => ({})), goesAway]
  const destinations = { office: office.destination() }
  await using hub = await hubOf([levelsFlow()], destinations, clock)
  await submit(hub, clock, 40)
  expect(await untilOutage(hub, 1, 'office')).toMatchObject({ failures: 1, why: '503' })
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
  const both = office.destination({ publish: ['SaleCreated'], queue: { concurrency: 2 } })
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
