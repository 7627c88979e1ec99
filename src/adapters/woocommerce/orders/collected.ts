import type { OrderUpdate } from '../../../domain/orders/order-update.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import { META, metaOf } from '../people/shop-order.ts'
import { wasPaid } from '../refunds/was-paid.ts'
import { changeOrder, type Desk } from './desk.ts'
import { locateOrder } from './locate-order.ts'
import { noteOfEnd } from './order-off.ts'

/** The customer has it. With the status, payment plugins capture what they reserved, and cash counts as paid. */
export async function collected(
  desk: Desk,
  update: OrderUpdate,
  attempt: Attempt,
  find = false,
): Promise<Effect | null> {
  const order = await locateOrder(desk, update, attempt)
  const { number, status } = order
  const ours = metaOf(order, META.collected) === attempt.key
  if (ours) return { note: `order ${number}, ${status}` }
  if (find) return null
  const { collected: target } = desk.options.statuses
  if (status === target) return { note: `order ${number} is ${status} already` }
  const end = await noteOfEnd(desk, order, 'the customer has fetched it', attempt.signal)
  if (end !== null) return { note: end }
  const marks = wasPaid(desk, order) ? [META.collected] : [META.collected, META.paidWhenCollected]
  const changes = { status: target, meta_data: marks.map((key) => ({ key, value: attempt.key })) }
  const changed = await changeOrder(desk, order, changes, attempt.signal)
  return { note: `order ${number}, ${changed.status}` }
}
