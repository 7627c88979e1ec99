import type { Decimal, Money } from '../values/money.ts'

/*
 * Money in stores besides sales and settlements. The spec does not show these payloads: what their fields are called stands in
 * the table of kinds (known-sales), and what is not there is null. `at` is the store's wall clock, as written.
 */

/** Where it happened. */
export interface TillPlace {
  storeNo: string | null
  posId: string | null
  at: string | null
}

/** A sale that is paid later (spec, Events 6). */
export interface Invoice extends TillPlace {
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

/** A gift card was sold or paid with (spec, Events 23). */
export interface GiftCardTransaction extends TillPlace {
  transactionId: string | null
  giftCardId: string | null
  /** `Issued`, `Used`, `PartlyUsed`, as written. */
  type: string | null
  /** Below 0: it was paid with. */
  amount: Money | null
  balance: Money | null
  receiptNo: string | null
}

/** A bank terminal counted what went over it (spec, Events 22). */
export interface TerminalReconciliation extends TillPlace {
  reconciliationId: string | null
  terminalId: string | null
  amount: Money | null
  count: Decimal | null
  /** By card scheme. */
  schemes: { scheme: string; count: Decimal | null; amount: Money | null }[]
}
