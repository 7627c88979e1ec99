import { expect, test } from 'vitest'
import { publish } from '../../src/flows/publish.ts'
import { busTo, createFolder, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import {
  deliveriesOf,
  deliveryOf,
  flowOf,
  hubOf,
  hubTo,
  LEVEL,
  logged,
  movement,
  saleNo,
  statusOf,
  through,
  untilAll,
  untilDelivery,
} from './kit/kit.ts'
import { createShop } from './kit/shop.ts'

test('When dead letters are retried by filter after the receiver is repaired, then they go out in their queue, in order per entity', async () => {
  await using sink = await startSink()
  await using hub = await hubTo(sink)
  sink.play({ status: 400 })
  for (let id = 0; id < 60; id += 1) await hub.post('StockMovementCreated', movement(id, `article-${id % 4}`))
  await hub.post('SaleCreated', saleNo(1))
  await untilAll(hub, 'dead', 61)
  sink.play({ status: 200 })
  const filter = { state: 'dead', kind: 'StockMovementCreated', destination: 'bus' }
  const counted = await hub.admin<{ matched: number; changed: number }>('deliveries/retry', { filter, dryRun: true })
  expect(counted.body).toMatchObject({ matched: 60, changed: 0 })
  expect(sink.received).toHaveLength(61)

  const retried = await hub.admin('deliveries/retry', { filter, reason: 'repaired' })
  expect(retried.body).toMatchObject({ matched: 60, changed: 60 })
  await sink.until(121)
  await untilDelivery(hub, 60, ({ state }) => state === 'delivered')
  const again = sink.received.slice(61).map(({ body }) => JSON.parse(body).movementId)
  for (let article = 0; article < 4; article += 1)
    expect(again.filter((id) => id % 4 === article)).toEqual(Array.from({ length: 15 }, (_, at) => at * 4 + article))
  const movements = (await deliveriesOf(hub)).filter(({ kind }) => kind === 'StockMovementCreated')
  for (const { state, urgency, yields } of movements)
    expect([state, urgency, yields]).toEqual(['delivered', 'prompt', true])
  expect(await deliveryOf(hub, 61)).toMatchObject({ state: 'dead', yields: false })
})

test('When a destination is on dry run, then nothing is sent, and what would be is recorded', async () => {
  await using sink = await startSink()
  const shop = createShop()
  await using hub = await hubOf([publish, flowOf('refund', { atMostOnce: true, whenInDoubt: 'hold' })], {
    bus: busTo(sink.url, { dryRun: true, skip: ['refund'] }),
    bank: through(shop.port, { dryRun: true }),
  })
  await hub.post('SaleCreated', saleNo(1))
  await untilAll(hub, 'delivered', 2)
  for (const id of [1, 2]) {
    const { attempts, code } = await deliveryOf(hub, id)
    expect(attempts[0]?.note).toMatch(/^dry run: publish\.publish \{"kind":"SaleCreated","body":"\{\\"receiptNo/)
    expect(code, 'what lists show').toBe('dry-run')
  }
  expect(sink.received).toEqual([])
  expect(shop.calls).toEqual([])
})

test('When a destination is gone from config, then what it is owed is named at start, stays, and can be moved', async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  {
    await using hub = await startTestHub({ destinations: { old: busTo(sink.url) }, folder: folder.path })
    sink.play({ status: 503 })
    await hub.post('SaleCreated', saleNo(1))
    await hub.post('SaleCreated', saleNo(2))
    await sink.until(1)
  }
  sink.play({ status: 200 })
  await using hub = await startTestHub({ destinations: { new: busTo(sink.url) }, folder: folder.path })
  await untilDelivery(hub, 1, () => logged(hub, 'destination.not-in-config').length > 0)
  expect(logged(hub, 'destination.not-in-config')).toMatchObject([
    { destination: 'old', deliveries: 2, level: LEVEL.error },
  ])
  expect(await statusOf(hub, 'old')).toMatchObject({ configured: false, waiting: 2 })

  const moved = await hub.admin('deliveries/move', { from: 'old', to: 'new' })
  expect(moved.body).toMatchObject({ matched: 2, changed: 2 })
  for (const { destination } of await untilAll(hub, 'delivered', 2)) expect(destination).toBe('new')
})

test('When a flow is gone from the program, then its deliveries are dead with that reason, and others go on', async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  const given = { destinations: { bus: busTo(sink.url) }, folder: folder.path }
  {
    await using hub = await startTestHub({ ...given, flows: [publish, flowOf('old-rule')] })
    await hub.admin('destinations/bus/pause', {})
    await hub.post('SaleCreated', saleNo(1))
  }
  await using hub = await startTestHub(given)
  await hub.admin('destinations/bus/resume', {})
  const rows = await untilDelivery(hub, 1, ({ state }) => state === 'delivered').then(() => deliveriesOf(hub))
  expect(rows).toHaveLength(2)
  const dead = await untilDelivery(hub, 2, ({ state }) => state === 'dead')
  expect(dead).toMatchObject({ flow: 'old-rule', code: 'flow-gone', why: 'there is no flow "old-rule" any more' })
  expect(sink.received).toHaveLength(1)
})
