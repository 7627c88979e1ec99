import { describe, expect, test } from 'vitest'
import type { CallContext } from '../../../src/flows/flow.ts'
import { releaseGoodsAfter } from '../../../src/flows/master-data.ts'
import {
  bytesOf,
  delivery,
  type Given,
  orderUpdate,
  sale,
  shippedOrderUpdate,
  stockMovement,
} from '../../fixtures/payloads.ts'
import { eventOf, NOW } from '../../queue/kit/parts.ts'
import { ARTICLE, asking, called, flowNamed, planned } from '../plan-kit.ts'

/** What the flow leaves of what was submitted, after that which was made since. */
async function leftOf(flow: string, kind: string, payload: object, laterKind: string, later: object) {
  const given = {
    deliveries: async () => [{ id: 9, event: 2, kind: laterKind, state: 'delivered', code: null }] as never,
    event: async () => ({ body: bytesOf(later) }),
  }
  const tried = { entity: 'it', firstTriedAt: NOW }
  const verdict = await asking(flowNamed(flow), 'supersededBy', planned(kind, payload), '', given, tried).verdict
  if (verdict === null || verdict === undefined) return 'all'
  return 'event' in verdict ? JSON.parse(Buffer.from(verdict.event.body).toString()) : 'nothing'
}

describe('a product that failed, and is tried again after later ones were saved', () => {
  const jacket = { extId: 'A', name: 'Jacket', price: '10' }
  const sized = { extId: 'A', productSizes: [{ gtin: '1' }, { gtin: '2' }] }

  test.each<[string, string, object, string, object, unknown]>([
    [
      'its name was said anew',
      'ProductSubmitted',
      jacket,
      'ProductSubmitted',
      { extId: 'A', name: 'Coat' },
      { extId: 'A', price: '10' },
    ],
    [
      'its text was said anew',
      'ProductSubmitted',
      jacket,
      'ProductTextSubmitted',
      { extId: 'A', name: 'Coat' },
      { extId: 'A', price: '10' },
    ],
    ['all of it was said anew', 'ProductSubmitted', jacket, 'ProductSubmitted', jacket, 'nothing'],
    [
      'a later one was for new products only',
      'ProductSubmitted',
      jacket,
      'ProductSubmitted',
      { ...jacket, insertOnly: true },
      'all',
    ],
    [
      'it is for new products only',
      'ProductSubmitted',
      { ...jacket, insertOnly: true },
      'ProductSubmitted',
      jacket,
      'all',
    ],
    ['it was deleted', 'ProductSubmitted', jacket, 'ProductDeletionSubmitted', { extId: 'A' }, 'nothing'],
    [
      'a size that it has not was deleted',
      'ProductSubmitted',
      sized,
      'ProductDeletionSubmitted',
      { extId: 'A', gtin: '3' },
      'all',
    ],
    [
      'sizes were deleted, of which it has none',
      'ProductSubmitted',
      jacket,
      'ProductDeletionSubmitted',
      { extId: 'A', gtins: 'all' },
      'all',
    ],
    [
      'its deletion was followed by the product anew',
      'ProductDeletionSubmitted',
      { extId: 'A' },
      'ProductSubmitted',
      jacket,
      'nothing',
    ],
    [
      'the deletion of a size was followed by that size',
      'ProductDeletionSubmitted',
      { extId: 'A', gtin: '2' },
      'ProductSubmitted',
      sized,
      'nothing',
    ],
    [
      'the deletion of a size was followed by another',
      'ProductDeletionSubmitted',
      { extId: 'A', gtin: '3' },
      'ProductSubmitted',
      sized,
      'all',
    ],
    [
      'its deletion was followed by a text',
      'ProductDeletionSubmitted',
      { extId: 'A' },
      'ProductTextSubmitted',
      jacket,
      'all',
    ],
    [
      'it was deleted twice',
      'ProductDeletionSubmitted',
      { extId: 'A' },
      'ProductDeletionSubmitted',
      { extId: 'A' },
      'all',
    ],
  ])('when %s, then only what still holds is sent', async (_, kind, payload, laterKind, later, left) => {
    expect(await leftOf('save-products', kind, payload, laterKind, later)).toEqual(left)
  })

  test('when it is deleted, then the call says so; else it is saved, with others that may be new, or only if it is new', () => {
    const callOf = (kind: string, payload: object) => called(flowNamed('save-products'), kind, payload)
    expect(callOf('ProductDeletionSubmitted', { extId: 'A' })).toEqual({
      ...{ port: 'platform', method: 'deleteProduct', argument: { extId: 'A' } },
    })
    expect(callOf('ProductSubmitted', jacket)).toEqual({ port: 'platform', method: 'upsertProducts', argument: jacket })
    expect(callOf('ProductSubmitted', { ...jacket, insertOnly: true })).toMatchObject({ method: 'insertProducts' })
    const [step, ...others] = flowNamed('save-products').plan(planned('ProductDeletionSubmitted', { extId: 'A' }))
    expect([step, others]).toEqual([{ part: '', entity: 'it', digest: expect.any(String) }, []])
    expect(step?.digest).not.toBe(
      flowNamed('save-products').plan(planned('ProductSubmitted', { extId: 'A' }))[0]?.digest,
    )
  })
})

describe('prices and levels that failed, and are tried again after later ones', () => {
  const PRICE = { list: 'Club', gtin: '1', price: '1' }
  const COUNT = {
    stockId: '12',
    items: [
      { gtin: '1', quantity: '5' },
      { gtin: '2', quantity: '6' },
    ],
  }

  test.each<[string, string, string, object, string, object, unknown]>([
    [
      'a price without an end was ended by one without a date',
      'save-prices',
      'PriceSubmitted',
      PRICE,
      'PriceEndSubmitted',
      PRICE,
      'all',
    ],
    [
      'a price that ends was ended',
      'save-prices',
      'PriceSubmitted',
      { ...PRICE, validTo: '2026-12-01' },
      'PriceEndSubmitted',
      PRICE,
      'nothing',
    ],
    [
      'a price was ended as of a date',
      'save-prices',
      'PriceSubmitted',
      PRICE,
      'PriceEndSubmitted',
      { ...PRICE, validFrom: '2026-12-01' },
      'nothing',
    ],
    [
      'the end of dated prices was followed by a price',
      'end-price',
      'PriceEndSubmitted',
      PRICE,
      'PriceSubmitted',
      PRICE,
      'all',
    ],
    [
      'the end as of a date was followed by a price',
      'end-price',
      'PriceEndSubmitted',
      { ...PRICE, validFrom: '2026-12-01' },
      'PriceSubmitted',
      PRICE,
      'nothing',
    ],
    [
      'a level was followed by a count',
      'set-stock',
      'StockLevelSubmitted',
      { stockId: '12', gtin: '1', quantity: '4' },
      'StockCountSubmitted',
      COUNT,
      'nothing',
    ],
    [
      'a count was followed by a level',
      'count-stock',
      'StockCountSubmitted',
      COUNT,
      'StockLevelSubmitted',
      { stockId: '12', gtin: '1', quantity: '4' },
      {
        stockId: '12',
        items: [
          { gtin: '2', quantity: '6' },
          { gtin: '1', quantity: '4' },
        ],
      },
    ],
    [
      'a count was followed by a level of another stock',
      'count-stock',
      'StockCountSubmitted',
      COUNT,
      'StockLevelSubmitted',
      { stockId: '13', gtin: '1', quantity: '4' },
      'all',
    ],
    [
      'goods kept for an order were let go',
      'keep-goods',
      'OrderSubmitted',
      { orderNo: 'A1' },
      'OrderCancelSubmitted',
      { orderNo: 'A1' },
      'nothing',
    ],
  ])('when %s, then only what still holds is sent', async (_, flow, kind, payload, laterKind, later, left) => {
    expect(await leftOf(flow, kind, payload, laterKind, later)).toEqual(left)
  })

  test.each([
    ['set-stock', 'StockLevelSubmitted', { flow: 'count-stock', state: 'waiting' }, 'count:1%2F2'],
    ['count-stock', 'StockCountSubmitted', { flow: 'set-stock', state: 'waiting' }, 'level:1%2F2/7'],
  ])(
    'when %s comes after another step about that stock which was not tried, then it waits for that',
    async (name, kind, filter, entity) => {
      const asked: object[] = []
      const first = { id: 3, event: 0, firstTriedAt: null, entity }
      const deliveries = async (given: object) => {
        asked.push(given)
        return [first] as never
      }
      const wait = (stockId: string) =>
        asking(flowNamed(name), 'dependsOnEarlier', planned(kind, { stockId }), '', { deliveries }).verdict
      await expect(wait('1/2')).rejects.toThrow('delivery 3 goes first: it is of an earlier event')
      expect(await wait('1')).toBeNull()
      expect(asked[0]).toMatchObject({ destination: 'bus', ...filter })
    },
  )

  test('when costs are of a stock, then one call has those of that stock; else those of a currency', () => {
    const batchOf = (payload: object) => flowNamed('save-costs').plan(planned('CostPriceSubmitted', payload))[0]?.batch
    expect(batchOf({ stockId: '12', currency: 'NOK' })).toBe('stock:12')
    expect(batchOf({ currency: 'NOK' })).toBe('NOK')
    expect(batchOf({})).toBe('')
  })
})

describe('goods that are kept for an order until it is over', () => {
  const at = 'OmniChannelOrderUpdated'
  const place = orderUpdate().order.fulfillmentLocation
  const unlisted = (status: string) => orderUpdate({ status, fulfillmentLocation: { ...place, shipments: [] } })
  const letGo = (payload: object, known: Partial<CallContext> = {}) => called(releaseGoodsAfter, at, payload, known)
  const LET_GO = { port: 'platform', method: 'releaseGoods', argument: { orderNo: 'A1' } }

  test.each(['OrderSubmitted', 'OrderChangeSubmitted'])(
    'when %s comes, then they are kept in one line with what lets them go',
    (kind) => {
      const keep = (payload: object) => flowNamed('keep-goods').plan(planned(kind, payload))
      expect(keep({ orderNo: 'A 1' })).toEqual([{ part: '', entity: 'kept:A%201', version: null }])
      expect(keep({})).toEqual([{ part: '', entity: 'it', version: null }])
      const off = flowNamed('release-goods').plan(planned('OrderCancelSubmitted', { orderNo: 'A 1' }))
      expect(off).toEqual([{ part: '', entity: 'kept:A%201' }])
      const over = orderUpdate({ status: 'Expired', orderNo: 'A 1' })
      expect(releaseGoodsAfter.plan(planned(at, over))).toEqual([{ part: '', entity: 'kept:A%201' }])
    },
  )

  test('when it is picked only, then nothing is let go; shipped, with no list of parcels, all is', () => {
    const isLetGo = (payload: object) => releaseGoodsAfter.plan(planned(at, payload)).length === 1
    expect(isLetGo(orderUpdate())).toBe(false)
    expect(isLetGo(orderUpdate({ status: 'Shipped' }))).toBe(true)
    const [line] = orderUpdate().order.orderLines
    for (const orderLines of [
      [line, { ...line, rowId: '2', gtin: null }],
      [line, { ...line, rowId: '2', quantity: 0 }],
    ])
      expect(isLetGo(shippedOrderUpdate({ status: 'Shipped', orderLines }))).toBe(false)
  })

  test('when it may still be sent, then only what is known to be fetched is let go', () => {
    expect(letGo(unlisted('Shipped'))).toBeNull()
    expect(letGo(unlisted('Shipped'), { isSent: true })).toBeNull()
    expect(letGo(unlisted('Shipped'), { isSent: false })).toEqual(LET_GO)
    expect(letGo(unlisted('Rejected'))).toEqual(LET_GO)
    expect(letGo(orderUpdate({ status: 'Shipped' }))).toEqual(LET_GO)
  })

  test.each<[string, object, string]>([
    [
      'with parcels, then its last parcel must be known to the platform',
      shippedOrderUpdate({ status: 'Shipped' }),
      'the platform does not know order A1',
    ],
    [
      'without parcels, then the order must be over',
      orderUpdate({ status: 'Expired' }),
      'the platform does not know order A1',
    ],
  ])('when it is over %s', async (_, payload, message) => {
    const asked: unknown[] = []
    const verifier = {
      order: async (number: string) => {
        asked.push(number)
        return null
      },
      knowsOrders: async () => true,
      sent: async () => [],
    }
    const { verdict } = asking(releaseGoodsAfter, 'verifyWithPlatform', planned(at, payload), '', {
      orders: { verifier },
    })
    await expect(verdict).rejects.toThrow(message)
    expect(asked).toEqual(['A1'])
  })
})

describe('what the mirror keeps', () => {
  const keep = (name: string, kind: string, payload: object, more: object = {}) => {
    const storeOf = (() => ({ zone: 'Europe/Oslo', storeNo: '101', storeId: '42', storeKey: '101', ...more })) as never
    return called(flowNamed(name), kind, payload, { storeOf })?.argument
  }
  const RESERVATION = {
    id: 'R-1',
    stockId: 12,
    gtin: ARTICLE,
    quantity: 1,
    extId: 'A1',
    createdDateTime: '2026-11-20T09:00:00',
  }

  test.each<[string, string, object, object]>([
    [
      'mirror-stock',
      'StockMovementCreated',
      stockMovement({ createdDateTime: '2026-11-20T23:30:00Z' }),
      { type: 'movement', day: '2026-11-21', movement: { stockId: '12' } },
    ],
    [
      'mirror-stock',
      'StockReservationCreated',
      RESERVATION,
      { type: 'reservation', step: 'made', reservation: { reservationId: 'R-1' } },
    ],
    [
      'mirror-stock',
      'StockReservationExpired',
      { id: 'R-1' },
      { type: 'reservation', step: 'ended', reservation: { reservationId: 'R-1' } },
    ],
    [
      'mirror-stock',
      'OmniChannelOrderUpdated',
      orderUpdate({ status: 'Expired' }),
      { type: 'order-over', orderNo: 'A1', at: NOW },
    ],
    ['mirror-stock', 'StockLevelRead', { stockId: '12', gtin: '1' }, { type: 'level', stockId: '12', gtin: '1' }],
    [
      'mirror',
      'SaleCreated',
      sale({ createdDateTime: '2026-11-20T23:30:00Z' }),
      { type: 'sale', external: false, isThin: false, storeNo: '101', day: '2026-11-21', sale: { receiptNo: '1001' } },
    ],
    ['mirror', 'SaleExternalCreated', sale(), { type: 'sale', external: true }],
    [
      'mirror',
      'DeliveryUpdated',
      delivery({ updatedDateTime: '2026-11-20T23:30:00Z' }),
      { type: 'delivery', delivery: { deliveryId: '90210', at: '2026-11-21T00:30:00' } },
    ],
    ['mirror', 'SalesLinesRead', { lines: [] }, { type: 'sales-lines', revision: 0, lines: [] }],
    ['mirror', 'ProductRead', { extId: 'A' }, { type: 'product', revision: 0, product: { extId: 'A' } }],
  ])('when %s gets a %s, then that is kept, in the time of its store', (flow, kind, payload, kept) => {
    expect(keep(flow, kind, payload)).toMatchObject(kept)
  })

  test('when a reservation ends without its number, then it waits until it can be read', () => {
    expect(() => keep('mirror-stock', 'StockReservationExpired', { gtin: ARTICLE })).toThrow('reservationId')
  })

  test('when stores of several countries share a number, then a sale is kept with the id of its store; else by the number alone', () => {
    expect(keep('mirror', 'SaleCreated', sale())).not.toHaveProperty('storeId')
    expect(keep('mirror', 'SaleCreated', sale(), { storeKey: 'NO-101' })).toMatchObject({ storeId: '42' })
    expect(keep('mirror', 'SaleCreated', sale(), { storeKey: 'id-42', storeNo: null })).not.toHaveProperty('storeId')
  })

  test('when a sale that was read from the platform lists no payments, then it is kept as that; one that was pushed waits', () => {
    const thin = sale({ paymentLines: null })
    const keepAs = (subscription: string) =>
      flowNamed('mirror').call(eventOf(thin, { subscription }), { part: '' }, {
        storeOf: () => ({ zone: 'Europe/Oslo', storeNo: '101', storeKey: '101' }),
      } as never)?.argument
    expect(keepAs('pulled')).toMatchObject({ type: 'sale', isThin: true })
    expect(() => keepAs('all')).toThrow('payments')
  })

  test('when an order is over, then its goods count no more; of one that goes on nothing is kept', () => {
    const plan = (kind: string, payload: object) => flowNamed('mirror-stock').plan(planned(kind, payload))
    const stock = [{ part: '', entity: null, batch: 'stock' }]
    for (const status of ['Shipped', 'Rejected', 'EXPIRED', 'returned'])
      expect(plan('OmniChannelOrderUpdated', orderUpdate({ status }))).toEqual(stock)
    for (const given of [{ status: 'Picked' }, { status: null }, { status: 'Shipped', orderNo: null }])
      expect(plan('OmniChannelOrderUpdated', orderUpdate(given))).toEqual([])
    expect(plan('OmniChannelOrderFulfilled', orderUpdate())).toEqual(stock)
    expect(plan('StockMovementCreated', stockMovement())).toEqual(stock)
  })

  test('when an hour of sales lines is read, then it goes in order of that hour; other facts in any', () => {
    const plan = (kind: string) => flowNamed('mirror').plan(planned(kind, {}))
    expect(plan('SalesLinesRead')).toEqual([{ part: '', entity: 'it', batch: 'facts' }])
    expect(plan('SaleCreated')).toEqual([{ part: '', entity: null, batch: 'facts' }])
  })
})

describe('what a shop is told of stocks', () => {
  const channels = {
    web: { stocks: ['12', '13'], safetyStock: '1' },
    outlet: { stocks: ['14'], safetyStock: '0' },
  } as never
  const levels = (given: Given = {}) => ({
    ...{ gtin: ARTICLE, sku: 'TEE', version: 5 },
    stocks: [
      { stockId: '12', level: '4', reserved: '1' },
      { stockId: '13', level: '1', reserved: '0' },
    ],
    ...given,
  })

  test('when an article changes, then each place that sells it has its level, and a place where it never was has none', () => {
    const flow = flowNamed('publish-stock')
    const web = { part: 'web', entity: `available:web:${ARTICLE}`, batch: 'levels', digest: '2', version: 5 }
    expect(flow.plan(planned('StockChanged', levels()), channels)).toEqual([web])
    expect(flow.plan(planned('StockChanged', levels({ again: 'web' })), channels)).toEqual([{ ...web, force: true }])
    expect(flow.plan(planned('StockChanged', levels({ again: 'outlet' })), channels)).toEqual([web])
    expect(flow.plan(planned('StockChanged', levels()))).toEqual([])
    expect(called(flow, 'StockChanged', levels(), { channels }, 'web')).toEqual({
      ...{ port: 'stock', method: 'setLevels' },
      argument: { location: 'web', gtin: ARTICLE, sku: 'TEE', level: '2' },
    })
    for (const part of ['outlet', 'closed'])
      expect(called(flow, 'StockChanged', levels(), { channels }, part)).toBeNull()
  })

  test('when events are published, then the bus has them as they came, and is told which were pulled', () => {
    const publish = (subscription: string) =>
      flowNamed('publish').call(eventOf({ n: 1 }, { subscription }), { part: '' }, {} as never)
    const argument = { kind: 'SaleCreated', body: bytesOf({ n: 1 }), receivedAt: NOW }
    expect(publish('all')).toEqual({ port: 'publish', method: 'publish', argument })
    expect(publish('pulled')).toEqual({ port: 'publish', method: 'publish', argument: { ...argument, pulled: true } })
  })
})
