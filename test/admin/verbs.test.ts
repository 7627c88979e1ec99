import { describe, expect, test } from 'vitest'
import type { DeliveryDetail } from '../../src/storage/rows.ts'
import { eventually } from '../eventually.ts'
import { sale, stockMovement } from '../fixtures/payloads.ts'
import { allDelivered, busTo, createFolder, deliveriesOf, startTestHub, type TestHub } from '../hub.ts'
import { type Sink, startSink } from '../sink.ts'

const BY_KARI = { 'x-operator': 'Kari' }

describe('retry', () => {
  test('when letters are dead, then a dry run counts them, and a retry by filter delivers them', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await leaveDead(hub, sink, 3)
    const filter = { destination: 'bus', state: 'dead' }
    const dry = await hub.admin<{ sample: object[] }>('deliveries/retry', { filter, dryRun: true })
    expect(dry).toMatchObject({ status: 200, body: { matched: 3, changed: 0 } })
    expect(dry.body.sample).toHaveLength(3)
    expect(await statesOf(hub)).toEqual(['dead', 'dead', 'dead'])
    expect((await shown(hub, 1)).audit).toEqual([])
    sink.play({ status: 200 })
    const done = await hub.admin('deliveries/retry', { filter, reason: 'it is repaired' }, BY_KARI)
    expect(done.body).toMatchObject({ matched: 3, changed: 3 })
    await allDelivered(hub, 3)
    expect((await deliveriesOf(hub)).every(({ urgency, yields }) => urgency === 'prompt' && yields)).toBe(true)
    expect(sink.received.slice(3).map(({ id }) => id)).toEqual(sink.received.slice(0, 3).map(({ id }) => id))
  })

  test('when one is retried by its id, then the audit says who, when and why', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await leaveDead(hub, sink, 1)
    sink.play({ status: 200 })
    await hub.admin('deliveries/retry', { filter: { id: 1 }, reason: 'it is repaired' }, BY_KARI)
    await allDelivered(hub, 1)
    expect(await shown(hub, 1)).toMatchObject({
      urgency: 'prompt',
      yields: false,
      audit: [{ at: expect.any(Number), by: 'admin (says Kari)', action: 'retry', reason: 'it is repaired' }],
    })
  })
})

describe('skip', () => {
  test('when a dead or waiting one is skipped, then it stays undone, and a retry can bring it back', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await leaveDead(hub, sink, 1)
    await hub.admin('destinations/bus/pause', {})
    await hub.post('StockMovementCreated', stockMovement({ movementId: 2 }))
    const filter = { destination: 'bus' }
    expect((await hub.admin('deliveries/skip', { filter, dryRun: true })).body).toMatchObject({
      matched: 2,
      changed: 0,
    })
    expect(await statesOf(hub)).toEqual(['waiting', 'dead'])
    await hub.admin('deliveries/skip', { filter: { id: 2 }, reason: 'a test' }, BY_KARI)
    await hub.admin('deliveries/skip', { filter, reason: 'both' })
    expect(await statesOf(hub)).toEqual(['skipped', 'skipped'])
    expect(await shown(hub, 2)).toMatchObject({
      why: 'a test',
      audit: [{ by: 'admin (says Kari)', action: 'skip', reason: 'a test' }],
    })
    sink.play({ status: 200 })
    await hub.admin('destinations/bus/resume', {})
    await hub.admin('deliveries/retry', { filter: { id: 2 } })
    await eventually(async () => expect(await statesOf(hub)).toEqual(['delivered', 'skipped']))
    expect(sink.received.map(({ body }) => JSON.parse(body).movementId)).toEqual([1, 2])
  })

  test('when the first of an entity is skipped, then the next one goes out', async () => {
    await using sink = await startSink()
    sink.play((_, nth) => ({ status: nth === 0 ? 500 : 200 }))
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await hub.post('StockMovementCreated', stockMovement({ movementId: 1 }))
    await hub.post('StockMovementCreated', stockMovement({ movementId: 2 }))
    await eventually(async () => expect((await shown(hub, 1)).attempts).toHaveLength(1))
    await hub.admin('deliveries/skip', { filter: { id: 1 }, reason: 'in the way' })
    await eventually(async () => expect(await statesOf(hub)).toEqual(['delivered', 'skipped']))
  })
})

describe('a selection', () => {
  test('when it cannot be read, or only names a page of a list, then each key that is wrong is named', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await leaveDead(hub, sink, 2)
    const wrong: [string, object, RegExp][] = [
      ['keys', {}, /^system: expected text; may: expected text$/],
      ['keys', { system: 5, may: 'products' }, /^system: expected text, in quotes$/],
      ['deliveries/retry', {}, /^filter: expected an object$/],
      ['deliveries/retry', [], /^request: expected an object$/],
      ...['deliveries/retry', 'deliveries/skip', 'events/reroute'].map((path): [string, object, RegExp] => [
        path,
        { filter: {} },
        /^filter: say which: an id, or at least one of/,
      ]),
      ['deliveries/retry', { filter: { limit: 1 } }, /limit/],
      ['deliveries/skip', { filter: { before: 2 } }, /before/],
      ['deliveries/skip', { filter: { state: 'deed' } }, /^filter\.state: /],
      ['deliveries/retry', { filter: { id: 1 }, dryrun: true }, /^dryrun: no such field; did you mean "dryRun"\?$/],
      ['deliveries/retry', { filter: { id: 1 }, dryRun: 'yes' }, /^dryRun: /],
      ['deliveries/skip', { filter: { id: 1 }, reason: 'x'.repeat(501) }, /^reason: /],
      ['events/reroute', { filter: { limit: 1 } }, /limit/],
      ['events/reroute', { filter: { destination: 'bus' } }, /destination/],
      ['deliveries/move', { from: 'bus' }, /^to: /],
      ['destinations/bus/pause', { reason: 'x'.repeat(501) }, /^reason: expected at most 500 characters$/],
    ]
    for (const [path, body, detail] of wrong) {
      const answer = await hub.admin(path, body)
      expect([path, body, answer.status, answer.body.code]).toEqual([path, body, 400, 'bad-request'])
      expect(answer.body.detail).toMatch(detail)
    }
    expect(await statesOf(hub)).toEqual(['dead', 'dead'])
  })
})

describe('pause', () => {
  test('when a destination is paused, then its deliveries wait, through a restart too, until it is resumed', async () => {
    await using folder = await createFolder()
    await using sink = await startSink()
    const given = { folder: folder.path, destinations: { bus: busTo(sink.url) } }
    {
      await using hub = await startTestHub(given)
      expect(await hub.admin('destinations/bus/pause', {}, BY_KARI)).toMatchObject({ status: 204, text: '' })
      await hub.post('SaleCreated', sale())
      expect((await hub.admin('status')).body).toMatchObject({
        destinations: [{ name: 'bus', waiting: 1, paused: { until: null, why: 'paused by admin (says Kari)' } }],
      })
      expect(hub.lines.filter(({ msg }) => msg === 'destination.paused')).toMatchObject([
        { destination: 'bus', by: 'admin (says Kari)' },
      ])
    }
    await using hub = await startTestHub(given)
    expect((await hub.admin('status')).body).toMatchObject({ destinations: [{ waiting: 1, paused: { until: null } }] })
    expect(sink.received).toEqual([])
    await hub.admin('destinations/bus/resume', {})
    await allDelivered(hub, 1)
    expect((await hub.admin('status')).body).toMatchObject({ destinations: [{ waiting: 0, paused: null }] })
  })
})

describe('a destination that config has lost', () => {
  test('when a hub starts, then what is owed to it is named and stays, and can be moved to another', async () => {
    await using folder = await createFolder()
    await using sink = await startSink()
    {
      await using hub = await startTestHub({ folder: folder.path, destinations: { old: busTo('http://127.0.0.1:1/') } })
      await hub.admin('destinations/old/pause', {})
      for (const movementId of [1, 2, 3]) await hub.post('StockMovementCreated', stockMovement({ movementId }))
    }
    await using hub = await startTestHub({ folder: folder.path, destinations: { bus: busTo(sink.url) } })

    await eventually(() =>
      expect(hub.lines.filter(({ msg }) => msg === 'destination.not-in-config')).toMatchObject([
        { level: 50, destination: 'old', deliveries: 3 },
      ]),
    )
    expect((await hub.admin('status')).body).toMatchObject({
      destinations: [
        { name: 'bus', waiting: 0, configured: true },
        { name: 'old', waiting: 3, configured: false },
      ],
    })
    const move = { from: 'old', to: 'bus', reason: 'renamed' }
    expect((await hub.admin('deliveries/move', { ...move, to: 'none' })).body).toMatchObject({
      status: 400,
      detail: 'to: config has no destination "none"; it has bus.',
    })
    expect((await hub.admin('deliveries/move', { ...move, dryRun: true })).body).toMatchObject({
      matched: 3,
      changed: 0,
    })
    expect(sink.received).toEqual([])

    expect((await hub.admin('deliveries/move', move, BY_KARI)).body).toMatchObject({ matched: 3, changed: 3 })

    await allDelivered(hub, 3)
    expect(sink.received.map(({ body }) => JSON.parse(body).movementId)).toEqual([1, 2, 3])
    expect((await hub.admin('status')).body).toMatchObject({ destinations: [{ name: 'bus', waiting: 0 }] })
  })
})

/** So many movements that the sink has refused for good. */
async function leaveDead(hub: TestHub, sink: Sink, count: number): Promise<void> {
  sink.play({ status: 400 })
  for (let n = 1; n <= count; n++) await hub.post('StockMovementCreated', stockMovement({ movementId: n }))
  await eventually(async () => expect(await statesOf(hub)).toEqual(Array(count).fill('dead')))
}

async function statesOf(hub: TestHub): Promise<string[]> {
  return (await deliveriesOf(hub)).map(({ state }) => state)
}

async function shown(hub: TestHub, id: number): Promise<DeliveryDetail> {
  return (await hub.admin<DeliveryDetail>(`deliveries/${id}`)).body
}
