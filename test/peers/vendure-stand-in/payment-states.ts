import { type Refused, refused } from './fault.ts'
import type { Order } from './order.ts'
import type { Payment } from './records.ts'

/** Where a payment may go from each state, in Vendure's default process. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  Created: ['Authorized', 'Settled', 'Declined', 'Error', 'Cancelled'],
  Authorized: ['Settled', 'Error', 'Cancelled'],
  Settled: ['Cancelled'],
  Declined: ['Cancelled'],
  Error: ['Cancelled'],
}

/** Moves a payment on, where the process lets it; the order's history tells of it. One that stays where it is says nothing. */
export function movePayment(order: Order, payment: Payment, to: string): Payment | Refused {
  const { id, state: from } = payment
  if (from === to) return payment
  if (!NEXT[from]?.includes(to))
    return refused('PaymentStateTransitionError', {
      ...{ transitionError: 'no such transition', fromState: from, toState: to },
    })
  payment.state = to
  order.entries.push({ type: 'ORDER_PAYMENT_TRANSITION', isPublic: true, data: { paymentId: Number(id), from, to } })
  return payment
}
