import type { Delivery, DeliveryLine, Reservation, StockAdjustment, StockCount, Transfer } from '../catalogue/goods.ts'
import type { Movement } from '../catalogue/mirror.ts'
import type { Texts } from '../values/field.ts'
import type { Decimal, Money } from '../values/money.ts'
import type { Journal } from './journal.ts'
import type { Sale } from './sale.ts'
import type { Settlement } from './settlement.ts'

/** Accounting records, one per fact. */
export type BookingPlace = Texts<'storeNo' | 'storeId' | 'storeKey' | 'country' | 'stockId' | 'day'>
type Booking<Fact> = BookingPlace & Fact
type DeliveryHead = Omit<Delivery, 'lines'>
export type SaleBooking = Booking<{ external: boolean; sale: Sale }>
export type InvoiceBooking = Booking<{ invoice: Invoice }>
export type SettlementBooking = Booking<{
  settlement: Settlement
  journal: Journal | null
  released: { by: string; reason: string } | null
}>
export type ReceivedBooking = Booking<{ delivery: DeliveryHead; line: DeliveryLine; quantity: Decimal }>
export type CostBooking = Booking<{ delivery: DeliveryHead; article: string; gtin: string | null; cost: Money }>
export type DeliveryBooking = Booking<{ delivery: Delivery }>
export type MovementBooking = Booking<{ movement: Movement }>
export type CountBooking = Booking<{ count: StockCount }>
export type AdjustmentBooking = Booking<{ adjustment: StockAdjustment }>
export type TransferBooking = Booking<{ step: 'sent' | 'received'; virtual: boolean; transfer: Transfer }>
export type GiftCardBooking = Booking<{ transaction: GiftCardTransaction }>
export type TerminalBooking = Booking<{ reconciliation: TerminalReconciliation }>
export type ReservationBooking = Booking<{ step: 'made' | 'ended'; reservation: Reservation }>

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

/** Money besides sales and settlements. Payloads are undocumented: fields by the table of kinds, missing is null. */
type TillPlace = Texts<'storeNo' | 'posId' | 'at'>

/** Spec, Events 6. */
export interface Invoice extends TillPlace, Texts<'invoiceId' | 'number' | 'receiptNo' | 'invoicedOn' | 'dueOn'> {
  amount: Money | null
  vatTotal: Money | null
  customer: Texts<'customerId' | 'name' | 'email'>
}

/** Spec, Events 23. */
export interface GiftCardTransaction extends TillPlace, Texts<'transactionId' | 'giftCardId' | 'type' | 'receiptNo'> {
  amount: Money | null
  balance: Money | null
}

/** Spec, Events 22. */
export interface TerminalReconciliation extends TillPlace, Texts<'reconciliationId' | 'terminalId'> {
  amount: Money | null
  count: Decimal | null
  schemes: { scheme: string; count: Decimal | null; amount: Money | null }[]
}
