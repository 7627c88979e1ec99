import { GIFT_CARD, INVOICE, TERMINAL } from './known-sales.ts'
import { type Decimal, type Money, money } from './money.ts'
import { type FieldReader, fieldsOf } from './read-field.ts'

/*
 * Money in stores besides sales and settlements. The spec does not show these payloads: what their fields are called stands in
 * the table of kinds (known-sales), and what is not there is null. `at` is the store's wall clock, as written.
 */

/** Where it happened. */
interface Place {
  storeNo: string | null
  posId: string | null
  at: string | null
}

/** A sale that is paid later (spec, Events 6). */
export interface Invoice extends Place {
  invoiceId: string | null
  number: string | null
  receiptNo: string | null
  /** To be paid; null: the payload does not say. */
  amount: Money | null
  vatTotal: Money | null
  invoicedOn: string | null
  dueOn: string | null
  customer: { customerId: string | null; name: string | null; email: string | null }
}

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

/** A gift card was sold or paid with (spec, Events 23). */
export interface GiftCardTransaction extends Place {
  transactionId: string | null
  giftCardId: string | null
  /** `Issued`, `Used`, `PartlyUsed`, as written. */
  type: string | null
  /** Below 0: it was paid with. */
  amount: Money | null
  balance: Money | null
  receiptNo: string | null
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

/** A bank terminal counted what went over it (spec, Events 22). */
export interface TerminalReconciliation extends Place {
  reconciliationId: string | null
  terminalId: string | null
  amount: Money | null
  count: Decimal | null
  /** By card scheme. */
  schemes: { scheme: string; count: Decimal | null; amount: Money | null }[]
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

function placeOf(read: FieldReader): Place {
  return { storeNo: read.text('storeNo'), posId: read.text('posId'), at: read.text('at') }
}

function amount(read: FieldReader, name: string, currency: string | null): Money | null {
  const found = read.decimal(name)
  return found === null || currency === null ? null : money(found, currency)
}
