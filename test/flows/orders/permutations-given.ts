import type { ShopOrder } from '../../../sandbox/shop/shop.ts'
import { endlessAisle, orderUpdate, receipt, refundUpdate, sale, saleLine } from '../../fixtures/payloads.ts'
import type { givenPlatform } from '../../sandbox/platform/given.ts'
import type { Recorded } from './order-given.ts'

type Actions = Awaited<ReturnType<typeof givenPlatform>>['actions']

/** What became of an order: in the shop, and what a person has to look at, by flow and code. */
export interface End {
  status: string
  total: string
  back: string[]
  /** What the payment provider paid back, all in all. */
  money: string
  /** How often the customer was told of something that is so in any order: all but that it is ready. */
  reported: number
  parcels: number
  left: string[]
}

/** A story of one order (of two that have one number), of which the messages may come in any order. */
export interface Scenario {
  name: string
  /** How the web order is paid; a card if left out. `none`: the shop has no web order. */
  paid?: 'cod' | 'bacs' | 'none'
  ship?: boolean
  reserves?: boolean
  /** What the staff of a store does: the platform tells of it, and verifies it . */
  act?: (actions: Actions, orderNo: string) => void
  /** Messages that the sandbox platform does not send; its record does not bear them out. */
  built?: (number: string) => Recorded[]
  /** The end of the web order, then of the POS's order, where there are such. */
  ends: End[]
}

const SHIRT = '7090012340011'
const SOCKS = '7090012340059'
const UPDATED = 'OmniChannelOrderUpdated'
const RETURNED = 'OmniChannelOrderRefundUpdated'

const UNTOUCHED: End = {
  status: 'processing',
  total: '847.90',
  back: [],
  money: '0.00',
  reported: 0,
  parcels: 0,
  left: [],
}
const COLLECTED: End = { ...UNTOUCHED, status: 'completed' }

const recorded = (kind: string, payload: object): Recorded => ({ kind, body: JSON.stringify(payload) })

const idOf = (number: string, what: string) => `${what.padStart(8, '0')}-0000-4000-8000-${number.padStart(12, '0')}`

const receiptOf = (number: string) => `R-${number}`

/** The order that a POS made under a number. */
export function isOfPos(number: string, { meta }: ShopOrder): boolean {
  return String(meta.tillbridge_receipt) === receiptOf(number)
}

/** A sale of two articles of one kind at a POS, for the shop to send. */
const posSale = (number: string, gtin: string, sku: string, price: number) => ({
  orderNo: number,
  receiptNo: receiptOf(number),
  orderLines: [saleLine({ shipFromOnlineStore: true, gtin, sku, quantity: 2, price, total: 2 * price })],
  total: 2 * price,
  paymentLines: [{ type: 'Card', subType: 'Visa', text: '', amount: 2 * price }],
})

const update = (number: string, id: string, status: string, gtin: string, quantity: number) =>
  recorded(
    UPDATED,
    orderUpdate({ orderNo: number, id, status, orderLines: [{ quantity, gtin, rowId: null, status: 'Picked' }] }),
  )

const refund = (number: string, id: string, more: object = {}) =>
  recorded(
    RETURNED,
    refundUpdate({
      orderNo: number,
      id,
      isRefunded: false,
      orderLines: [{ gtin: SHIRT, quantity: 1, id: null, status: 'Returned' }],
      ...more,
    }),
  )

const SHIRT_SKU = 'TEE-BLK-M'
const SOCKS_SKU = 'SOCKS-GRY'

type Act = NonNullable<Scenario['act']>

const doing =
  (...acts: Act[]): Act =>
  (staff, orderNo) => {
    for (const act of acts) act(staff, orderNo)
  }

const pick: Act = (staff, orderNo) => void staff.pickOrder({ orderNo })
const collect: Act = (staff, orderNo) => void staff.collectOrder({ orderNo })
const pack: Act = (staff, orderNo) => void staff.packOrder({ orderNo })
const expire: Act = (staff, orderNo) => void staff.expireOrder({ orderNo })
const declineAll: Act = (staff, orderNo) => void staff.declineOrder({ orderNo })
const decline =
  (sku: string): Act =>
  (staff, orderNo) =>
    void staff.declineOrder({ orderNo, sku })
const comesBack =
  (sku: string, quantity: number, isRefunded: boolean): Act =>
  (staff, orderNo) =>
    void staff.returnOrder({ orderNo, sku, quantity, isRefunded })

/** Every story that must end alike whatever comes first. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'fetched', act: doing(pick, collect), ends: [COLLECTED] },
  {
    name: 'declined in part, fetched, and one piece back for the shop to pay',
    act: doing(pick, decline(SOCKS_SKU), collect, comesBack(SHIRT_SKU, 1, false)),
    ends: [{ ...COLLECTED, back: ['1 SOCKS-GRY paid back', '1 TEE-BLK-M paid back'], money: '498.90', reported: 1 }],
  },
  {
    name: 'to be paid in the store, declined in part and fetched',
    paid: 'cod',
    act: doing(pick, decline(SOCKS_SKU), collect),
    ends: [{ ...COLLECTED, total: '698.00', reported: 1 }],
  },
  {
    name: 'to be paid by a bank transfer that has not come, declined in part and fetched',
    paid: 'bacs',
    act: doing(pick, decline(SOCKS_SKU), collect),
    ends: [{ ...COLLECTED, total: '698.00', reported: 1 }],
  },
  {
    name: 'fetched, and all of it back for the shop to pay',
    act: doing(pick, collect, comesBack(SOCKS_SKU, 1, false), comesBack(SHIRT_SKU, 2, false)),
    ends: [
      { ...UNTOUCHED, status: 'refunded', back: ['1 SOCKS-GRY paid back', '2 TEE-BLK-M paid back'], money: '847.90' },
    ],
  },
  {
    name: 'fetched, one piece back that the POS paid, and one that the shop pays',
    act: doing(pick, collect, comesBack(SOCKS_SKU, 1, true), comesBack(SHIRT_SKU, 1, false)),
    ends: [{ ...COLLECTED, back: ['1 SOCKS-GRY noted', '1 TEE-BLK-M paid back'], money: '349.00' }],
  },
  {
    name: 'declined in part, sent in a parcel, and one piece back for the shop to pay',
    ship: true,
    act: doing(decline(SOCKS_SKU), pack, comesBack(SHIRT_SKU, 1, false)),
    ends: [
      {
        ...COLLECTED,
        back: ['1 SOCKS-GRY paid back', '1 TEE-BLK-M paid back'],
        money: '498.90',
        reported: 1,
        parcels: 1,
      },
    ],
  },
  {
    name: 'expired',
    reserves: true,
    act: doing(pick, expire),
    ends: [
      {
        ...UNTOUCHED,
        status: 'cancelled',
        back: ['1 SOCKS-GRY paid back', '2 TEE-BLK-M paid back'],
        money: '847.90',
        reported: 1,
      },
    ],
  },
  {
    name: 'to be paid in the store, and expired',
    reserves: true,
    paid: 'cod',
    act: doing(pick, expire),
    ends: [{ ...UNTOUCHED, status: 'cancelled', reported: 1 }],
  },
  {
    name: 'cancelled by the store: one article declined, then the rest',
    act: doing(pick, decline(SOCKS_SKU), declineAll),
    ends: [
      {
        ...UNTOUCHED,
        status: 'refunded',
        back: ['1 SOCKS-GRY paid back', '2 TEE-BLK-M paid back'],
        money: '847.90',
        reported: 2,
      },
    ],
  },
  {
    name: 'refunds by every word',
    built: (number) => [
      update(number, idOf(number, 'a'), 'Shipped', SHIRT, 2),
      refund(number, idOf(number, 'b'), { status: 'Cancelled' }),
      refund(number, idOf(number, 'b'), { status: 'Created' }),
      refund(number, idOf(number, 'b')),
      refund(number, idOf(number, 'c'), { isRefunded: true }),
    ],
    ends: [
      {
        ...COLLECTED,
        back: ['1 TEE-BLK-M noted', '1 TEE-BLK-M paid back'],
        money: '349.00',
        left: ['refund-goods held unknown-word'],
      },
    ],
  },
  {
    name: 'endless aisle, with its sale and receipt, and one piece back that the POS paid',
    paid: 'none',
    built(number) {
      const sold = posSale(number, SHIRT, 'TEE-BLK-M', 349)
      return [
        recorded('OmniChannelEndlessAisleOrderCreated', endlessAisle(sold)),
        recorded('SaleCreated', sale(sold)),
        recorded('OmniChannelSendReceiptCreated', receipt({ sendReceipt: sale(sold) })),
        refund(number, idOf(number, 'd'), { isRefunded: true }),
      ]
    },
    ends: [{ ...UNTOUCHED, total: '698.00', back: ['1 TEE-BLK-M noted'] }],
  },
  {
    name: 'a web order on which a store works, and an order of a POS that comes to have its number',
    built: (number) => [
      update(number, idOf(number, 'a'), 'Picked', SOCKS, 1),
      update(number, idOf(number, 'a'), 'Shipped', SOCKS, 1),
      recorded('OmniChannelEndlessAisleOrderCreated', endlessAisle(posSale(number, '7090012340028', 'CAP', 199))),
      refund(number, idOf(number, 'b'), { orderLines: [{ gtin: SOCKS, quantity: 1, id: null, status: 'Returned' }] }),
    ],
    ends: [
      { ...COLLECTED, back: ['1 SOCKS-GRY paid back'], money: '149.90' },
      { ...UNTOUCHED, total: '398.00' },
    ],
  },
  {
    name: 'a web order and an order of a POS that have one number, and a store works on both',
    built: (number) => [
      recorded('OmniChannelEndlessAisleOrderCreated', endlessAisle(posSale(number, '7090012340028', 'CAP', 199))),
      update(number, idOf(number, 'a'), 'Shipped', SOCKS, 1),
      update(number, idOf(number, 'f'), 'Shipped', '7090012340028', 2),
      refund(number, idOf(number, 'b'), { orderLines: [{ gtin: SOCKS, quantity: 1, id: null, status: 'Returned' }] }),
    ],
    ends: [
      { ...COLLECTED, back: ['1 SOCKS-GRY paid back'], money: '149.90' },
      { ...COLLECTED, total: '398.00' },
    ],
  },
]
