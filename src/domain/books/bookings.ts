import type { Delivery, DeliveryLine, Reservation, StockAdjustment, StockCount, Transfer } from '../catalogue/goods.ts'
import type { Movement } from '../catalogue/mirror.ts'
import type { Decimal, Money } from '../values/money.ts'
import type { Journal } from './journal.ts'
import type { Sale } from './sale.ts'
import type { Settlement } from './settlement.ts'

/** Accounting records, one per fact. Amounts: decimal text with currency; times: store-local, converted if an offset was given. */

export interface BookingPlace {
  storeNo: string | null
  storeId: string | null
  /** Number, `NO-7` if several countries share it, else `id-1012`. */
  storeKey: string | null
  country: string | null
  stockId: string | null
  day: string | null
}

export interface SaleBooking extends BookingPlace {
  external: boolean
  sale: Sale
}

export interface InvoiceBooking extends BookingPlace {
  invoice: Invoice
}

export interface SettlementBooking extends BookingPlace {
  settlement: Settlement
  journal: Journal | null
  released: { by: string; reason: string } | null
}

export interface ReceivedBooking extends BookingPlace {
  delivery: Omit<Delivery, 'lines'>
  line: DeliveryLine
  quantity: Decimal
}

export interface CostBooking extends BookingPlace {
  delivery: Omit<Delivery, 'lines'>
  article: string
  gtin: string | null
  cost: Money
}

export interface DeliveryBooking extends BookingPlace {
  delivery: Delivery
}

export interface MovementBooking extends BookingPlace {
  movement: Movement
}

export interface CountBooking extends BookingPlace {
  count: StockCount
}

export interface AdjustmentBooking extends BookingPlace {
  adjustment: StockAdjustment
}

export interface TransferBooking extends BookingPlace {
  step: 'sent' | 'received'
  virtual: boolean
  transfer: Transfer
}

export interface GiftCardBooking extends BookingPlace {
  transaction: GiftCardTransaction
}

export interface TerminalBooking extends BookingPlace {
  reconciliation: TerminalReconciliation
}

export interface ReservationBooking extends BookingPlace {
  step: 'made' | 'ended'
  reservation: Reservation
}

export interface Bookings {
  bookSale: SaleBooking
  bookInvoice: InvoiceBooking
  bookSettlement: SettlementBooking
  bookReceived: ReceivedBooking
  bookCost: CostBooking
  bookDelivery: DeliveryBooking
  bookMovement: MovementBooking
  bookCount: CountBooking
  bookAdjustment: AdjustmentBooking
  bookTransfer: TransferBooking
  bookGiftCard: GiftCardBooking
  bookTerminal: TerminalBooking
  bookReservation: ReservationBooking
}

export type BookingName = keyof Bookings

export const BOOKING_NAMES = [
  'bookSale',
  'bookInvoice',
  'bookSettlement',
  'bookReceived',
  'bookCost',
  'bookDelivery',
  'bookMovement',
  'bookCount',
  'bookAdjustment',
  'bookTransfer',
  'bookGiftCard',
  'bookTerminal',
  'bookReservation',
] as const satisfies readonly BookingName[]

/**
 * Money besides sales and settlements. Payloads are undocumented: fields by the table of kinds, missing is null. `at`: store-local, as
 * written.
 */

export interface TillPlace {
  storeNo: string | null
  posId: string | null
  at: string | null
}

/** Spec, Events 6. */
export interface Invoice extends TillPlace {
  invoiceId: string | null
  number: string | null
  receiptNo: string | null
  amount: Money | null
  vatTotal: Money | null
  invoicedOn: string | null
  dueOn: string | null
  customer: { customerId: string | null; name: string | null; email: string | null }
}

/** Spec, Events 23. */
export interface GiftCardTransaction extends TillPlace {
  transactionId: string | null
  giftCardId: string | null
  type: string | null
  amount: Money | null
  balance: Money | null
  receiptNo: string | null
}

/** Spec, Events 22. */
export interface TerminalReconciliation extends TillPlace {
  reconciliationId: string | null
  terminalId: string | null
  amount: Money | null
  count: Decimal | null
  schemes: { scheme: string; count: Decimal | null; amount: Money | null }[]
}
