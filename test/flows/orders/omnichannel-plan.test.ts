import { describe, expect, test } from 'vitest'
import type { EventToRoute } from '../../../src/flows/flow.ts'
import { flows } from '../../../src/flows/index.ts'
import { createProofs } from '../../../src/ingest/parse.ts'

const proofs = createProofs(flows)

/** An event about order A1, as planning sees it. */
function event(kind: string, payload: unknown): EventToRoute {
  return { kind, origin: 'platform', identity: null, entity: 'order:A1', payload, receivedAt: 0 }
}

/** `id`: by which the platform tells it from another order of this number; it may not tell. */
function updated(
  status: string,
  given: { lines?: object[]; shipments?: object[]; id?: string | null } = {},
): EventToRoute {
  const {
    id = null,
    lines: orderLines = [{ quantity: 1, gtin: '70900', rowId: '1', status: 'UnHandled' }],
    shipments,
  } = given
  const fulfillmentLocation = { stockId: 9, stockName: 'Oslo', ...(shipments && { shipments }) }
  return event('OmniChannelOrderUpdated', { order: { orderNo: 'A1', id, status, orderLines, fulfillmentLocation } })
}

function refunded(isRefunded: unknown, orderLines: object[] = [{ quantity: 1, gtin: '70900', id: '1' }]): EventToRoute {
  return event('OmniChannelOrderRefundUpdated', {
    refund: { orderNo: 'A1', id: 'r1', status: 'Returned', isRefunded, orderLines },
  })
}

/** What is to be done about an event on the ports of shops: flow, part and the fact that it brings about. */
function steps(planned: EventToRoute): string[] {
  return flows
    .filter(({ kinds, port }) => port === 'orders' && kinds.includes(planned.kind))
    .flatMap(({ name, plan }) => plan(planned).map(({ part, effect }) => `${name}${part && `/${part}`} ${effect}`))
}

describe('what an update of an order calls for', () => {
  test('When a pickup order is Picked, then the customer can be told; when it is Shipped, the payment can be captured', () => {
    expect(steps(updated('Picked'))).toEqual(['order-ready order/A1/reported'])
    expect(steps(updated('Shipped'))).toEqual(['order-collected order/A1/captured'])
  })

  test('When it is Fulfilled, then that is the same fact as Shipped, so that it happens once', () => {
    const { payload } = updated('Shipped')
    expect(steps(event('OmniChannelOrderFulfilled', payload))).toEqual(['order-collected order/A1/captured'])
    expect(proofs(event('OmniChannelOrderFulfilled', payload)).facts).toContain('order/A1/collected')
  })

  test('When lines are declined, then each is a step of its own; when all is Rejected, all of them are', () => {
    const lines = [
      { quantity: 1, gtin: '70900', rowId: '1', status: 'Picked' },
      { quantity: 2, gtin: '70901', rowId: '2', status: 'Declined' },
      { quantity: 1, gtin: '70902', rowId: null, status: 'Declined' },
    ]
    const declined = ['decline-goods/2 order/A1/declined/2/2', 'decline-goods/70902 order/A1/declined/70902/1']
    expect(steps(updated('Picked', { lines }))).toEqual([...declined, 'order-ready order/A1/reported'])
    expect(steps(updated('Rejected', { lines: lines.map((line) => ({ ...line, status: null })) }))).toEqual([
      'decline-goods/1 order/A1/declined/1/1',
      ...declined,
    ])
  })

  test('When the store ships it, then each parcel is a step, and nobody is told to come', () => {
    const shipments = [
      { id: 'p1', items: [{ gtin: '70900' }, { gtin: '70900' }] },
      { id: 'p2', items: [{ gtin: '70901' }] },
    ]
    expect(steps(updated('Picked', { shipments }))).toEqual([
      expect.stringMatching(/^create-shipment\/p1 order\/A1\/packed\/p1\/[0-9a-f]{12}$/),
      expect.stringMatching(/^create-shipment\/p2 order\/A1\/packed\/p2\/[0-9a-f]{12}$/),
    ])
    // An empty list may be that of an order which is fetched: the step finds out.
    expect(steps(updated('Shipped', { shipments: [] }))).toEqual(['order-collected order/A1/captured'])
  })

  test('When a row stands there twice and all is Rejected, then all pieces of it are one step', () => {
    const lines = [
      { quantity: 1, gtin: '70900', rowId: null, status: 'Picked' },
      { quantity: 2, gtin: '70900', rowId: null, status: 'Declined' },
    ]
    expect(steps(updated('Rejected', { lines }))).toEqual(['decline-goods/70900 order/A1/declined/70900/3'])
    expect(steps(updated('Picked', { lines }))).toContain('decline-goods/70900 order/A1/declined/70900/2')
  })

  test('When one of the quantities of a row cannot be read, then the other is not taken for all, in whatever order', () => {
    const lines = [0, 1].map((quantity) => ({ quantity, gtin: '70900', rowId: '1', status: 'Declined' }))
    const unread = ['decline-goods/1 order/A1/declined/1/unread']
    expect(steps(updated('Rejected', { lines }))).toEqual(unread)
    expect(steps(updated('Rejected', { lines: lines.toReversed() }))).toEqual(unread)
  })

  test('When all is Rejected and no line can be read, or a parcel cannot, then that is not passed over', () => {
    expect(steps(updated('Rejected', { lines: [] }))).toEqual(['decline-goods/all order/A1/declined/all/unread'])
    const shipments = [
      { id: null, items: [{ gtin: '70900' }] },
      { id: 'p2', items: null },
    ]
    expect(steps(updated('Shipped', { shipments }))).toEqual([
      'create-shipment/parcel-1 order/A1/packed/unread%20parcel-1',
      'create-shipment/p2 order/A1/packed/unread%20p2',
    ])
  })

  test('When a status differs in its case only, then it is that status', () => {
    const lines = [
      { quantity: 1, gtin: '70900', rowId: '1', status: 'declined' },
      { quantity: 1, gtin: '70901', rowId: '2', status: 'PICKED' },
    ]
    expect(steps(updated('picked', { lines }))).toEqual([
      'decline-goods/1 order/A1/declined/1/1',
      'order-ready order/A1/reported',
    ])
  })

  test('When nothing of a picked order lies there, then nobody is told to come for it', () => {
    const lines = [{ quantity: 1, gtin: '70900', rowId: '1', status: 'Declined' }]
    expect(steps(updated('Picked', { lines }))).toEqual(['decline-goods/1 order/A1/declined/1/1'])
  })

  test('When the platform tells its id, then what is done and proven is that one order’s, and its number’s', () => {
    const lines = [{ quantity: 1, gtin: '70900', rowId: '1', status: 'Declined' }]
    const order = updated('Shipped', { lines, id: 'b7/e1' })
    expect(steps(order)).toEqual([
      'decline-goods/1 order/A1@b7%2Fe1/declined/1/1',
      'order-collected order/A1@b7%2Fe1/captured',
    ])
    const [step] = flows.find(({ name }) => name === 'order-collected')?.plan(order) ?? []
    expect(step).toMatchObject({
      keyByNumber: 'order/A1/captured',
      unless: ['order/A1@b7%2Fe1/expired', 'order/A1@b7%2Fe1/rejected', 'order/A1/expired', 'order/A1/rejected'],
    })
    expect(proofs(order).facts).toEqual([
      'order/A1/placed',
      'order/A1/collected',
      'order/A1@b7%2Fe1/placed',
      'order/A1@b7%2Fe1/collected',
    ])
  })

  test('When it is new to the store, then there is nothing to do, and that is no problem', () => {
    expect(steps(updated('UnHandled'))).toEqual([])
    expect(proofs(updated('UnHandled'))).toEqual({ facts: ['order/A1/placed'], quiet: true })
  })

  test('When its status is unknown, then nothing is done but to tell a person', () => {
    expect(steps(updated('Teleported'))).toEqual(['order-unread/Teleported order/A1/unread/Teleported'])
    expect(proofs(updated('Teleported'))).toEqual({ facts: [], quiet: false })
  })
})

describe('what overtakes what', () => {
  test('When it was collected, expired or rejected, then nobody is told that it is ready', () => {
    const [step] = flows.find(({ name }) => name === 'order-ready')?.plan(updated('Picked')) ?? []
    expect(step?.unless).toEqual(['order/A1/collected', 'order/A1/expired', 'order/A1/rejected'])
  })

  test('When it was collected, then all of it cannot be declined any more; a single line of it can', () => {
    const flow = flows.find(({ name }) => name === 'decline-goods')
    const line = { quantity: 1, gtin: '70900', rowId: '1' }
    const unless = (status: string, lines: object[]) => flow?.plan(updated(status, { lines }))[0]?.unless
    expect(unless('Rejected', [line])).toEqual(['order/A1/collected'])
    expect(unless('Picked', [{ ...line, status: 'Declined' }])).toEqual([])
  })

  test('When its reservation ran out, then the order is expired; when goods were only let go, it is not', () => {
    const released = (more: object) => event('StockReservationExpired', { extId: 'A1', gtin: '70900', ...more })
    expect(steps(released({ status: 'Expired' }))).toEqual(['order-expired order/A1/called-off'])
    expect(steps(released({ status: 'Released' }))).toEqual([])
    const times = { expirationDateTime: '2026-11-21T10:00:00' }
    expect(steps(released({ ...times, releasedDateTime: '2026-11-21T10:00:01' }))).toEqual([
      'order-expired order/A1/called-off',
    ])
    expect(steps(released({ ...times, releasedDateTime: '2026-11-21T09:00:00' }))).toEqual([])
    expect(steps(released({}))).toEqual([])
    // Let go by hand an hour before its time was over, said on another clock; and on two that cannot be compared.
    const until = { expirationDateTime: '2026-11-21T10:00:00Z' }
    expect(steps(released({ ...until, releasedDateTime: '2026-11-21T10:30:00+02:00' }))).toEqual([])
    expect(steps(released({ ...until, releasedDateTime: '2026-11-21T10:30:00' }))).toEqual([])
    expect(steps(released({ ...until, releasedDateTime: '2026-11-21T10:00:00.5+00:00' }))).toHaveLength(1)
  })
})

describe('what a return calls for', () => {
  test('When the POS did not give the money back, then the shop must, line by line; when it did, it is noted', () => {
    const lines = [
      { quantity: 1, gtin: '70900', id: '1' },
      { quantity: 2, gtin: '70901', id: null },
    ]
    expect(steps(refunded(false, lines))).toEqual([
      'refund-goods/1 order/A1/returned/r1/1/1',
      'refund-goods/70901 order/A1/returned/r1/70901/2',
    ])
    expect(steps(refunded(true))).toEqual(['note-refund/1 order/A1/returned/r1/1/1'])
  })

  test('When a row came back in two lines, then all pieces of it are one step', () => {
    const lines = [
      { quantity: 1, gtin: '70900', id: '1', status: 'Returned' },
      { quantity: 2, gtin: '70900', id: '1', status: null },
    ]
    expect(steps(refunded(false, lines))).toEqual(['refund-goods/1 order/A1/returned/r1/1/3'])
  })

  test('When the POS has given it back, then a refund that says otherwise is invalidated', () => {
    const [step] = flows.find(({ name }) => name === 'refund-goods')?.plan(refunded(false)) ?? []
    expect(step?.unless).toEqual(['order/A1/paid-back/r1'])
    expect(proofs(refunded(true)).facts).toEqual(['order/A1/paid-back/r1'])
  })

  test('When it does not say who gives the money back, then nobody does, and a person is told', () => {
    for (const isRefunded of [null, 'perhaps', 2, undefined])
      expect(steps(refunded(isRefunded))).toEqual(['order-unread/lacking undefined'])
    expect(proofs(refunded(null)).quiet).toBe(false)
  })
})
