import { describe, expect, test } from 'vitest'
import { startSmtpPeer } from '../../packages/tillbridge-adapter-smtp/test/peer.ts'
import { KEY } from '../../packages/tillbridge-adapter-woocommerce/test/kit.ts'
import { startShop } from '../../sandbox/shop/shop.ts'
import type { HealthItem } from '../../src/domain/health/health.ts'
import type { StartThread } from '../../src/lib/thread.ts'
import { createTestClock } from '../clock.ts'
import { openDoor } from '../door.ts'
import { eventually } from '../eventually.ts'
import { endlessAisle, receipt, sale } from '../fixtures/payloads.ts'
import { allDelivered, busTo, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { startWarmThread } from '../warm-threads.ts'
import {
  DAY,
  deliveriesOf,
  hubTo,
  hubWith,
  logged,
  MINUTE,
  movement,
  SECOND,
  saleNo,
  statusOf,
  untilDelivery,
} from './kit/kit.ts'
import { HTML, later, REFUSALS, untilAllDone, untilTroubled } from './kit/refusing.ts'

/*
 * Whether a refusal is the item's or the destination's is decided by call after call, not by a code: a front door that answers 404 while
 * a system is renewed, a gateway whose account is empty, a mail server at its limit of the day.
 */

const MAX = 30
const SOME = 6

function orderNo(no: number) {
  return endlessAisle({ orderNo: `EA-${no}`, receiptNo: String(2_000 + no) })
}

describe('a destination that refuses call after call for a while', () => {
  test.each(REFUSALS)('a bus whose front door answers %s gets all afterwards, once', async (name, script) => {
    const clock = createTestClock()
    const many = name.startsWith('404') ? MAX : SOME
    await using sink = await startSink()
    await using door = await openDoor(sink.url)
    await using hub = await hubWith({ bus: busTo(`${door.url}/events`) }, clock)
    door.judge = () => script
    for (let no = 0; no < many; no += 1) await hub.post('SaleCreated', saleNo(no))
    expect(await untilTroubled(hub, clock, 'bus')).toMatchObject({ means: expect.any(String) })
    for (let probe = 0; probe < 3; probe += 1) {
      const before = door.refused
      await later(hub, clock, () => door.refused > before)
    }
    await later(hub, clock, async () => (await statusOf(hub)).inFlight === 0)
    expect(await statusOf(hub)).toMatchObject({ waiting: many, dead: 0, held: 0 })

    door.judge = () => null
    await untilAllDone(hub, clock)
    expect(sink.received.map(({ id }) => id).toSorted()).toEqual(
      [...new Set(sink.received.map(({ id }) => id))].toSorted(),
    )
    expect(sink.received).toHaveLength(many)
    expect((await statusOf(hub)).outage).toBe(null)
  })

  for (const [name, script] of REFUSALS.filter(([name]) => /404|402|400/.test(name)))
    test(`an OMS whose front door answers ${name} gets each order afterwards, once`, async () => {
      const clock = createTestClock()
      await using sink = await startSink()
      await using door = await openDoor(sink.url)
      const create = { path: '/orders', body: '{ "number": order.number }' }
      await using hub = await hubWith({ oms: { adapter: 'rest', url: door.url, orders: { create } } as never }, clock)
      door.judge = () => script
      for (let no = 0; no < SOME; no += 1) await hub.post('OmniChannelEndlessAisleOrderCreated', orderNo(no))
      await untilTroubled(hub, clock, 'oms')
      door.judge = () => null
      await untilAllDone(hub, clock)
      expect(sink.received.map(({ body }) => body).toSorted()).toEqual(
        Array.from({ length: SOME }, (_, no) => `{"number":"EA-${no}"}`),
      )
    })

  test('an OMS that accepts connections and cuts them is named in health with the cause, from the first order on', async () => {
    const clock = createTestClock()
    await using sink = await startSink()
    await using door = await openDoor(sink.url)
    const create = { path: '/orders', body: '{ "number": order.number }', idempotent: true }
    await using hub = await hubWith({ oms: { adapter: 'rest', url: door.url, orders: { create } } as never }, clock)
    door.judge = () => 'reset'
    await hub.post('OmniChannelEndlessAisleOrderCreated', orderNo(0))
    const found = await eventually(async () => {
      const { body } = await hub.admin<{ items: HealthItem[] }>('health')
      return body.items.find(({ area, state }) => area === 'destination' && state !== 'ok') ?? false
    })
    expect(found).toMatchObject({
      name: 'oms',
      state: 'note',
      means: expect.stringMatching(/does not answer .*no-answer/),
    })
    door.judge = () => null
    await untilAllDone(hub, clock)
    expect(sink.received).toHaveLength(1)
  })

  test('an SMS gateway whose account is empty for an hour, by status or in its answer, gets all texts afterwards, once', async () => {
    for (const script of [
      { status: 402, type: 'application/json', body: '{"error":"balance empty"}' },
      { status: 200, type: 'application/json', body: '{"error":"balance"}' },
    ]) {
      const clock = createTestClock()
      await using sink = await startSink()
      await using door = await openDoor(sink.url)
      const sms = {
        ...{ adapter: 'sms-http', url: `${door.url}/sms?to={{to}}&text={{text}}` },
        failWhen: { path: 'error', equals: 'balance' },
      }
      await using hub = await hubWith({ sms }, clock)
      door.judge = () => script
      for (let no = 0; no < SOME; no += 1)
        await hub.post(
          'OmniChannelSendReceiptCreated',
          receipt({ channel: 'SMS', recipient: '47 91234567', sendReceipt: sale({ receiptNo: String(no) }) }),
        )
      await untilTroubled(hub, clock, 'sms')
      for (let minutes = 0; minutes < 60; minutes += 20) {
        const before = door.refused
        clock.advance(20 * MINUTE)
        await later(hub, clock, () => door.refused > before)
      }
      expect(logged(hub, 'destination.down')).toMatchObject([{ destination: 'sms' }])
      door.judge = () => null
      await untilAllDone(hub, clock)
      expect(sink.received).toHaveLength(SOME)
    }
  })

  // Postfix refuses a client, its greeting or the sender at RCPT TO (postconf(5), smtpd_delay_reject).
  for (const [at, reply] of [
    ['message', '550 5.4.5 Daily user sending limit exceeded'],
    ['message', '554 5.2.252 SendAsDenied'],
    ['message', '554 Address is not verified'],
    ['rcpt', '554 5.7.1 Relay access denied'],
  ] as const)
    test(`a mail server that answers at ${at} to every mail ${reply} for two hours gets all receipts afterwards, once`, async () => {
      const clock = createTestClock()
      await using server = await startSmtpPeer()
      const mail = { adapter: 'smtp', url: server.address, from: 'Nordlys <no-reply@shop.example>' } as const
      await using hub = await hubWith({ mail }, clock)
      server.play({ at, reply })
      for (let no = 0; no < SOME; no += 1)
        await hub.post('OmniChannelSendReceiptCreated', receipt({ sendReceipt: sale({ receiptNo: String(no) }) }))
      await untilTroubled(hub, clock, 'mail')
      const { outage } = await statusOf(hub, 'mail')
      expect(outage).toMatchObject({ means: 'it takes no mail from us, whoever it is for' })
      for (let minutes = 0; minutes < 120; minutes += 40) {
        const before = server.calls.length
        clock.advance(40 * MINUTE)
        await later(hub, clock, () => server.calls.length > before)
      }
      await later(hub, clock, async () => (await statusOf(hub, 'mail')).inFlight === 0)
      const refused = server.calls.length
      server.play('accept')
      await untilAllDone(hub, clock)
      expect(server.calls.length - refused).toBe(SOME)
    })

  test('a WooCommerce shop behind a front door that answers 404, then a page, has each order afterwards, once', async () => {
    const clock = createTestClock()
    await using shop = await startShop({ ...KEY, products: [{ name: 'T-shirt', sku: 'TEE-BLK-M', price: '349' }] })
    await using door = await openDoor(shop.url)
    await using hub = await hubWith({ shop: { adapter: 'woocommerce', url: door.url, ...KEY } as never }, clock)
    door.judge = () => ({ status: 404, body: '404 page not found\n' })
    for (let no = 0; no < SOME; no += 1) await hub.post('OmniChannelEndlessAisleOrderCreated', orderNo(no))
    await untilTroubled(hub, clock, 'shop')
    door.judge = () => ({ status: 200, type: 'text/html', body: HTML })
    const before = door.refused
    await later(hub, clock, () => door.refused > before + 1)
    door.judge = () => null
    await untilAllDone(hub, clock)
    expect(shop.orders()).toHaveLength(SOME)
  })
})

describe('a refusal among calls that get through', () => {
  test('a poison event among thirty good ones is dead alone, at its next try', async () => {
    const clock = createTestClock()
    await using sink = await startSink()
    await using hub = await hubTo(sink, clock)
    sink.play(({ body }) => (body.includes('poison') ? { status: 404, body: 'not found' } : { status: 200 }))
    for (let no = 0; no < 15; no += 1) await hub.post('SaleCreated', saleNo(no))
    await hub.post('SaleCreated', saleNo('poison'))
    await untilDelivery(hub, 16, ({ attempts }) => attempts.length === 1)
    for (let no = 15; no < 30; no += 1) await hub.post('SaleCreated', saleNo(no))
    await sink.until(31)
    clock.advance(5 * SECOND)
    await untilDelivery(hub, 16, ({ state }) => state === 'dead')
    const others = (await deliveriesOf(hub)).filter(({ id }) => id !== 16)
    expect(others.map(({ state }) => state)).toEqual(Array(30).fill('delivered'))
    expect(logged(hub, 'destination.outage')).toEqual([])
  })

  test('an event that is refused while the destination is away does not die when that stumbles once more', async () => {
    const clock = createTestClock()
    await using sink = await startSink()
    await using hub = await hubTo(sink, clock)
    let isAway = true
    sink.play(() => (isAway ? { status: 404, body: 'not found' } : { status: 200 }))
    for (let no = 0; no < SOME; no += 1) await hub.post('SaleCreated', saleNo(no))
    await untilTroubled(hub, clock, 'bus')
    isAway = false
    await later(hub, clock, async () => (await statusOf(hub)).outage === null)
    isAway = true
    const before = sink.received.length
    await hub.post('SaleCreated', saleNo('later'))
    await later(hub, clock, () => sink.received.length > before + 2)
    isAway = false
    await untilAllDone(hub, clock)
  })

  test('an event that is refused alone is told of at once, and dead after a day', async () => {
    const clock = createTestClock()
    await using sink = await startSink()
    await using hub = await hubTo(sink, clock)
    sink.play({ status: 422, body: 'no' })
    await hub.post('SaleCreated', saleNo(1))
    await untilDelivery(hub, 1, ({ state, attempts }) => state === 'waiting' && attempts.length === 1)
    expect((await statusOf(hub)).failing).toMatchObject({ code: 'http-422', calls: 1 })
    clock.advance(DAY - MINUTE)
    await untilDelivery(hub, 1, ({ attempts }) => attempts.length === 2)
    expect((await deliveriesOf(hub))[0]?.state).toBe('waiting')
    clock.advance(5 * MINUTE)
    const dead = await untilDelivery(hub, 1, ({ state }) => state === 'dead')
    expect(dead.why).toContain('refused for a day, with no other call to compare it with')
  })
})

const CONCURRENCY = 2

/** A disk that takes results only when it is told to, and everything else at once. */
function createSlowDisk() {
  const { promise: reported, resolve: write } = Promise.withResolvers<void>()
  const startThread: StartThread = (file, data, heap) => {
    const thread = startWarmThread(file, data, heap)
    return {
      ...thread,
      async run(operations, transfer) {
        if (operations.some(({ method }) => method === 'settle')) await reported
        return await thread.run(operations, transfer)
      },
    }
  }
  return { write, startThread }
}

test('When results are not on the disk yet, then no more texts are under way than the queue has slots for both: so many at most go twice after a kill', async () => {
  await using sink = await startSink()
  const texts = {
    adapter: 'sms-http',
    url: sink.url,
    body: { to: '{{to}}', text: '{{text}}' },
    queue: { concurrency: CONCURRENCY },
  }
  const { write, startThread } = createSlowDisk()
  await using hub = await startTestHub({ destinations: { texts }, startThread })
  for (let no = 1; no <= 10; no += 1)
    await hub.post(
      'OmniChannelSendReceiptCreated',
      receipt({ channel: 'Sms', recipient: '+4791234567', sendReceipt: sale({ receiptNo: `${no}` }) }),
    )
  await sink.until(CONCURRENCY)
  // The hub has had time for many more: it took these, one after the other.
  for (let no = 1; no <= 10; no += 1)
    expect(await hub.post('StockMovementCreated', movement(no, 'TEE'))).toMatchObject({ status: 202 })
  expect(sink.received).toHaveLength(CONCURRENCY)

  write()
  await sink.until(10)
  await allDelivered(hub, 10)
  expect(sink.received).toHaveLength(10)
})
