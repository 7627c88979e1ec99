import { POS_ORDER_CREATED, type PosOrder, posOrder, requirePieces } from '../domain/orders/order.ts'
import type { SaleAssertion } from '../domain/orders/order-evidence.ts'
import * as facts from '../domain/orders/order-facts.ts'
import { makingEntity } from '../domain/orders/order-facts.ts'
import { type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { field, idText, text } from '../domain/values/field.ts'
import { endlessAisleIdentity } from '../platform/payloads/kinds.ts'
import { BASKET } from '../platform/payloads/known/kinds.ts'
import { fieldsOf } from '../platform/payloads/read-field.ts'
import { readSale } from '../platform/payloads/sale.ts'
import { readable } from '../platform/payloads/unread.ts'
import { priorEffects } from './context.ts'
import type { Flow } from './flow.ts'
import { undoes, verifyWithPlatform } from './guards.ts'
import { submission } from './master-data.ts'
import { orders, unreadable } from './update.ts'

const createOrder: Flow = {
  ...orders,
  name: 'create-order',
  kinds: [POS_ORDER_CREATED],
  method: 'create',
  clock: 'created',
  plan({ entity, payload }) {
    const orderNo = idText(payload, 'orderNo')
    return [{ part: '', entity: orderNo === null ? entity : makingEntity(orderNo) }]
  },
  guards: [
    priorEffects((event) => {
      const orderNo = text(payloadOf(event), 'orderNo')
      return orderNo === null ? [] : [facts.anyReturned(orderNo)]
    }),
    verifyWithPlatform(soldAssertion),
  ],
  call(event, _, { released, prior }) {
    const order = requirePieces(posOrder(readSale(readable(event))), released !== null)
    const moved = released === null ? prior.find((effect) => isOfGoods(effect, order)) : undefined
    if (moved !== undefined)
      throw new HeldError(
        `before this order of a POS came, goods that it has came back under its number ${order.number}, and the shop did what the refund ${decodeURIComponent(moved.split('/')[3] ?? '')} says: perhaps to another order of that number. Look at that order in the shop, put right what went to the wrong customer, then release this to make the order`,
        { code: 'ambiguous-order' },
      )
    return { port: 'orders', method: 'create', argument: order }
  },
}

const draftOrder: Flow = {
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

function isOfGoods(effect: string, { lines }: PosOrder): boolean {
  const key = effect.split('/')[4]
  return lines.some(({ rowId, gtin }) => [rowId, gtin].some((name) => name !== null && keyPart(name) === key))
}

function soldAssertion(event: Event): SaleAssertion {
  const payload = payloadOf(event)
  const sale = endlessAisleIdentity(payload) ?? unreadable('what the sale is distinguished by')
  const number = idText(payload, 'orderNo') ?? text(payload, 'receiptNo')
  return { is: 'sold', kind: event.kind, sale, named: `the sale of order ${number}` }
}

const submitOrder: Flow = submission('submit-order', 'OrderSubmitted', 'createOrder', {
  atMostOnce: true,
  urgency: 'prompt',
  clock: 'placed',
  plan({ entity, payload }) {
    const orderNo = idText(payload, 'orderNo')
    if (orderNo === null) return [{ part: '', entity }]
    // A delayed order must not reach the store after its cancellation.
    return [{ part: '', entity, effect: facts.placed(orderNo), unless: [facts.cancelled(orderNo)] }]
  },
})

const changeOrder: Flow = submission('change-order', 'OrderChangeSubmitted', 'changeOrder', {
  urgency: 'prompt',
  latestWins: true,
  // Digests of orders would be stored for ever.
  plan: ({ entity, payload }) => [
    { part: '', entity, unless: [facts.cancelled(idText(payload, 'orderNo') ?? '')], version: null },
  ],
})

/** A cancelled order that no store ever had is not reported. */
const cancelOrder: Flow = submission('cancel-order', 'OrderCancelSubmitted', 'cancelOrder', {
  kinds: ['OrderCancelSubmitted', 'OrderCalledOff'],
  urgency: 'prompt',
  guards: [undoes(submitOrder.name)],
  plan: ({ kind, entity }) => (kind === 'OrderCalledOff' ? [] : [{ part: '', entity }]),
  proves: ({ kind, payload }) => {
    const orderNo = idText(payload, 'orderNo')
    if (orderNo === null) return []
    return [kind === 'OrderCalledOff' ? facts.neverPlaced(orderNo) : facts.cancelled(orderNo)]
  },
})

export function basketOrder(payload: unknown): PosOrder {
  const read = fieldsOf(BASKET, payload)
  const number = read.text('number')
  if (number === null) throw new PermanentError('the basket has no number', { code: 'bad-basket' })
  const basket = Object(payload) as Record<string, unknown>
  const store = { ...Object(field(payload, 'store')), currency: read.text('currency') }
  return { ...posOrder(readSale({ ...basket, store, receiptNo: number })), number }
}

export const placement: readonly Flow[] = [createOrder, draftOrder, submitOrder, changeOrder, cancelOrder]
