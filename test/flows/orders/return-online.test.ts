import { describe, expect, test } from 'vitest'
import { comesAgain, type OnlineStore, shareOnlineStore } from './online-given.ts'

const RETURNED = 'OmniChannelOrderRefundUpdated'

const opened = shareOnlineStore()

/** What a customer had sent home: the same shirt twice, each time as a line of its own. */
const LINES = [{ sku: 'TEE-BLK-M' }, { sku: 'SOCKS-GRY' }, { sku: 'TEE-BLK-M', quantity: 2 }]

/** The customer comes to a store with it: the POS asks for the order, and takes one piece of a line back. */
async function bringBack({ platform }: OnlineStore, number: string, line: number, isRefunded: boolean) {
  const found = await platform.lookups.order(number)
  const row = found?.orderLines[line]
  if (!found || !row?.rowId || !row.gtin) throw new Error(`The POS did not find line ${line} of order ${number}.`)
  const { orderNo } = found
  platform.actions.returnOrder({ store: '201', orderNo, rowId: row.rowId, gtin: row.gtin, quantity: 1, isRefunded })
  return found
}

describe('bought online, brought back to a store', () => {
  test('When the POS asks for it and takes one piece back, then the shop pays exactly that piece, once', async () => {
    const store = opened()
    const order = await store.shop.placeOrder({ lines: LINES })
    const found = await bringBack(store, order.number, 2, false)
    expect(found).toMatchObject({ orderNo: order.number, total: Number(order.total) })
    await store.quiet()
    await comesAgain(store, RETURNED)
    await store.quiet()

    const { refunds, lines } = store.now(order)
    expect(refunds).toMatchObject([
      { amount: '349.00', paidBack: true, lines: [{ lineId: lines[2]?.id, quantity: 1 }] },
    ])
    // The next POS that asks sees what has come back.
    const after = await store.platform.lookups.order(order.number)
    expect(after?.orderLines.map(({ returnedQuantity }) => returnedQuantity)).toEqual([0, 0, 1])
  })

  test('When nobody has an order of that number, then the POS is told so, and nothing is looked for any further', async () => {
    const store = opened()
    const order = await store.shop.placeOrder({ lines: LINES })
    expect(await store.platform.lookups.order(`${order.number}0`)).toBeNull()
    expect(await store.platform.lookups.order('W-9')).toBeNull()
    expect((await store.platform.lookups.order(` #${order.number}`))?.orderNo).toBe(order.number)
  })
})
