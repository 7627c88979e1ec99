import { describe, expect } from 'vitest'
import { createTestClock } from '../../clock.ts'
import { onlyIn } from '../../dialect.ts'
import { deliveriesOf, keptIn } from '../../hub.ts'
import { comesAgain, FETCHED, fateOf, pendingFor, shareOnlineStore } from './online-given.ts'

const UPDATED = 'OmniChannelOrderUpdated'
const RESERVED = 'StockReservationCreated'
const RELEASED = 'StockReservationExpired'

const opened = shareOnlineStore({ clock: createTestClock() })

/** What the platform told of the reservations of an order. */
function reservations(kind: string, orderNo: string): { status: string }[] {
  return keptIn(opened().hub)
    .filter((kept) => kept.kind === kind)
    .map(({ body }) => JSON.parse(String(body)))
    .filter(({ extId }) => extId === orderNo)
}

describe('an online order that nobody fetches', () => {
  onlyIn(['facts'], 'it reads the state of a reservation in the words of facts')(
    'When its time is over, then it is off and paid back, once, and the customer knows, however often it is told',
    async () => {
      const store = opened()
      const order = await store.order(FETCHED)
      store.platform.actions.pickOrder({ orderNo: order.number })
      await store.quiet()
      store.platform.actions.expireOrder({ orderNo: order.number })
      await store.quiet()
      for (const kind of [RELEASED, UPDATED]) await comesAgain(store, kind)
      await store.quiet()

      expect(reservations(RELEASED, order.number).map(({ status }) => status)).toEqual(Array(4).fill('Expired'))
      const now = store.now(order)
      expect(fateOf(now)).toEqual({ status: 'cancelled', back: ['1 SOCKS-GRY paid back', '2 TEE-BLK-M paid back'] })
      expect(now.refunds.map(({ amount }) => amount)).toEqual([order.total])
      expect(now.reported).toHaveLength(2)
      expect(await pendingFor(store.hub, order.number)).toEqual(['order-ready delivered', 'order-expired delivered'])
    },
  )

  onlyIn(['facts'], 'it reads the state of a reservation in the words of facts')(
    'When only a webhook says that its reservation ran out, and the platform that it is open, then it is not off: a person is asked',
    async () => {
      const store = opened()
      const order = await store.order(FETCHED)
      await store.quiet()
      const [one] = reservations(RESERVED, order.number)
      await store.hub.post(RELEASED, { ...one, status: 'Expired' })
      await store.quiet()
      expect(await pendingFor(store.hub, order.number)).toEqual(['order-expired held'])
      const held = (await deliveriesOf(store.hub)).find(({ state }) => state === 'held')
      expect(held?.why).toContain(`order ${order.number} is UnHandled, not Expired`)
      expect(fateOf(store.now(order))).toEqual({ status: 'processing', back: [] })
    },
  )

  onlyIn(['facts'], 'it reads the state of a reservation in the words of facts')(
    'When goods were let go by hand, for a decline or a cancellation, then no order expires',
    async () => {
      const store = opened()
      const [declined, cancelled] = [await store.order(FETCHED), await store.order(FETCHED)]
      store.platform.actions.declineOrder({ orderNo: declined.number, sku: 'SOCKS-GRY' })
      await store.shop.setStatus(cancelled.id, 'cancelled')
      await store.quiet()
      expect(store.platform.onlineOrders().map(({ body }) => body.orderNo)).not.toContain(cancelled.number)

      for (const order of [declined, cancelled])
        expect(reservations(RELEASED, order.number)).toContainEqual(expect.objectContaining({ status: 'Released' }))
      expect(await pendingFor(store.hub, declined.number)).toEqual(['decline-goods delivered'])
      expect(await pendingFor(store.hub, cancelled.number)).toEqual([])
      expect(fateOf(store.now(declined))).toEqual({ status: 'processing', back: ['1 SOCKS-GRY paid back'] })
      expect(fateOf(store.now(cancelled))).toEqual({ status: 'cancelled', back: [] })
    },
  )

  onlyIn(['facts'], 'it reads the state of a reservation in the words of facts')(
    'When the customer had it before its time was over, then nothing is taken back',
    async () => {
      const store = opened()
      const order = await store.order(FETCHED)
      store.platform.actions.pickOrder({ orderNo: order.number })
      store.platform.actions.collectOrder({ orderNo: order.number })
      await store.quiet()
      for (const reserved of reservations(RESERVED, order.number))
        await store.hub.post(RELEASED, { ...reserved, status: 'Expired' })
      await store.quiet()
      expect(fateOf(store.now(order))).toEqual({ status: 'completed', back: [] })
      expect(await pendingFor(store.hub, order.number)).toContain('order-expired superseded')
    },
  )
})
