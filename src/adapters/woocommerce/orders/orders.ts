import { z } from 'zod'
import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import { money } from '../../../domain/values/money.ts'
import type { Question } from '../../../ports/attempt.ts'
import { type GivenOrder, type OrdersPort, refundedOrder } from '../../../ports/ports.ts'
import { idsThere, type OrderThere, talliedOrder } from '../../shared/orders-there.ts'
import { ordersBySteps } from '../../shared/shop-orders.ts'
import { PAGE_SIZE, readOne, type ShopApi } from '../api.ts'
import { amount, optional, readable } from '../document.ts'
import { isOff, META, metaOf, ShopOrder } from '../shop-order.ts'
import { create, draft } from './create.ts'
import { collected, ready, ship } from './fulfilment.ts'
import { locateOrder } from './locate-order.ts'
import { findByKeys, type OrderContext } from './order-context.ts'
import { refundsOf, refundsWith } from './refunds.ts'
import { decline, expire, returnGoods } from './reversals.ts'

/** No more than is needed: a field that a plugin changed must not fail it. */
const Listed = ShopOrder.pick({ id: true, status: true, currency: true, meta_data: true }).extend({
  total: optional(amount),
  refunds: readable(z.unknown()),
})

/** By id, a hundred a request (`include`). The list leaves out the trash and hidden statuses of plugins: those are read one by one. */
async function tally(
  api: Pick<ShopApi, 'get'>,
  given: readonly GivenOrder[],
  { signal }: Question,
): Promise<Tallied[]> {
  const orders = new Map<string, OrderThere>()
  const idsOfEach = await idsThere(given, (keys, since) => findByKeys(api, keys, since, signal))
  const ids = [...new Set(idsOfEach.flat())].filter((id) => /^[1-9]\d{0,14}$/.test(id))
  for (let start = 0; start < ids.length; start += PAGE_SIZE) {
    const some = ids.slice(start, start + PAGE_SIZE)
    const query = { include: some.join(','), status: 'any', per_page: String(PAGE_SIZE), _fields: FIELDS }
    const { value } = await api.get('/orders', query, z.array(Listed), signal)
    for (const order of value) orders.set(String(order.id), orderThere(order))
    for (const id of some.filter((one) => !orders.has(one))) {
      const order = await readOne(api, `/orders/${id}`, Listed, signal)
      if (order) orders.set(id, orderThere(order))
    }
  }
  return given.map((one, index) => talliedOrder(one, idsOfEach[index] ?? [], orders))
}

const FIELDS = 'id,status,currency,total,refunds,meta_data'

/** After a refund or a cancellation the total is not the POS's any more. */
function orderThere(order: z.output<typeof Listed>): OrderThere {
  const { status, refunds, total, currency } = order
  const isChanged = refunds.length > 0 || isOff(order)
  const amount = isChanged || total === null ? null : money(total, currency)
  const key = metaOf(order, META.key)
  return { key, gone: status === 'trash' ? 'in the trash' : null, isOff: isOff(order), amount }
}

/**
 * The shop has no idempotency key and no filter by meta data: each effect is found by its mark in meta data, or in the reason of a refund.
 */
export function createWooOrders(context: OrderContext): Required<Omit<OrdersPort, 'search'>> {
  return {
    ...ordersBySteps({
      create: (order, attempt, find) => create(context, order, attempt, find),
      draft: (basket, attempt, find) => draft(context, basket, attempt, find),
      ready: (order, attempt, find) => ready(context, order, attempt, find),
      collected: (order, attempt, find) => collected(context, order, attempt, find),
      decline: (declined, attempt, find) => decline(context, declined, attempt, find),
      expire: (order, attempt, find) => expire(context, order, attempt, find),
      ship: (parcel, attempt, find) => ship(context, parcel, attempt, find),
      refund: (returned, attempt, find) => returnGoods(context, returned, attempt, { payBack: true, find }),
      noteRefund: (returned, attempt, find) => returnGoods(context, returned, attempt, { payBack: false, find }),
    }),
    tally: (given, question) => tally(context.api, given, question),
    async countRefunds(call, attempt) {
      const order = await locateOrder(context, refundedOrder(call), attempt)
      return refundsWith(attempt.key, await refundsOf(context, order, attempt.signal)).length
    },
  }
}
