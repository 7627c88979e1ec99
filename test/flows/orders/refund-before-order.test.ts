import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { endlessAisle, refundUpdate, saleLine } from '../../fixtures/payloads.ts'
import { startWithOrders, type WithOrders } from './order-given.ts'

const GTIN = '7090012340011'

const ordered = (orderNo: string) =>
  endlessAisle({
    orderNo,
    receiptNo: `R-${orderNo}`,
    orderLines: [
      saleLine({ shipFromOnlineStore: true, gtin: GTIN, sku: 'TEE-BLK-M', quantity: 2, price: 349, total: 698 }),
    ],
    total: 698,
    paymentLines: [{ type: 'Card', subType: 'Visa', text: '', amount: 698 }],
  })

/** One of them came back, and the shop is to pay it back. */
const returned = (orderNo: string) =>
  refundUpdate({
    orderNo,
    id: `00000000-0000-4000-8000-${orderNo.replace(/\D/g, '').padStart(12, '0')}`,
    isRefunded: false,
    orderLines: [{ gtin: GTIN, quantity: 1, id: null, status: 'Returned' }],
  })

async function states(world: WithOrders, flow: string) {
  const rows = await world.hub.hub.storage.deliveries({ flow })
  return rows.map(({ state }) => state)
}

test.each([
  ['one by one', true],
  ['in a burst', false],
])(
  'When goods of a POS’s order come back before the order itself is told, %s, then they are paid back once the shop has it',
  async (_, oneByOne) => {
    await using world = await startWithOrders({}, { refundPayments: false })
    await world.hub.post('OmniChannelOrderRefundUpdated', returned('EA-4321'), { eventId: 'refund' })
    if (oneByOne)
      await eventually(async () => {
        const [refund] = await world.hub.hub.storage.deliveries({ flow: 'refund-goods' })
        expect(refund).toMatchObject({ state: 'waiting', why: expect.stringContaining('waits for it') })
      })
    await world.hub.post('OmniChannelEndlessAisleOrderCreated', ordered('EA-4321'), { eventId: 'order' })
    await world.done()
    expect(await states(world, 'refund-goods')).toEqual(['delivered'])
    const [order] = world.shop.orders()
    expect(order?.refunds.map(({ amount }) => amount)).toEqual(['349.00'])
  },
)
