import type { Delivery, DeliveryLine, Reservation, StockAdjustment, StockCount, Transfer } from '../catalogue/goods.ts'
import type { Movement } from '../catalogue/mirror.ts'
import type { Decimal, Money } from '../values/money.ts'
import type { Journal } from './journal.ts'
import type { Sale } from './sale.ts'
import type { Settlement } from './settlement.ts'

/*
 * What a back office (ERP, accounting, BI) is told of: one record a fact. Amounts are decimal text with their currency, times
 * the store's wall clock: as the platform wrote it, or converted where it wrote an offset.
 */

/** Where and when it happened. */
export interface BookingPlace {
  /** The retailer's own number of the store. Null: it is about none, or nobody says. */
  storeNo: string | null
  /** The platform's id of the store. */
  storeId: string | null
  /** The key that tells the store from all others: its number, `NO-7` where several countries have that number, else `id-1012`. */
  storeKey: string | null
  /** The store's country: ISO 3166, in capitals. */
  country: string | null
  /** The platform's id of the stock. */
  stockId: string | null
  /** The store's business day, `yyyy-mm-dd`. */
  day: string | null
}

/** A sale of a till, or one that was added from outside (an online order). */
export interface SaleBooking extends BookingPlace {
  external: boolean
  sale: Sale
}

export interface InvoiceBooking extends BookingPlace {
  invoice: Invoice
}

/** A day's takings of one till. `journal`: null where config has no accounts for it. */
export interface SettlementBooking extends BookingPlace {
  settlement: Settlement
  journal: Journal | null
  /** The person who released it although it does not balance, and why. */
  released: { by: string; reason: string } | null
}

/** Goods of a delivery that have come. `quantity`: those that this system was not told of before. */
export interface ReceivedBooking extends BookingPlace {
  delivery: Omit<Delivery, 'lines'>
  line: DeliveryLine
  quantity: Decimal
}

/** The cost of goods of a delivery, where it was changed. */
export interface CostBooking extends BookingPlace {
  delivery: Omit<Delivery, 'lines'>
  article: string
  gtin: string | null
  /** The cost of one piece. */
  cost: Money
}

/** A delivery that nothing more will come of. */
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

/** Goods left for another stock (`sent`), or have come (`received`). */
export interface TransferBooking extends BookingPlace {
  step: 'sent' | 'received'
  /** To or from a virtual stock. */
  virtual: boolean
  transfer: Transfer
}

export interface GiftCardBooking extends BookingPlace {
  transaction: GiftCardTransaction
}

export interface TerminalBooking extends BookingPlace {
  reconciliation: TerminalReconciliation
}

/** Goods are kept for somebody (`made`), or are not any more (`ended`). */
export interface ReservationBooking extends BookingPlace {
  step: 'made' | 'ended'
  reservation: Reservation
}

/** Every record, by the method of the back-office port that takes it. */
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

/** The names of all bookings. */
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
