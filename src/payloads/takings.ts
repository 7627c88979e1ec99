import type { GiftCardTransaction, Invoice, TerminalReconciliation, TillPlace } from '../domain/books/takings.ts'
import { type Money, money } from '../domain/values/money.ts'
import { GIFT_CARD, INVOICE, TERMINAL } from './known/sales.ts'
import { type FieldReader, fieldsOf } from './read-field.ts'

export function readInvoice(payload: unknown): Invoice {
  const read = fieldsOf(INVOICE, payload)
  const currency = read.text('currency')
  const person = [read.text('firstName'), read.text('lastName')].filter(Boolean).join(' ')
  return {
    ...placeOf(read),
    invoiceId: read.text('invoiceId'),
    number: read.text('number'),
    receiptNo: read.text('receiptNo'),
    amount: amount(read, 'amount', currency),
    vatTotal: amount(read, 'vatTotal', currency),
    invoicedOn: read.text('invoicedOn'),
    dueOn: read.text('dueOn'),
    customer: {
      customerId: read.text('customerId'),
      name: read.text('companyName') ?? (person || null),
      email: read.text('email'),
    },
  }
}

/** The card's token is as good as money: it is not read. */
export function readGiftCardTransaction(payload: unknown): GiftCardTransaction {
  const read = fieldsOf(GIFT_CARD, payload)
  const currency = read.text('currency')
  return {
    ...placeOf(read),
    transactionId: read.text('transactionId'),
    giftCardId: read.text('giftCardId'),
    type: read.text('type'),
    amount: amount(read, 'amount', currency),
    balance: amount(read, 'balance', currency),
    receiptNo: read.text('receiptNo'),
  }
}

export function readTerminalReconciliation(payload: unknown): TerminalReconciliation {
  const read = fieldsOf(TERMINAL, payload)
  const currency = read.text('currency')
  return {
    ...placeOf(read),
    reconciliationId: read.text('reconciliationId'),
    terminalId: read.text('terminalId'),
    amount: amount(read, 'amount', currency),
    count: read.decimal('count'),
    schemes: read.list('schemes').map((row) => ({
      scheme: row.text('scheme') ?? 'unknown',
      count: row.decimal('count'),
      amount: amount(row, 'amount', currency),
    })),
  }
}

function placeOf(read: FieldReader): TillPlace {
  return { storeNo: read.text('storeNo'), posId: read.text('posId'), at: read.text('at') }
}

function amount(read: FieldReader, name: string, currency: string | null): Money | null {
  const found = read.decimal(name)
  return found === null || currency === null ? null : money(found, currency)
}
