import { describe, expect, test } from 'vitest'
import { configOf } from '../../../packages/tillbridge-adapter-rest/test/kit.ts'
import { optionsFor, startStandIn } from '../../../packages/tillbridge-adapter-vendure/test/kit.ts'
import { createTestClock, type TestClock } from '../../clock.ts'
import { endlessAisle, orderUpdate, refundUpdate, shippedOrderUpdate } from '../../fixtures/payloads.ts'
import { openCounter, order } from '../../http/submissions/given.ts'
import { deliveriesOf, startTestHub, type TestHub } from '../../hub.ts'
import { startOms } from '../../peers/oms/oms.ts'
import { type LateDoor, openLateDoor, untilDone } from '../late-door.ts'

/* Systems that can be asked by our key, and execute what they are asked for long after whoever asked has given up. */

const LANE = { inDoubtFor: '5m', timeout: '5s' }
const TEE = '7090012340011'

/** So long a system is late (milliseconds): what takes several calls could never end there otherwise. */
const WHILE = 20 * 60_000

/** Nothing may be held or dead at the end. */
async function untilOver(clock: TestClock, hub: TestHub, doors: readonly LateDoor[]) {
  await untilDone(hub, doors, clock)
  expect((await deliveriesOf(hub)).filter(({ state }) => state === 'held' || state === 'dead')).toEqual([])
}

describe('Vendure', () => {
  const WRITES: [string, RegExp, number][] = [
    ['beginning an order', /\{ createDraftOrder\(/, 8],
    ['filling an order', /\{ (addItemToDraftOrder|set[A-Za-z]*DraftOrder[A-Za-z]*)\(/, 8],
    ['an order’s states', /\{ transitionOrderToState\(/, 45],
    ['a payment by hand', /\{ addManualPaymentToOrder\(/, 45],
    ['taking money', /\{ settlePayment\(/, 45],
    ['releasing money', /\{ cancelPayment\(/, 100],
    ['giving money back', /\{ refundOrder\(/, 8],
    ['settling what is refunded', /\{ settleRefund\(/, 45],
    ['cancelling', /\{ cancelOrder\(/, 100],
    ['a parcel', /\{ addFulfillmentToOrder\(/, 45],
    ['a parcel’s states', /\{ transitionFulfillmentToState\(/, 100],
    ['a note', /\{ addNoteToOrder\(/, 100],
    ['all that it does', /"mutation(?! Login)/, 120],
  ]

  test.each(WRITES)('late with %s does nothing twice', async (_, what, seconds) => {
    const clock = createTestClock()
    await using shop = await startStandIn()
    await using door = await openLateDoor(shop.url, clock)
    const url = `${door.url}${new URL(shop.url).pathname}`
    const options = { adapter: 'vendure', ...optionsFor(url), queue: LANE }
    await using hub = await startTestHub({ destinations: { shop: options } as never, clock, random: () => 0.5 })
    const placed: Record<string, string> = {}
    for (const entry of ['collect', 'decline', 'expire', 'ship', 'refund', 'note']) {
      const lines = [{ sku: 'TEE-BLK-M', quantity: entry === 'decline' ? 2 : 1 }]
      const shipping = entry === 'ship' ? 'standard' : 'pickup'
      placed[entry] = (await shop.place({ lines, shipping, store: 'oslo' })).code
    }
    const tell = (entry: string, given: object) =>
      hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: placed[entry], id: `O-${entry}`, ...given }))
    door.late(what, seconds * 1_000, WHILE)

    await hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ orderNo: 'EA-1', receiptNo: '2001' }))
    for (const entry of ['collect', 'refund', 'note']) {
      await tell(entry, { status: 'Picked' })
      await tell(entry, { status: 'Shipped' })
    }
    await tell('expire', { status: 'Expired' })
    const lines = [1, 2].map((row) => ({
      quantity: 1,
      gtin: TEE,
      rowId: `${row}`,
      status: row === 1 ? 'Picked' : 'Declined',
    }))
    await tell('decline', { orderLines: lines })
    await hub.post('OmniChannelOrderUpdated', shippedOrderUpdate({ orderNo: placed.ship, status: 'Shipped' }))
    for (const [entry, isRefunded] of [
      ['refund', false],
      ['note', true],
    ] as const)
      await hub.post(
        'OmniChannelOrderRefundUpdated',
        refundUpdate({ orderNo: placed[entry], id: `R-${entry}`, isRefunded }),
      )
    await untilOver(clock, hub, [door])

    const all = await shop.orders()
    // A draft whose beginning went unanswered stays behind, with nothing in it.
    const isEmpty = ({ state, lines }: (typeof all)[number]) => state === 'Draft' && lines.length === 0
    const orders = all.filter((order) => !isEmpty(order))
    expect(orders).toHaveLength(7)
    // A customer whose goods were handed over before the message got through is told nothing.
    const isTold = ({ type, isPublic }: (typeof all)[number]['history']['items'][number]) =>
      type === 'ORDER_NOTE' && isPublic
    for (const { history } of orders) expect(history.items.filter(isTold).length).toBeLessThan(2)
    const of = (entry: string) => {
      const found = orders.find(({ code }) => code === placed[entry])
      if (!found) throw new Error(`There is no order for ${entry}.`)
      const { state, totalWithTax, payments, fulfillments, history } = found
      return {
        state,
        totalWithTax,
        paid: payments.map(({ state }) => state),
        back: payments.flatMap(({ refunds }) => refunds.map(({ total, state }) => `${total} ${state}`)),
        parcels: fulfillments.map(({ state }) => state),
        noted: history.items.filter(({ type, isPublic }) => type === 'ORDER_NOTE' && !isPublic).length,
      }
    }
    expect(orders.filter(({ customFields }) => customFields.posNumber === 'EA-1')).toMatchObject([
      { payments: [{ state: 'Settled' }] },
    ])
    const collected = { state: 'Delivered', paid: ['Settled'], parcels: ['Delivered'] }
    expect(of('collect')).toMatchObject({ ...collected, back: [], noted: 0 })
    expect(of('refund')).toMatchObject({ ...collected, back: ['34900 Settled'], noted: 0 })
    expect(of('note')).toMatchObject({ ...collected, back: [], noted: 1 })
    expect(of('expire')).toMatchObject({ state: 'Cancelled', paid: ['Cancelled'], parcels: [] })
    expect(of('ship')).toMatchObject({ state: 'Shipped', paid: ['Settled'], parcels: ['Shipped'] })
    expect(of('decline')).toMatchObject({ totalWithTax: 34_900 })
  })
})

describe('a platform, and an OMS by rest', () => {
  const WRITES: [string, RegExp, number][] = [
    ['an order of a shop', /^POST .*\/OmniChannel/i, 45],
    ['an order of a POS', /^POST .*\/orders /, 8],
    ['what it declines', /^POST .*\/declines /, 100],
    ['a parcel', /^POST .*\/parcels /, 45],
    ['giving money back', /^POST .*\/refunds /, 8],
    ['all that they do', /^(POST|PUT|PATCH) (?!.*oauth)/, 120],
  ]

  test.each(WRITES)('late with %s do nothing twice', async (_, what, seconds) => {
    const clock = createTestClock()
    await using opened = new AsyncDisposableStack()
    const oms = opened.use(await startOms())
    const omsDoor = opened.use(await openLateDoor(oms.url, clock))
    const { options } = await configOf('home-made-oms', {
      OMS_URL: omsDoor.url,
      OMS_CLIENT_SECRET: 'secret-of-the-oms',
    })
    const doors = [omsDoor]
    const counter = opened.use(
      await openCounter(
        {
          clock,
          random: () => 0.5,
          destinations: { oms: { adapter: 'rest', ...(options as object), queue: LANE } } as never,
          config: { platform: { trustWebhooks: true, queue: LANE } },
        },
        async (url) => {
          const door = opened.use(await openLateDoor(url, clock))
          doors.push(door)
          return { baseUrl: door.url }
        },
      ),
    )
    const { hub, platform, submit } = counter
    const { key } = await counter.keyOf('oms')
    for (const door of doors) door.late(what, seconds * 1_000, WHILE)

    const orderLines = [1, 2].map((row) => ({ gtin: TEE, price: '349', quantity: '1', rowId: `${row}` }))
    const lines = [1, 2].map((id) => ({ id, gtin: TEE, name: 'T-shirt', qty: 1, price: '349' }))
    for (const number of ['W-1', 'W-2']) {
      const { id } = oms.place({ number, lines })
      const { status, text } = await submit('orders', order(number, { orderLines, theirId: `${id}` }), { as: key })
      expect({ status, text }).toMatchObject({ status: 202 })
    }
    await untilOver(clock, hub, doors)
    const tell = (orderNo: string, status: string, states: string[]) =>
      hub.post(
        'OmniChannelOrderUpdated',
        (status === 'Shipped' ? shippedOrderUpdate : orderUpdate)({
          orderNo,
          id: `O-${orderNo}`,
          status,
          orderLines: states.map((state, row) => ({ quantity: 1, gtin: TEE, rowId: `${row + 1}`, status: state })),
        }),
      )
    await tell('W-1', 'Picked', ['Picked', 'Declined'])
    await tell('W-1', 'Shipped', ['Picked', 'Declined'])
    await hub.post(
      'OmniChannelOrderRefundUpdated',
      refundUpdate({ orderNo: 'W-1', orderLines: [{ quantity: 1, gtin: TEE, id: '1', status: 'Returned' }] }),
    )
    await hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ orderNo: 'EA-1', receiptNo: '2001' }))
    await untilOver(clock, hub, doors)

    expect(platform.onlineOrders().map(({ body }) => body.orderNo)).toEqual(['W-1', 'W-2'])
    expect(oms.orders().map(({ number }) => number)).toEqual(['W-1', 'W-2', 'EA-1'])
    expect(oms.orders()[0]).toMatchObject({
      declines: [{ line: 2, qty: 1 }],
      parcels: [{ name: 'S-1' }],
      refunds: [{ line: 1, qty: 1, pay: true }],
    })
  })
})
