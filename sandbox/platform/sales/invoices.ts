import { toAmount } from './amounts.ts'
import { storeDay } from './clock.ts'
import { type Receipt, salePayload } from './sale-payload.ts'

const DAY = 86_400_000
const DAYS_TO_PAY = 14

/** The payload of InvoiceCreated. Nothing shows this payload; the shape is the sandbox's own. */
export function invoicePayload(receipt: Receipt, saleId: number, instant: number) {
  const { receiptNo, orderLines, store, customer, total, vatTotal, createdDateTime } = salePayload(receipt)
  const amount = toAmount(
    receipt.payments.filter(({ type }) => type === 'Invoice').reduce((sum, { cents }) => sum + cents, 0),
  )
  return {
    companyId: 7,
    invoiceId: 820_000 + (saleId % 100_000),
    invoiceNo: `F-${saleId % 100_000}`,
    saleId,
    receiptNo,
    storeId: receipt.store.StoreId,
    store,
    customer,
    currency: receipt.store.Currency,
    amount,
    total,
    vatTotal,
    invoiceDate: storeDay(instant, receipt.store),
    dueDate: storeDay(instant + DAYS_TO_PAY * DAY, receipt.store),
    createdDateTime,
    orderLines,
  }
}
