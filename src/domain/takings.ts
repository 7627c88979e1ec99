import { field, list, text } from './field.ts'
import { type Decimal, type Money, money } from './money.ts'
import { readDecimal } from './read-decimal.ts'

/*
 * Money in stores besides sales and settlements. The spec does not show these payloads: they are read by the names that the
 * platform uses elsewhere, and what is not there is null. `at` is the store's wall clock, as written.
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
  const customer = field(payload, 'customer')
  const currency = currencyOf(payload)
  const person = [text(customer, 'firstName'), text(customer, 'lastName')].filter(Boolean).join(' ')
  return {
    ...placeOf(payload),
    invoiceId: text(payload, 'invoiceId') ?? text(payload, 'id'),
    number: text(payload, 'invoiceNo'),
    receiptNo: text(payload, 'receiptNo'),
    amount: amount(payload, 'amount', currency) ?? amount(payload, 'total', currency),
    vatTotal: amount(payload, 'vatTotal', currency),
    invoicedOn: text(payload, 'invoiceDate'),
    dueOn: text(payload, 'dueDate'),
    customer: {
      customerId: text(customer, 'customerId'),
      name: text(customer, 'companyName') ?? (person || null),
      email: text(customer, 'email'),
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
  const currency = currencyOf(payload)
  return {
    ...placeOf(payload),
    transactionId: text(payload, 'transactionId') ?? text(payload, 'id'),
    giftCardId: text(payload, 'giftCardId'),
    type: text(payload, 'type'),
    amount: amount(payload, 'amount', currency),
    balance: amount(payload, 'balance', currency),
    receiptNo: text(payload, 'receiptNo'),
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
  const currency = currencyOf(payload)
  return {
    ...placeOf(payload),
    at: text(payload, 'printedDateTime') ?? text(payload, 'createdDateTime'),
    reconciliationId: text(payload, 'reconciliationId') ?? text(payload, 'id'),
    terminalId: text(payload, 'terminalId'),
    amount: amount(payload, 'amount', currency),
    count: readDecimal(payload, 'count'),
    schemes: list(payload, 'schemes').map((row) => ({
      scheme: text(row, 'scheme') ?? 'unknown',
      count: readDecimal(row, 'count'),
      amount: amount(row, 'amount', currency),
    })),
  }
}

function placeOf(payload: unknown): Place {
  const store = field(payload, 'store')
  return {
    storeNo: text(payload, 'storeExtId') ?? text(payload, 'storeNo') ?? text(store, 'storeExtId'),
    posId: text(payload, 'posId') ?? text(store, 'posId'),
    at: text(payload, 'createdDateTime'),
  }
}

function currencyOf(payload: unknown): string | null {
  return text(payload, 'currency') ?? text(field(payload, 'store'), 'currency')
}

function amount(payload: unknown, name: string, currency: string | null): Money | null {
  const found = readDecimal(payload, name)
  return found === null || currency === null ? null : money(found, currency)
}
