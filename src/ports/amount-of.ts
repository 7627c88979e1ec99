import type { Money } from '../domain/values/money.ts'
import type { Call } from './ports.ts'

/** The amount that a call is about, by which both sides can be compared; null: it has none. Pure. */
export function amountOf(call: Call): Money | null {
  if (call.port === 'orders') return call.method === 'create' ? call.argument.total : null
  if (call.port !== 'backOffice') return null
  switch (call.method) {
    case 'bookSale':
      return call.argument.sale.total
    case 'bookInvoice':
      return call.argument.invoice.amount
    case 'bookSettlement':
      return call.argument.settlement.grandTotal
    case 'bookGiftCard':
      return call.argument.transaction.amount
    case 'bookTerminal':
      return call.argument.reconciliation.amount
    default:
      return null
  }
}
