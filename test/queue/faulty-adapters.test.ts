import { expect, test } from 'vitest'
import { PermanentError } from '../../src/domain/values/errors.ts'
import type { Effect } from '../../src/ports/ports.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { flowOf, hubOf, hubWith, LEVEL, logged, SECOND, saleNo, statusOf, through, untilDelivery } from './kit/kit.ts'
import { createShop } from './kit/shop.ts'

const once = flowOf('create-order', { atMostOnce: true })
const held = flowOf('refund', { atMostOnce: true, whenInDoubt: 'hold' })

test('When an adapter throws an error of its own making, then the outcome is unknown, with the error as the reason', async () => {
  const clock = createTestClock()
  const shop = createShop()
  shop.turns = [async () => (undefined as unknown as { id: string }).id as Effect]
  const bus = through(shop.port, { publish: 'all' })
  await using hub = await hubWith({ bus }, clock)
  await hub.post('SaleCreated', saleNo(1))
  const { attempts } = await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  expect(attempts).toMatchObject([
    { outcome: 'unknown', code: 'unexpected-error', note: expect.stringMatching(/^TypeError: Cannot read/) },
  ])
  clock.advance(5 * SECOND)
  await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
})
test('When an adapter is deaf to the end of its time, then it is left behind, and its slot is free again', async () => {
  const shop = createShop()
  shop.turns = ['deaf']
  const bus = through(shop.port, { publish: 'all', queue: { concurrency: 1, timeout: '200ms' } })
  await using hub = await hubWith({ bus })
  await hub.post('SaleCreated', saleNo(1))
  await hub.post('SaleCreated', saleNo(2))
  const first = await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  expect(first.attempts).toMatchObject([{ outcome: 'unknown', note: 'The adapter did not stop when told to.' }])
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
})

test('When a hub stops while an adapter is deaf, then it stops all the same, and the result is written', async () => {
  const shop = createShop()
  shop.turns = ['deaf']
  const hub = await hubOf([held], { bank: through(shop.port) })
  try {
    await hub.post('SaleCreated', saleNo(1))
    await untilDelivery(hub, 1, ({ state }) => state === 'claimed')
    const from = performance.now()
    await hub.hub.stop(300)
    // The call alone would last for 20 s.
    expect(performance.now() - from).toBeLessThan(15_000)
    expect(logged(hub, 'delivery.attempted')).toMatchObject([{ state: 'held', level: LEVEL.error }])
    expect(logged(hub, 'delivery.results-not-written')).toEqual([])
  } finally {
    await hub[Symbol.asyncDispose]()
  }
})

test('When a look for an effect is deaf to the end of its time, then it is left behind, and the hub looks again', async () => {
  const clock = createTestClock()
  const shop = createShop()
  const looks: (() => void)[] = []
  const port = { ...shop.port, find: () => new Promise<Effect | null>((resolve) => looks.push(() => resolve(null))) }
  await using hub = await hubOf([once], { shop: through(port) }, clock)
  shop.turns = ['lost']
  await hub.post('SaleCreated', saleNo(1))
  await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  clock.advance(20 * SECOND)
  await eventually(() => looks.length === 1)
  clock.advance(20 * SECOND)
  clock.advance(SECOND)
  const { attempts } = await untilDelivery(hub, 1, ({ state, tries }) => state === 'waiting' && tries === 2)
  expect(attempts[1]).toMatchObject({ outcome: 'unknown', note: 'The adapter did not stop when told to.' })
  // The late answer of the look that was left behind makes no call.
  looks[0]?.()
  clock.advance(30 * SECOND)
  await eventually(() => looks.length === 2)
  expect(shop.calls).toHaveLength(1)
  looks[1]?.()
  await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  expect(shop.calls).toHaveLength(2)
})

test('When the store does not take a result, then the delivery is held for a person and not called again', async () => {
  const shop = createShop()
  const code = ['http', 404] as unknown as string
  shop.turns = [() => Promise.reject(new PermanentError('no such article', { code }))]
  await using hub = await hubOf([once], { shop: through(shop.findable) })
  await hub.post('SaleCreated', saleNo(1))
  await hub.post('SaleCreated', saleNo(2))
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
  const { why, open } = await untilDelivery(hub, 1, ({ state }) => state === 'held')
  expect(why).toMatch(/^its result could not be written: /)
  expect(open).toBe(true)
  expect(logged(hub, 'delivery.result-not-writable')).toMatchObject([{ delivery: 1, level: LEVEL.error }])
  expect(shop.calls).toHaveLength(2)

  await hub.admin('deliveries/retry', { filter: { id: 1 } })
  await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  expect(shop.effects).toHaveLength(2)
  expect(await statusOf(hub, 'shop')).toMatchObject({ waiting: 0, held: 0, inFlight: 0 })
})
