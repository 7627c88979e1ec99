import type { Catalogue } from '../products/catalogue.ts'
import type { Order, ProductLine, Status } from './order.ts'

export const PAYABLE: readonly Status[] = ['pending', 'failed', 'on-hold', 'cancelled']

/** Whether the shop waits for money, and so whether `set_paid` does anything to an order that exists. */
export function needsPayment(order: Order): boolean {
  return (order.status === 'pending' || order.status === 'failed') && order.totals.total.gt(0)
}

/** Whether somebody must do something before the order is complete: not where the shop knows none of its products. */
export function needsProcessing(order: Order, catalogue: Catalogue): boolean {
  return order.lines.some((line) => productOf(line, catalogue) !== undefined)
}

export function productOf(line: ProductLine, catalogue: Catalogue) {
  return catalogue.get(line.variationId || line.productId)
}
