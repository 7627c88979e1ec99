import type { BookingName } from '../../../domain/books/bookings.ts'
import type { TalliedTable } from '../dialect.ts'

/** The columns of a table by which its rows can be compared with what they were made of. */
interface Fact {
  /** Columns that tell one fact from all others, whatever its key; null: several rows of them are as they should be. */
  by: readonly string[] | null
  amount: TalliedTable['amount']
}

const NO_AMOUNT = { amount: null }
const stepped = (id: string): Fact => ({ by: [id, 'step'], ...NO_AMOUNT })
const plain = (id: string): Fact => ({ by: [id], ...NO_AMOUNT })
const paid = (id: string, column: string): Fact => ({ by: [id], amount: { column, currency: 'currency' } })

/** Each record by the table that has one row for it. A sale is told apart as the platform does: store, till, receipt and day. */
export const FACTS: Readonly<Record<BookingName, Fact>> = {
  bookSale: { by: ['store_no', 'pos_id', 'receipt_no', 'day'], amount: { column: 'total', currency: 'currency' } },
  bookInvoice: paid('invoice_id', 'amount'),
  bookSettlement: paid('settlement_id', 'grand_total'),
  // Goods of one delivery come in parts, and costs change again.
  bookReceived: { by: null, ...NO_AMOUNT },
  bookCost: { by: null, ...NO_AMOUNT },
  bookDelivery: { by: null, ...NO_AMOUNT },
  bookMovement: plain('movement_id'),
  bookCount: plain('count_id'),
  bookAdjustment: plain('adjustment_id'),
  bookTransfer: stepped('transfer_id'),
  bookGiftCard: paid('transaction_id', 'amount'),
  bookTerminal: paid('reconciliation_id', 'amount'),
  bookReservation: stepped('reservation_id'),
}
