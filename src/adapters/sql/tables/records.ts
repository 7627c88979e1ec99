import { BOOKING_NAMES, type BookingName, type Bookings } from '../../../domain/books/bookings.ts'
import type { Table } from './columns.ts'
import { adjustmentTables, countTables } from './counts.ts'
import { costTables, deliveryTables, receivedTables } from './deliveries.ts'
import { saleTables } from './sales.ts'
import { settlementTables } from './settlements.ts'
import { movementTables, reservationTables } from './stock.ts'
import { giftCardTables, invoiceTables } from './takings.ts'
import { terminalTables } from './terminals.ts'
import { transferTables } from './transfers.ts'

/** The operators' name of a record: the table that has one row for it. */
const NAMES = {
  bookSale: 'sales',
  bookInvoice: 'invoices',
  bookSettlement: 'settlements',
  bookReceived: 'received_goods',
  bookCost: 'cost_changes',
  bookDelivery: 'deliveries',
  bookMovement: 'stock_movements',
  bookCount: 'stock_counts',
  bookAdjustment: 'adjustments',
  bookTransfer: 'transfers',
  bookGiftCard: 'gift_card_transactions',
  bookTerminal: 'terminal_reconciliations',
  bookReservation: 'reservations',
} as const satisfies Record<BookingName, string>

export type RecordName = (typeof NAMES)[BookingName]

export const RECORD_NAMES: readonly RecordName[] = BOOKING_NAMES.map((name) => NAMES[name])

/** The tables of each record: the first has one row for it, the others its lines. */
type RecordTables = { [Name in BookingName]: (customers: boolean) => Table<Bookings[Name]>[] }

const TABLES: RecordTables = {
  bookSale: saleTables,
  bookInvoice: invoiceTables,
  bookSettlement: settlementTables,
  bookReceived: receivedTables,
  bookCost: costTables,
  bookDelivery: deliveryTables,
  bookMovement: movementTables,
  bookCount: countTables,
  bookAdjustment: adjustmentTables,
  bookTransfer: transferTables,
  bookGiftCard: giftCardTables,
  bookTerminal: terminalTables,
  bookReservation: reservationTables,
}

/** A kind of record that a destination takes. */
export interface TakenRecord {
  method: BookingName
  /** The type of a record is known to its method alone. */
  tables: Table<unknown>[]
}

/** `only`: the names of those that are taken; undefined: all. */
export function recordsTaken(only: readonly RecordName[] | undefined, customers: boolean): TakenRecord[] {
  return BOOKING_NAMES.filter((method) => only?.includes(NAMES[method]) ?? true).map((method) => ({
    method,
    tables: TABLES[method](customers) as Table<unknown>[],
  }))
}
