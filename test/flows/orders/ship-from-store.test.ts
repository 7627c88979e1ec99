import { describe, expect, test } from 'vitest'
import type { ShopOrder } from '../../../sandbox/shop/shop.ts'
import { shippedOrderUpdate } from '../../fixtures/payloads.ts'
import { comesAgain, pendingFor, SENT, shareOnlineStore } from './online-given.ts'

const UPDATED = 'OmniChannelOrderUpdated'
const TEE = '7090012340011'
const SOCKS = '7090012340059'

/** The notes that the shop has of parcels, by what is in them. */
function parcelsOf({ notes }: ShopOrder): string[] {
  return notes.filter((note) => note.startsWith('Parcel ')).map((note) => note.replace(/^.*: /, ''))
}

// The sandbox packs one parcel: of several, the tests tell themselves.
const opened = shareOnlineStore({ trusts: true })

describe('an online order that a store sends', () => {
  test('When it leaves in two parcels, then there are two shipments, and it is sent with the second; whichever comes first', async () => {
    const store = opened()
    for (const turn of ['as sent', 'turned round']) {
      const order = await store.order(SENT)
      const first = { id: 'S-1', items: [{ gtin: TEE }, { gtin: TEE }] }
      const second = { id: 'S-2', items: [{ gtin: SOCKS }] }
      const updates = [parcels(order, first), parcels(order, first, second)]
      for (const body of turn === 'as sent' ? updates : updates.toReversed()) {
        await store.hub.post(UPDATED, body)
        await store.quiet()
        const sent = body === updates[1] || turn !== 'as sent'
        expect(store.now(order).status, turn).toBe(sent ? 'completed' : 'processing')
      }
      await comesAgain(store, UPDATED)
      await store.quiet()
      expect(
        parcelsOf(store.now(order))
          .map((parcel) => parcel.slice(0, 1))
          .toSorted(),
        turn,
      ).toEqual(['1', '2'])
      expect(await pendingFor(store.hub, order.number)).toEqual([
        'create-shipment delivered',
        'create-shipment delivered',
      ])
    }
  })

  test('When an article of a parcel has no GTIN, then it is that of its row; and without a row, the parcel goes out to nobody', async () => {
    const store = opened()
    const lines = [
      { quantity: 2, gtin: TEE, rowId: '1', status: 'Picked' },
      { quantity: 1, gtin: SOCKS, rowId: '2', status: 'Picked' },
    ]
    const packed = (order: ShopOrder, items: object[]) =>
      store.hub.post(UPDATED, parcels(order, { id: 'S-1', items }, lines))
    const order = await store.order(SENT)
    await packed(order, [{ gtin: TEE }, { gtin: '', rowId: '1' }, { gtin: null, rowId: 2 }])
    await store.quiet()
    expect(parcelsOf(store.now(order))).toEqual([expect.stringMatching(/^2 × .*, 1 × /)])
    expect(await pendingFor(store.hub, order.number)).toEqual(['create-shipment delivered'])

    for (const item of [{ externalSKU: 'SOCKS' }, { gtin: '', rowId: '7' }]) {
      const other = await store.order(SENT)
      await packed(other, [{ gtin: TEE }, { gtin: TEE }, item])
      await store.quiet()
      expect(parcelsOf(store.now(other))).toEqual([])
      expect(await pendingFor(store.hub, other.number)).toEqual(['create-shipment dead'])
    }
  })

  test('When its parcels are told by nobody yet, then there is nothing to do, and nobody is told to come', async () => {
    const store = opened()
    const order = await store.order(SENT)
    for (const status of ['Picked', 'Shipped']) await store.hub.post(UPDATED, parcels(order, status))
    await store.quiet()
    expect(await pendingFor(store.hub, order.number)).toEqual(['order-ready superseded', 'order-collected superseded'])
    expect(store.now(order)).toMatchObject({ status: 'processing', reported: [] })
  })
})

/** What the store tells of it, with these parcels. */
function parcels(order: ShopOrder, ...said: (string | { id: string; items: object[] } | object[])[]) {
  const shipments = said.filter((one) => typeof one !== 'string' && !Array.isArray(one))
  const orderLines = said.find((one) => Array.isArray(one))
  return shippedOrderUpdate({
    orderNo: order.number,
    id: `of-${order.number}`,
    status: said.find((one) => typeof one === 'string') ?? 'Shipped',
    ...(orderLines && { orderLines }),
    fulfillmentLocation: { stockName: 'Bergen Torg', stockId: 13, shipments },
  })
}
