import { requirePieces, tillOrder } from '../../domain/orders/order.ts'
import { makingEntity } from '../../domain/orders/order-entity.ts'
import type { SaleClaim } from '../../domain/orders/sale-evidence.ts'
import { type Event, PLATFORM, payloadOf } from '../../domain/queue/event.ts'
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
  kinds: ['OmniChannelEndlessAisleOrderCreated'],
  method: 'create',
  clock: 'created',
  plan({ entity, payload }) {
    const orderNo = idText(payload, 'orderNo')
    return [{ part: '', entity: orderNo === null ? entity : makingEntity(orderNo) }]
  },
  claims: claimsSold,
  call: (event, _, { released }) => ({
    port: 'orders',
    method: 'create',
    argument: requirePieces(tillOrder(readSale(readable(event))), released !== null),
  }),
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

/** Goods go out for it: that somebody paid is the platform's word, not that of whoever has the webhook token. */
function claimsSold(event: Event): SaleClaim {
  const payload = payloadOf(event)
  const sale = endlessAisleIdentity(payload, PLATFORM) ?? unreadable('what the sale is told apart by')
  const number = idText(payload, 'orderNo') ?? text(payload, 'receiptNo')
  return { is: 'sold', kind: event.kind, sale, named: `the sale of order ${number}` }
}
