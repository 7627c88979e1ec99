import { expect, test } from 'vitest'
import type { Flow } from '../../src/flows/flow.ts'
import { publish } from '../../src/flows/publish.ts'
import type { EventDetail } from '../../src/storage/rows.ts'
import { sale, stockMovement } from '../fixtures/payloads.ts'
import { allDelivered, busTo, createFolder, deliveriesOf, startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'

const orders: Flow = { ...publish, name: 'orders', kinds: ['SaleCreated'], atMostOnce: true }

test('when a destination is added later, then a dry run counts what it would get, and a reroute delivers it once', async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  await leaveBehind(folder.path, async (hub) => {
    for (const movementId of [1, 2, 3]) await hub.post('StockMovementCreated', stockMovement({ movementId }))
    await hub.post('SaleCreated', sale())
    expect((await hub.admin('status')).body).toMatchObject({ events: { unrouted: 4 } })
  })
  await using hub = await startTestHub({ folder: folder.path, destinations: { bus: busTo(sink.url) } })
  const filter = { kind: 'StockMovementCreated' }

  const dry = await hub.admin('events/reroute', { filter, dryRun: true })
  expect(dry.body).toMatchObject({ events: 3, deliveries: 3, left: 0, sample: [{ id: 1 }, { id: 2 }, { id: 3 }] })
  expect(await deliveriesOf(hub)).toEqual([])
  expect((await hub.admin('status')).body).toMatchObject({ events: { unrouted: 4 } })

  const done = await hub.admin('events/reroute', { filter }, { 'x-operator': 'Kari' })
  expect(done.body).toMatchObject({ events: 3, deliveries: 3 })
  expect((await hub.admin('events/reroute', { filter })).body).toMatchObject({ events: 0, deliveries: 0 })
  await allDelivered(hub, 3)

  expect(sink.received.map(({ id }) => id)).toEqual([1, 2, 3].map((n) => `StockMovementCreated:${n}:publish`))
  expect((await deliveriesOf(hub)).every(({ urgency, yields }) => urgency === 'prompt' && yields)).toBe(true)
  expect((await hub.admin('status')).body).toMatchObject({ events: { unrouted: 1 } })
  expect(hub.lines.filter(({ msg }) => msg === 'events.rerouted')).toMatchObject([
    { level: 40, by: 'admin (says Kari)', events: 3 },
    { level: 40, events: 0 },
  ])
})

test('when one event is rerouted by its id, then it lets nobody go first', async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  await leaveBehind(folder.path, (hub) => hub.post('SaleCreated', sale()))
  await using hub = await startTestHub({ folder: folder.path, destinations: { bus: busTo(sink.url) } })

  await hub.admin('events/reroute', { filter: { id: 1 } })

  await allDelivered(hub, 1)
  expect(await deliveriesOf(hub)).toMatchObject([{ urgency: 'prompt', yields: false }])
  expect(sink.received).toMatchObject([{ kind: 'SaleCreated', body: JSON.stringify(sale()) }])
})

test('when a once effect has been owed to anybody, then no reroute owes it to another', async () => {
  await using folder = await createFolder()
  await using shop = await startSink()
  await using other = await startSink()
  await leaveBehind(
    folder.path,
    async (hub) => {
      await hub.post('SaleCreated', sale())
      await allDelivered(hub, 1)
    },
    { shop: { adapter: 'http', url: shop.url } },
    [publish, orders],
  )
  const destinations = { other: busTo(other.url) }
  await using hub = await startTestHub({ folder: folder.path, flows: [publish, orders], destinations })

  const { body } = await hub.admin('events/reroute', { filter: { kind: 'SaleCreated' } })

  expect(body).toMatchObject({ events: 1, deliveries: 1 })
  await allDelivered(hub, 2)
  expect(shop.received).toMatchObject([{ id: expect.stringMatching(/:orders$/) }])
  expect(other.received).toMatchObject([{ id: expect.stringMatching(/:publish$/) }])
})

test('when a person reroutes a conflict, then it goes out under a key of its own', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  await hub.post('SaleCreated', sale())
  await hub.post('SaleCreated', sale({ total: 1 }))
  await hub.post('SaleCreated', sale({ total: 2 }))

  for (const id of [2, 3])
    expect((await hub.admin('events/reroute', { filter: { id } })).body).toMatchObject({ deliveries: 1 })

  await allDelivered(hub, 3)
  expect(new Set(sink.received.map(({ id }) => id)).size).toBe(3)
})

test('when a person reroutes by a filter, then what is in conflict or dismissed stays with them, and is counted', async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  await leaveBehind(folder.path, async (hub) => {
    await hub.post('SaleCreated', sale({ receiptNo: '1' }))
    await hub.post('SaleCreated', sale({ receiptNo: '1', total: 1 }))
    await hub.post('SaleCreated', sale({ receiptNo: '2' }))
    await hub.admin('events/dismiss', { filter: { id: 3 }, reason: 'a test of the POS' })
  })
  await using hub = await startTestHub({ folder: folder.path, destinations: { bus: busTo(sink.url) } })

  for (const filter of [{ state: 'unrouted' }, { kind: 'SaleCreated' }, { kind: 'SaleCreated', conflict: false }])
    expect((await hub.admin('events/reroute', { filter, dryRun: true })).body).toMatchObject({
      deliveries: 1,
      dismissed: 1,
    })
  const { body } = await hub.admin('events/reroute', { filter: { kind: 'SaleCreated' } })
  expect(body).toMatchObject({ events: 1, deliveries: 1, left: 0, conflicts: 1, dismissed: 1, sample: [{ id: 1 }] })

  // Whoever names them means them.
  expect((await hub.admin('events/reroute', { filter: { conflict: true } })).body).toMatchObject({
    sample: [{ id: 2 }],
  })
  expect((await hub.admin('events/reroute', { filter: { dismissed: true } })).body).toMatchObject({
    sample: [{ id: 3 }],
  })
  await allDelivered(hub, 3)
})

test('when hundreds are rerouted, then each goes out once and in order of its entity', async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  const count = 450
  await leaveBehind(folder.path, async (hub) => {
    const posts = Array.from({ length: count }, (_, n) =>
      hub.post('StockMovementCreated', stockMovement({ movementId: n + 1, gtin: String((n % 3) + 1) })),
    )
    await Promise.all(posts)
  })
  await using hub = await startTestHub({ folder: folder.path, destinations: { bus: busTo(sink.url) } })

  const { body } = await hub.admin('events/reroute', { filter: { kind: 'StockMovementCreated' } })

  expect(body).toMatchObject({ events: count, deliveries: count })
  await sink.until(count)
  expect(new Set(sink.received.map(({ id }) => id)).size).toBe(count)
  const idOf = new Map((await eventIds(hub)).map(({ identity, id }) => [identity, id]))
  for (const article of ['1', '2', '3']) {
    const order = sink.received
      .map(({ body }) => JSON.parse(body))
      .filter(({ gtin }) => gtin === article)
      .map(({ movementId }) => idOf.get(String(movementId)) ?? 0)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  }
})

/** A hub that is over before the story begins. */
async function leaveBehind(
  folder: string,
  story: (hub: TestHub) => Promise<unknown>,
  destinations = {},
  flows: Flow[] = [publish],
) {
  await using hub = await startTestHub({ folder, destinations, flows })
  await story(hub)
}

async function eventIds(hub: TestHub): Promise<Pick<EventDetail, 'id' | 'identity'>[]> {
  return await hub.hub.storage.events({ limit: 500 })
}
