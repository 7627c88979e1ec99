import { describe, expect, test } from 'vitest'
import { createTestClock } from '../clock.ts'
import { orderUpdate, pulledSettlement, sale, settlement, stockMovement } from '../fixtures/payloads.ts'
import { allDelivered, busTo, keptIn, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { inboxOf, pulled } from './inbox-of.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A kind whose payload is shown nowhere, so nothing but its key or its bytes tells a copy. */
const NO_IDENTITY = 'StockAdjustmentCreated'

describe('the transport key', () => {
  test.each([
    ['an hour', HOUR],
    ['60 days', 60 * DAY],
  ])('when the same key comes again after %s, then it is the same event', async (_, later) => {
    const clock = createTestClock()
    await using sink = await startSink()
    await using hub = await startTestHub({ clock, destinations: { bus: busTo(sink.url) } })

    const first = await hub.post(NO_IDENTITY, { quantity: 1 }, { eventId: 'E-1' })
    await allDelivered(hub, 1)
    clock.advance(later)
    const second = await hub.post(NO_IDENTITY, { quantity: 1 }, { eventId: 'E-1' })

    expect(first).toMatchObject({ status: 202, body: { status: 'accepted', id: 1 } })
    expect(second).toMatchObject({ status: 200, body: { status: 'duplicate', id: 1 } })
    await allDelivered(hub, 1)
    expect(sink.received.map(({ body }) => body)).toEqual(['{"quantity":1}'])
  })

  test('when a header that was taken for the event id names the subscription, then each event is taken, acted on, and told of', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    const all = [
      ...[1, 2, 3].map((n) => ({ kind: 'SaleCreated', payload: sale({ receiptNo: `S-${n}` }) })),
      ...['Picked', 'Shipped'].map((status) => ({ kind: 'OmniChannelOrderUpdated', payload: orderUpdate({ status }) })),
      ...[1, 2].map((quantity) => ({ kind: NO_IDENTITY, payload: { quantity } })),
    ]

    for (const { kind, payload } of [...all, ...all]) await hub.post(kind, payload, { eventId: 'S-101' })

    expect(keptIn(hub)).toHaveLength(7)
    await allDelivered(hub, 7)
    expect(sink.received.map(({ body }) => body)).toEqual(
      expect.arrayContaining(all.map(({ payload }) => JSON.stringify(payload))),
    )
    const reported = hub.lines.filter(({ msg }) => msg === 'event.id-reused')
    expect(reported).toHaveLength(6)
    expect(reported[0]).toMatchObject({ level: 50, kind: 'SaleCreated', event: 2, with: 1, header: 'x-event-id' })
    expect((await hub.admin('status')).body).toMatchObject({ events: { reusedKeys: { count: 6 } } })
    expect((await hub.admin<{ events: unknown[] }>('events?reusedKey=true')).body.events).toHaveLength(6)
  })

  test('when 20 copies come at the same instant, then there is one event and each answer names it', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    const copies = Array.from({ length: 20 }, () => hub.post('SaleCreated', sale(), { eventId: 'E-1' }))

    const answers = await Promise.all(copies)

    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 202])
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([1]))
    expect(keptIn(hub)).toHaveLength(1)
    await allDelivered(hub, 1)
    expect(sink.received).toHaveLength(1)
  })

  test('when the header is named in other letters in config, then it is read all the same', async () => {
    await using hub = await startTestHub({ config: { webhooks: { eventIdHeader: 'X-Platform-Event' } } })
    const headers = { 'x-PLATFORM-event': 'E-1' }

    await hub.post(NO_IDENTITY, { a: 1 }, { headers })
    const copy = await hub.post(NO_IDENTITY, { a: 1 }, { headers })

    expect(copy).toMatchObject({ status: 200, body: { status: 'duplicate', id: 1 } })
  })
})

describe('immutable kinds', () => {
  test('when two have ids of more digits than a number of JavaScript holds, then neither is taken for a copy of the other', async () => {
    await using hub = await startTestHub()
    const written = (id: string) => JSON.stringify(stockMovement({ movementId: 777 })).replace('777', id)

    const answers = [
      await hub.post('StockMovementCreated', written('1234567890123456781')),
      await hub.post('StockMovementCreated', written('1234567890123456782')),
      await hub.post('StockMovementCreated', written('"1234567890123456782"')),
    ]

    expect(answers.map(({ body }) => body.status)).toEqual(['quarantined', 'quarantined', 'accepted'])
    expect(keptIn(hub).map(({ problem }) => problem)).toEqual([
      expect.stringContaining('distinguished by movementId'),
      expect.stringContaining('distinguished by movementId'),
      null,
    ])
  })

  test('when the same sale comes through two subscriptions, each with a key of its own, then it is one', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })

    await hub.post('SaleCreated', sale(), { subscription: 'all', eventId: 'E-1' })
    const second = await hub.post('SaleCreated', sale(), { subscription: '101', eventId: 'E-2' })
    const third = await hub.post('SaleCreated', { other: 'body' }, { subscription: '101', eventId: 'E-2' })

    expect(second).toMatchObject({ status: 200, body: { status: 'duplicate', id: 1 } })
    expect(third).toMatchObject({ status: 200, body: { status: 'duplicate', id: 1 } })
    expect(keptIn(hub)).toMatchObject([{ id: 1, subscription: 'all' }])
    await allDelivered(hub, 1)
    expect(sink.received).toHaveLength(1)
  })

  for (const [name, other] of [
    ['amount', { total: 350 }],
    ['time', { createdDateTime: '2026-11-20T14:03:28' }],
  ] as const)
    test(`when a sale comes again with another ${name}, then that is a conflict: kept, shown, delivered to nobody`, async () => {
      await using sink = await startSink()
      await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
      await hub.post('SaleCreated', sale())

      const answer = await hub.post('SaleCreated', sale(other))
      const again = await hub.post('SaleCreated', sale(other))

      expect(answer).toMatchObject({ status: 202, body: { status: 'conflict', id: 2 } })
      expect(again).toMatchObject({ status: 200, body: { status: 'duplicate', id: 2 } })
      expect(hub.lines.filter(({ msg }) => msg === 'event.conflict')).toMatchObject([
        { level: 50, kind: 'SaleCreated', event: 2, with: 1 },
      ])
      expect((await hub.admin('status')).body).toMatchObject({ events: { conflicts: 1, unrouted: 0 } })
      expect((await hub.admin('events?conflict=true')).body).toMatchObject({ events: [{ id: 2, conflictWith: 1 }] })
      expect((await hub.admin('events/2')).body).toMatchObject({ body: JSON.stringify(sale(other)), deliveries: [] })
      await allDelivered(hub, 1)
      expect(sink.received).toHaveLength(1)
    })
})

describe('a settlement by two sources', () => {
  test('when it is pulled and then pushed, then there is one effect', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })

    const pull = await inboxOf(hub).accept(pulled('POSSettlementCreated', pulledSettlement()))
    await sink.until(1)
    const push = await hub.post('POSSettlementCreated', settlement(), { eventId: 'E-1' })

    expect(sink.received[0]?.headers['tillbridge-source']).toBe('pulled')
    expect(pull).toMatchObject({ status: 'accepted', id: 1 })
    expect(push).toMatchObject({ status: 200, body: { status: 'duplicate', id: 1 } })
    await allDelivered(hub, 1)
    expect(sink.received).toHaveLength(1)
  })

  test('when the richer one comes before anybody acted on the sparser, then the richer one is what goes out', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await hub.admin('destinations/bus/pause', {})
    const thin = { settlementId: 3001, storeNo: '101' }

    await hub.post('POSSettlementCreated', thin)
    const pull = await inboxOf(hub).accept(pulled('POSSettlementCreated', pulledSettlement()))
    await hub.admin('destinations/bus/resume', {})

    expect(pull).toMatchObject({ status: 'duplicate', id: 1, completed: true })
    await allDelivered(hub, 1)
    expect(sink.received.map(({ body }) => JSON.parse(body))).toEqual([pulledSettlement()])
    expect(sink.received[0]?.headers['tillbridge-source']).toBe('pulled')
  })
})

test('when a webhook comes by a URL that calls it pulled, then it is not', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  await hub.post('SaleCreated', sale(), { subscription: 'pulled' })
  const [received] = await sink.until(1)
  expect(received?.headers).not.toHaveProperty('tillbridge-source')
  expect(keptIn(hub)).toMatchObject([{ subscription: null }])
})

describe('versioned kinds', () => {
  test('when an order goes Picked, UnHandled, Picked without transport keys, then that is three', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    const steps = ['Picked', 'UnHandled', 'Picked'].map((status) => orderUpdate({ status }))

    for (const [index, step] of steps.entries())
      expect(await hub.post('OmniChannelOrderUpdated', step)).toMatchObject({ status: 202, body: { id: index + 1 } })
    const copy = await hub.post('OmniChannelOrderUpdated', steps[2])

    expect(copy).toMatchObject({ status: 200, body: { status: 'duplicate', id: 3 } })
    await allDelivered(hub, 3)
    expect(sink.received.map(({ body }) => JSON.parse(body))).toEqual(steps)
    expect(new Set(sink.received.map(({ id }) => id)).size).toBe(3)
  })
})

describe('kinds without an identity', () => {
  test('when the same body comes within the window of config, then it is one', async () => {
    const clock = createTestClock()
    await using hub = await startTestHub({ clock, config: { webhooks: { sameBytesWindow: '2h' } } })
    const answers = []

    for (const pause of [0, HOUR, 2 * HOUR]) {
      clock.advance(pause)
      answers.push((await hub.post(NO_IDENTITY, { stockId: 12 })).body)
    }

    expect(answers).toEqual([
      { status: 'accepted', id: 1 },
      { status: 'duplicate', id: 1 },
      { status: 'accepted', id: 2 },
    ])
  })
})
