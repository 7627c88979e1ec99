import type { GiftCardBooking, InvoiceBooking } from '../../../domain/books/bookings.ts'
import { amount, currency, day, defineTables, personal, text, time } from './columns.ts'

export const invoiceTables = defineTables<InvoiceBooking>(
  ({ storeNo, stockId, day, invoice }) => ({ storeNo: storeNo ?? invoice.storeNo, stockId, day }),
  ({ head }) => [
    head('invoices', [
      text('invoice_id', ({ invoice }) => invoice.invoiceId),
      text('invoice_no', ({ invoice }) => invoice.number),
      text('receipt_no', ({ invoice }) => invoice.receiptNo),
      text('pos_id', ({ invoice }) => invoice.posId),
      time('made_at', ({ invoice }) => invoice.at),
      day('invoiced_on', ({ invoice }) => invoice.invoicedOn),
      day('due_on', ({ invoice }) => invoice.dueOn),
      currency('currency', ({ invoice }) => [invoice.amount, invoice.vatTotal]),
      amount('amount', ({ invoice }) => invoice.amount),
      amount('vat_total', ({ invoice }) => invoice.vatTotal),
      personal('customer_id', ({ invoice }) => invoice.customer.customerId),
      personal('customer_name', ({ invoice }) => invoice.customer.name),
      personal('customer_email', ({ invoice }) => invoice.customer.email),
    ]),
  ],
)

export const giftCardTables = defineTables<GiftCardBooking>(
  ({ storeNo, stockId, day, transaction }) => ({ storeNo: storeNo ?? transaction.storeNo, stockId, day }),
  ({ head }) => [
    head('gift_card_transactions', [
      text('transaction_id', ({ transaction }) => transaction.transactionId),
      text('gift_card_id', ({ transaction }) => transaction.giftCardId),
      text('type', ({ transaction }) => transaction.type),
      text('receipt_no', ({ transaction }) => transaction.receiptNo),
      text('pos_id', ({ transaction }) => transaction.posId),
      time('made_at', ({ transaction }) => transaction.at),
      currency('currency', ({ transaction }) => [transaction.amount, transaction.balance]),
      amount('amount', ({ transaction }) => transaction.amount),
      amount('balance', ({ transaction }) => transaction.balance),
    ]),
  ],
)
