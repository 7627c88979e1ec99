import type { OrderUpdate } from '../../../domain/orders/order-update.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import { META, metaOf } from '../people/shop-order.ts'
import { wasPaid } from '../refunds/was-paid.ts'
import { locateOrder } from './locate-order.ts'
import { changeOrder, type OrderContext } from './order-context.ts'
import { noteOfEnd } from './order-off.ts'

/** The customer has it. With the status, payment plugins capture what they reserved, and cash counts as paid. */
export async function collected(
  context: OrderContext,
  update: OrderUpdate,
  attempt: Attempt,
  find = false,
): Promise<Effect | null> {
  const order = await locateOrder(context, update, attempt)
  const { number, status } = order
  const ours = metaOf(order, META.collected) === attempt.key
  if (ours) return { note: `order ${number}, ${status}` }
  if (find) return null
  const { collected: target } = context.options.statuses
  if (status === target) return { note: `order ${number} is ${status} already` }
  const end = await noteOfEnd(context, order, 'the customer has fetched it', attempt.signal)
  if (end !== null) return { note: end }
  const marks = wasPaid(context, order) ? [META.collected] : [META.collected, META.paidWhenCollected]
  const changes = { status: target, meta_data: marks.map((key) => ({ key, value: attempt.key })) }
  const changed = await changeOrder(context, order, changes, attempt.signal)
  return { note: `order ${number}, ${changed.status}` }
}
