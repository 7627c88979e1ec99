import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { RetryLaterError, UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { createFolder, startTestHub } from '../../hub.ts'
import {
  deliveriesOf,
  flowOf,
  LEVEL,
  logged,
  MINUTE,
  movement,
  SECOND,
  saleNo,
  through,
  untilAll,
  untilDelivery,
} from '../kit/kit.ts'

/** What the hubs here take for standing still (milliseconds). */
const STANDS_STILL = 500

/** Gives nobody else a turn for so long (milliseconds). */
function stand(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Stands over what has this article, then ends as it is told. */
function standsOver(article: string, ends: () => Promise<object>) {
  const port = {
    calls: 0,
    async publish({ body }: { body: Uint8Array }) {
      if (!Buffer.from(body).toString().includes(article)) return {}
      port.calls += 1
      stand(4 * STANDS_STILL)
      return await ends()
    },
  }
  return port
}

test('When a payload stands the loop and its call fails, then it is held by name at once, and again if a person lets it go', async () => {
  const port = standsOver('"9999"', () => Promise.reject(new RetryLaterError('it was too slow')))
  const bus = through(port, { publish: 'all' })
  await using hub = await startTestHub({ destinations: { bus }, standsStill: STANDS_STILL })
  await hub.post('StockMovementCreated', movement(1, '9999'))
  const { why, attempts } = await untilDelivery(hub, 1, ({ state }) => state === 'held')
  expect(why).toMatch(/^its payload kept the hub standing for [\d.]+ s \(flow publish to bus\): look at it with /)
  expect(attempts).toMatchObject([{ outcome: 'held', code: 'stood-still', note: why }])
  await hub.post('StockMovementCreated', movement(2, '9999'))
  await hub.post('StockMovementCreated', movement(3, '1111'))
  await untilDelivery(hub, 3, ({ state }) => state === 'delivered')
  expect(logged(hub, 'delivery.stood-the-hub')).toMatchObject([
    { level: LEVEL.error, delivery: 1, event: 1, flow: 'publish', destination: 'bus', ms: expect.any(Number) },
  ])
  await eventually(() => expect(logged(hub, 'hub.stood-still')).toMatchObject([{ deliveries: [1] }]))
  await eventually(() => expect(existsSync(`${hub.file}.standing.json`)).toBe(false))

  await hub.admin('deliveries/retry', { filter: { id: 1 } })
  await untilDelivery(hub, 1, ({ state, attempts: tried }) => state === 'held' && tried.length === 2)
  expect(port.calls).toBe(2)
})

test('When a payload stands the loop and is delivered all the same, then it is done, and only told of', async () => {
  const bus = through(
    standsOver('"9999"', async () => ({})),
    { publish: 'all' },
  )
  const clock = createTestClock()
  await using hub = await startTestHub({ destinations: { bus }, standsStill: STANDS_STILL, clock })
  await hub.post('StockMovementCreated', movement(1, '9999'))
  await untilAll(hub, 'delivered', 1)
  expect(logged(hub, 'delivery.stood-the-hub')).toMatchObject([{ delivery: 1 }])
  await eventually(() => expect(existsSync(`${hub.file}.standing.json`)).toBe(false))
})

test('When a flow stands the loop over a payload that must not go out twice and may have, then it is held as uncertain', async () => {
  const port = standsOver('poison', () => Promise.reject(new UnknownOutcomeError('no answer')))
  const flows = [flowOf('create-order', { once: true, onUnknown: 'repeat' })]
  await using hub = await startTestHub({ destinations: { bus: through(port) }, flows, standsStill: STANDS_STILL })
  await hub.post('SaleCreated', saleNo('poison'))
  const { open, why } = await untilDelivery(hub, 1, ({ state }) => state === 'held')
  expect(open).toBe(true)
  expect(why).toMatch(/^uncertain: its payload kept the hub standing for /)
})

test('When the loop stands still and no delivery is in hand, then one line says so, and nothing is held', async () => {
  await using hub = await startTestHub({ standsStill: STANDS_STILL })
  // The watcher is at work by the time that the loop has turned for a while.
  await eventually(() => {
    stand(2 * STANDS_STILL)
    return logged(hub, 'hub.stood-still').length > 0
  })
  expect(logged(hub, 'hub.stood-still')[0]).toMatchObject({ level: LEVEL.warn, deliveries: [], suspects: 0 })
  expect(logged(hub, 'hub.stood-still')[0]?.ms).toBeGreaterThanOrEqual(STANDS_STILL)
})

test('When a note is left of what is done or held already, then it is forgotten, and what it does not name goes out', async () => {
  await using folder = await createFolder()
  const clock = createTestClock()
  const given = {
    folder: folder.path,
    destinations: { bus: through({ publish: async () => ({}) }, { publish: 'all' }) },
  }
  let file = ''
  {
    await using hub = await startTestHub(given)
    file = hub.file
    await hub.post('SaleCreated', saleNo(1))
    await untilAll(hub, 'delivered', 1)
  }
  await writeFile(`${file}.standing.json`, JSON.stringify({ certain: [{ delivery: 1, ms: 9_000 }], suspects: [77] }))
  await using hub = await startTestHub({ ...given, clock, standsStill: 10 * STANDS_STILL })
  expect(logged(hub, 'hub.stood-still-before')).toMatchObject([{ certain: [1], suspects: 1 }])
  await hub.post('SaleCreated', saleNo(2))
  await untilAll(hub, 'delivered', 2)
  clock.advance(MINUTE)
  await eventually(() => expect(existsSync(`${file}.standing.json`)).toBe(false))
})

test(
  'When a note cannot be read, then the hub starts all the same',
  async () => {
    await using folder = await createFolder()
    const given = {
      folder: folder.path,
      destinations: { bus: through({ publish: async () => ({}) }, { publish: 'all' }) },
    }
    for (const text of ['', '[', '{"certain":[{"delivery":"x"},7,null],"suspects":{"a":1}}']) {
      await writeFile(`${folder.path}/tillbridge.db.standing.json`, text)
      await using hub = await startTestHub({ ...given, standsStill: 10 * STANDS_STILL })
      const { body } = await hub.post('SaleCreated', saleNo(`with ${text.length}`))
      expect(body.status).toBe('accepted')
      await eventually(async () => (await deliveriesOf(hub)).every(({ state }) => state === 'delivered'))
    }
  },
  60 * SECOND,
)
