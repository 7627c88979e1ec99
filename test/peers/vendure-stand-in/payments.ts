import { argumentOf, type Input, listOf, numberOf, textOf, textOrNull } from './argument.ts'
import type { Books, ServiceCall } from './books.ts'
import { GraphqlFault, type Refused, refused } from './fault.ts'
import type { Order } from './order.ts'
import { movePayment } from './payment-states.ts'
import { type Payment, type Refund, refundedOf } from './records.ts'
import { moveOrder } from './states.ts'

const BEFORE_REFUNDS = new Set(['AddingItems', 'ArrangingPayment', 'PaymentAuthorized'])

export function createPayments(books: Books) {
  function isRefused(call: ServiceCall): boolean {
    const index = books.refusals.indexOf(call)
    if (index < 0) return false
    books.refusals.splice(index, 1)
    return true
  }

  /** A payment method without a service leaves its refunds to people. */
  function refund(payment: Payment, total: number, given: Pick<Refund, 'reason' | 'lines'>): Refund {
    const hasService = books.paymentMethods.some(({ code }) => code === payment.method)
    const id = books.nextId()
    const done = { ...given, id, total, state: 'Pending', transactionId: null }
    const answered = isRefused('createRefund') ? { state: 'Failed' } : { state: 'Settled', transactionId: `back-${id}` }
    const refunded = hasService ? { ...done, ...answered } : done
    payment.refunds.push(refunded)
    return refunded
  }

  return {
    addManualPaymentToOrder(given: Input): Order | Refused {
      const input = argumentOf(given, 'input')
      const order = books.order(textOf(input, 'orderId'))
      if (order.state !== 'ArrangingPayment' && order.state !== 'ArrangingAdditionalPayment')
        return refused('ManualPaymentStateError')
      if (input.metadata === undefined)
        throw new GraphqlFault('SqliteError: NOT NULL constraint failed: payment.metadata', null)
      const amount = order.totalWithTax - order.settled
      const { metadata } = input
      const named = { method: textOf(input, 'method'), transactionId: textOrNull(input, 'transactionId'), metadata }
      const payment = { id: books.nextId(), amount, state: 'Created', refunds: [], ...named }
      order.payments.push(payment)
      movePayment(order, payment, 'Settled')
      if (order.state === 'ArrangingPayment') moveOrder(order, 'PaymentSettled')
      return order
    },
    modifyOrder(given: Input): Order | Refused {
      const input = argumentOf(given, 'input')
      const order = books.order(textOf(input, 'orderId'))
      const surcharges = listOf(input, 'surcharges')
      if (order.state !== 'Modifying') return refused('OrderModificationStateError')
      if (surcharges.length === 0) return refused('NoChangesSpecifiedError')
      const change = surcharges.reduce((sum, surcharge) => sum + numberOf(surcharge, 'price'), 0)
      const { refund: wanted } = input
      if (change < 0 && !wanted) return refused('RefundPaymentIdMissingError')
      for (const surcharge of surcharges)
        order.surcharges.push({
          description: textOf(surcharge, 'description'),
          sku: textOrNull(surcharge, 'sku'),
          priceWithTax: numberOf(surcharge, 'price'),
        })
      if (change < 0) {
        const { payment } = books.payment(textOf(wanted, 'paymentId'))
        refund(payment, numberOf(wanted, 'amount'), { reason: textOrNull(wanted, 'reason'), lines: [] })
      }
      return order
    },
    settlePayment(given: Input): Payment | Refused {
      const { order, payment } = books.payment(textOf(given, 'id'))
      const moved = movePayment(order, payment, isRefused('settlePayment') ? 'Error' : 'Settled')
      if (moved !== payment) return moved
      if (payment.state !== 'Settled') return refused('SettlePaymentError')
      if (order.state === 'PaymentAuthorized') moveOrder(order, 'PaymentSettled')
      return payment
    },
    cancelPayment(given: Input): Payment | Refused {
      const { order, payment } = books.payment(textOf(given, 'id'))
      const moved = movePayment(order, payment, isRefused('cancelPayment') ? 'Error' : 'Cancelled')
      if (moved !== payment) return moved
      return payment.state === 'Cancelled' ? payment : refused('CancelPaymentError')
    },
    refundOrder(given: Input): Refund | Refused {
      const input = argumentOf(given, 'input')
      const { order, payment } = books.payment(textOf(input, 'paymentId'))
      const amount = numberOf(input, 'amount')
      if (BEFORE_REFUNDS.has(order.state)) return refused('RefundOrderStateError', { orderState: order.state })
      if (amount > payment.amount - refundedOf(payment)) return refused('RefundAmountError')
      if (input.shipping === undefined || input.adjustment === undefined)
        throw new GraphqlFault('SqliteError: NOT NULL constraint failed: refund.shipping', null)
      const lines = listOf(input, 'lines').map((line) => ({
        orderLineId: textOf(line, 'orderLineId'),
        quantity: numberOf(line, 'quantity'),
      }))
      return refund(payment, amount, { reason: textOrNull(input, 'reason'), lines })
    },
    settleRefund(given: Input): Refund {
      const { refund: found } = books.refund(textOf(given.input, 'id'))
      if (found.state === 'Settled')
        throw new GraphqlFault('Cannot transition Refund from "Settled" to "Settled"', 'ILLEGAL_OPERATION')
      return Object.assign(found, { state: 'Settled', transactionId: textOf(given.input, 'transactionId') })
    },
  }
}
