import type { Delivery, DeliveryLine, Reservation, StockAdjustment, StockCount, Transfer } from '../catalogue/goods.ts'
import type { Movement } from '../catalogue/mirror.ts'
import type { Texts } from '../values/field.ts'
import type { Decimal, Money } from '../values/money.ts'
import type { Journal } from './journal.ts'
import type { Sale } from './sale.ts'
import type { Settlement } from './settlement.ts'

export type BookingPlace = Texts<'storeNo' | 'storeId' | 'storeKey' | 'country' | 'stockId' | 'day'>
type Booking<Fact> = BookingPlace & Fact
type DeliveryHead = Omit<Delivery, 'lines'>
export interface Bookings {
  bookSale: Booking<{ external: boolean; sale: Sale }>
  bookInvoice: Booking<{ invoice: Invoice }>
  bookSettlement: Booking<{
    settlement: Settlement
    journal: Journal | null
    released: { by: string; reason: string } | null
  }>
  bookReceived: Booking<{ delivery: DeliveryHead; line: DeliveryLine; quantity: Decimal }>
  bookCost: Booking<{ delivery: DeliveryHead; article: string; gtin: string | null; cost: Money }>
  bookDelivery: Booking<{ delivery: Delivery }>
  bookMovement: Booking<{ movement: Movement }>
  bookCount: Booking<{ count: StockCount }>
  bookAdjustment: Booking<{ adjustment: StockAdjustment }>
  bookTransfer: Booking<{ step: 'sent' | 'received'; virtual: boolean; transfer: Transfer }>
  bookGiftCard: Booking<{ transaction: GiftCardTransaction }>
  bookTerminal: Booking<{ reconciliation: TerminalReconciliation }>
  bookReservation: Booking<{ step: 'made' | 'ended'; reservation: Reservation }>
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

/** Undocumented payloads, read by the table of kinds; missing is null. */
type PosPlace = Texts<'storeNo' | 'posId' | 'at'>

/** Spec, Events 6. */
export interface Invoice extends PosPlace, Texts<'invoiceId' | 'number' | 'receiptNo' | 'invoicedOn' | 'dueOn'> {
  amount: Money | null
  vatTotal: Money | null
  customer: Texts<'customerId' | 'name' | 'email'>
}

/** Spec, Events 23. */
export interface GiftCardTransaction extends PosPlace, Texts<'transactionId' | 'giftCardId' | 'type' | 'receiptNo'> {
  amount: Money | null
  balance: Money | null
}

/** Spec, Events 22. */
export interface TerminalReconciliation extends PosPlace, Texts<'reconciliationId' | 'terminalId'> {
  amount: Money | null
  count: Decimal | null
  schemes: { scheme: string; count: Decimal | null; amount: Money | null }[]
}
