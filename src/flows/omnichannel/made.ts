import { POS_ORDER_CREATED, requirePieces, type TillOrder, tillOrder } from '../../domain/orders/order.ts'
import { makingEntity } from '../../domain/orders/order-entity.ts'
import * as facts from '../../domain/orders/order-facts.ts'
import type { SaleClaim } from '../../domain/orders/sale-evidence.ts'
import { type Event, keyPart, PLATFORM, payloadOf } from '../../domain/queue/event.ts'
import { HeldError } from '../../domain/values/errors.ts'
import { text } from '../../domain/values/field.ts'
import { idText } from '../../domain/values/id.ts'
import { basketOrder } from '../../payloads/basket.ts'
import { readSale } from '../../payloads/sale.ts'
import { endlessAisleIdentity } from '../../payloads/sale-identity.ts'
import { readable } from '../../payloads/unread.ts'
import type { Flow } from '../flow.ts'
import { unreadable } from './told.ts'
import { orders } from './update.ts'

/** Endless aisle: what was sold and paid at a till becomes an order of the online shop. */
export const createOrder: Flow = {
  ...orders,
  name: 'create-order',
  kinds: [POS_ORDER_CREATED],
  method: 'create',
  clock: 'created',
  plan({ entity, payload }) {
    const orderNo = idText(payload, 'orderNo')
    return [{ part: '', entity: orderNo === null ? entity : makingEntity(orderNo) }]
  },
  claims: claimsSold,
  prior(event) {
    const orderNo = text(payloadOf(event), 'orderNo')
    return orderNo === null ? [] : [facts.anyReturned(orderNo)]
  },
  call(event, _, { released, prior }) {
    const order = requirePieces(tillOrder(readSale(readable(event))), released !== null)
    const moved = released === null ? prior.find((effect) => isOfGoods(effect, order)) : undefined
    if (moved !== undefined)
      throw new HeldError(
        `before this order of a POS came, goods that it has came back under its number ${order.number}, and the shop did what the refund ${refundIn(moved)} says: perhaps to another order of that number. Look at that order in the shop, put right what went to the wrong customer, then release this to make the order`,
        { code: 'ambiguous-order' },
      )
    return { port: 'orders', method: 'create', argument: order }
  },
}

/** The Online Checkout button of the till: the basket waits in the shop for the customer to pay. */
export const draftOrder: Flow = {
  ...orders,
  name: 'draft-order',
  kinds: ['SavedForOnlineCheckoutCreated'],
  method: 'draft',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event, _, { released }) => ({
    port: 'orders',
    method: 'draft',
    argument: requirePieces(basketOrder(readable(event)), released !== null),
  }),
}

/** Whether goods of a line came back that the order has, by its row or its article. */
function isOfGoods(effect: string, { lines }: TillOrder): boolean {
  const key = effect.split('/')[4]
  return lines.some(({ rowId, gtin }) => [rowId, gtin].some((name) => name !== null && keyPart(name) === key))
}

function refundIn(effect: string): string {
  return decodeURIComponent(effect.split('/')[3] ?? '')
}

/** Goods go out for it: that somebody paid is the platform's word, not that of whoever has the webhook token. */
function claimsSold(event: Event): SaleClaim {
  const payload = payloadOf(event)
  const sale = endlessAisleIdentity(payload, PLATFORM) ?? unreadable('what the sale is told apart by')
  const number = idText(payload, 'orderNo') ?? text(payload, 'receiptNo')
  return { is: 'sold', kind: event.kind, sale, named: `the sale of order ${number}` }
}
