import { Big } from 'big.js'
import {
  type AdjustmentBooking,
  BOOKING_NAMES,
  type BookingName,
  type Bookings,
  type CountBooking,
  type GiftCardBooking,
  type InvoiceBooking,
  type MovementBooking,
  type ReservationBooking,
  type SaleBooking,
  type TerminalBooking,
  type TransferBooking,
} from '../../../domain/books/bookings.ts'
import type { GoodsLine } from '../../../domain/catalogue/goods.ts'
import {
  amount,
  currency,
  day,
  decimal,
  defineTables,
  flag,
  later,
  note,
  personal,
  type Table,
  type TableColumn,
  text,
  time,
} from './columns.ts'
import { costTables, deliveryTables, receivedTables } from './deliveries.ts'
import { settlementTables } from './settlements.ts'

const saleTables = defineTables<SaleBooking>(
  ({ storeNo, stockId, day, sale }) => ({ storeNo: storeNo ?? sale.store.number, stockId, day }),
  ({ head, lines }) => [
    head('sales', [
      time('sold_at', ({ sale }) => sale.createdAt),
      text('receipt_no', ({ sale }) => sale.receiptNo),
      text('order_no', ({ sale }) => sale.orderNo),
      flag('is_external', ({ external }) => external),
      currency('currency', ({ sale }) => [sale.total, sale.vatTotal]),
      amount('total', ({ sale }) => sale.total),
      amount('vat_total', ({ sale }) => sale.vatTotal),
      text('store_name', ({ sale }) => sale.store.name),
      text('store_country', ({ sale }) => sale.store.address?.countryCode),
      text('organization_no', ({ sale }) => sale.store.organizationNumber),
      text('pos_id', ({ sale }) => sale.store.posId),
      text('pos_name', ({ sale }) => sale.store.posName),
      text('sales_person', ({ sale }) => sale.store.salesPerson),
      text('carrier_id', ({ sale }) => sale.shipping?.carrierId),
      text('carrier_service', ({ sale }) => sale.shipping?.carrierService),
      later(text('ships_from_stock_id', ({ sale }) => sale.fulfillment?.stockId)),
      later(note('ships_from_stock_name', ({ sale }) => sale.fulfillment?.stockName)),
      later(personal('customer_id', ({ sale }) => sale.customerId)),
      personal('customer_no', ({ sale }) => sale.customer?.number),
      personal('customer_first_name', ({ sale }) => sale.customer?.firstName),
      personal('customer_last_name', ({ sale }) => sale.customer?.lastName),
      personal('customer_company', ({ sale }) => sale.customer?.companyName),
      personal('customer_email', ({ sale }) => sale.customer?.email),
      personal('customer_phone', ({ sale }) => sale.customer?.phone),
    ]),
    lines('sale_lines', ({ sale }) => sale.lines.map((line) => ({ sale, line })))([
      time('sold_at', ({ sale }) => sale.createdAt),
      text('row_id', ({ line }) => line.rowId),
      text('gtin', ({ line }) => line.gtin),
      text('sku', ({ line }) => line.sku),
      text('name', ({ line }) => line.name),
      text('brand', ({ line }) => line.brand),
      text('color', ({ line }) => line.color),
      text('size', ({ line }) => line.size),
      decimal('quantity', ({ line }) => line.quantity),
      currency('currency', ({ line }) => [line.unitPrice, line.total, line.vat, line.fullPrice]),
      amount('unit_price', ({ line }) => line.unitPrice),
      amount('total', ({ line }) => line.total),
      amount('vat', ({ line }) => line.vat),
      decimal('vat_rate', ({ line }) => line.vatRate),
      amount('full_price', ({ line }) => line.fullPrice),
      flag('is_from_online_store', ({ line }) => line.shipFromOnlineStore),
      later(note('style_number', ({ line }) => line.number)),
      later(note('variant', ({ line }) => line.variant)),
      later(note('product_group', ({ line }) => line.group)),
      later(note('season', ({ line }) => line.season)),
      later(decimal('discount', ({ line }) => line.discount && kept(line.discount.amount))),
      later(decimal('discount_percent', ({ line }) => line.discountPercent && kept(line.discountPercent))),
      later(note('reasons', ({ line }) => line.reasons.join('; ') || null)),
    ]),
    lines('sale_payments', ({ sale }) => sale.payments.map((payment) => ({ sale, payment })))([
      time('sold_at', ({ sale }) => sale.createdAt),
      text('type', ({ payment }) => payment.type),
      text('sub_type', ({ payment }) => payment.subType),
      currency('currency', ({ payment }) => [payment.amount]),
      amount('amount', ({ payment }) => payment.amount),
      text('reference', ({ payment }) => payment.transaction),
      later(currency('tendered_currency', ({ payment }) => [payment.tendered])),
      later(decimal('tendered', ({ payment }) => payment.tendered && kept(payment.tendered.amount))),
      later({ ...note('slip', ({ payment }) => payment.slip), isPersonal: true }),
    ]),
  ],
)

const invoiceTables = defineTables<InvoiceBooking>(
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

const giftCardTables = defineTables<GiftCardBooking>(
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

const movementTables = defineTables<MovementBooking>(
  ({ storeNo, stockId, day, movement }) => ({ storeNo, stockId: stockId ?? movement.stockId, day }),
  ({ head }) => [
    head('stock_movements', [
      text('movement_id', ({ movement }) => movement.movementId),
      text('stock_no', ({ movement }) => movement.stockNo),
      time('moved_at', ({ movement }) => movement.at),
      text('gtin', ({ movement }) => movement.gtin),
      text('sku', ({ movement }) => movement.sku),
      text('type', ({ movement }) => movement.type),
      decimal('quantity', ({ movement }) => movement.quantity),
      decimal('stock_level', ({ movement }) => movement.level),
    ]),
  ],
)

const reservationTables = defineTables<ReservationBooking>(
  ({ storeNo, stockId, day, reservation }) => ({ storeNo, stockId: stockId ?? reservation.stockId, day }),
  ({ head }) => [
    head('reservations', [
      text('reservation_id', ({ reservation }) => reservation.reservationId),
      text('step', ({ step }) => step),
      text('stock_no', ({ reservation }) => reservation.stockNo),
      text('gtin', ({ reservation }) => reservation.gtin),
      text('sku', ({ reservation }) => reservation.sku),
      decimal('quantity', ({ reservation }) => reservation.quantity),
      text('order_no', ({ reservation }) => reservation.orderNo),
      text('status', ({ reservation }) => reservation.status),
      time('reserved_at', ({ reservation }) => reservation.at),
      time('expires_at', ({ reservation }) => reservation.expiresAt),
      time('released_at', ({ reservation }) => reservation.releasedAt),
    ]),
  ],
)

const countTables = defineTables<CountBooking>(
  ({ storeNo, stockId, day, count }) => ({ storeNo, stockId: stockId ?? count.stockId, day }),
  ({ head, lines }) => [
    head('stock_counts', [
      text('count_id', ({ count }) => count.countId),
      text('stock_no', ({ count }) => count.stockNo),
      note('description', ({ count }) => count.description),
      flag('is_complete', ({ count }) => count.isComplete),
      time('counted_at', ({ count }) => count.countedAt),
      time('made_at', ({ count }) => count.at),
    ]),
    lines('stock_count_items', ({ count }) => count.items)(goodsColumns()),
  ],
)

const adjustmentTables = defineTables<AdjustmentBooking>(
  ({ storeNo, stockId, day, adjustment }) => ({ storeNo, stockId: stockId ?? adjustment.stockId, day }),
  ({ head, lines }) => [
    head('adjustments', [
      text('adjustment_id', ({ adjustment }) => adjustment.adjustmentId),
      text('stock_no', ({ adjustment }) => adjustment.stockNo),
      time('made_at', ({ adjustment }) => adjustment.at),
      note('reason', ({ adjustment }) => adjustment.reason),
    ]),
    lines('adjustment_items', ({ adjustment }) => adjustment.items)(goodsColumns()),
  ],
)

const transferTables = defineTables<TransferBooking>(
  (booking) => booking,
  ({ head, lines }) => [
    head('transfers', [
      text('transfer_id', ({ transfer }) => transfer.transferId),
      text('step', ({ step }) => step),
      flag('is_virtual', ({ virtual }) => virtual),
      text('from_stock_id', ({ transfer }) => transfer.fromStockId),
      text('from_stock_no', ({ transfer }) => transfer.fromStockNo),
      text('to_stock_id', ({ transfer }) => transfer.toStockId),
      text('to_stock_no', ({ transfer }) => transfer.toStockNo),
      text('status', ({ transfer }) => transfer.status),
      time('sent_at', ({ transfer }) => transfer.sentAt),
      time('received_at', ({ transfer }) => transfer.receivedAt),
    ]),
    lines(
      'transfer_lines',
      ({ transfer }) => transfer.lines,
    )([
      ...goodsColumns<TransferBooking['transfer']['lines'][number]>(),
      decimal('received', ({ received }) => received),
    ]),
  ],
)

const terminalTables = defineTables<TerminalBooking>(
  ({ storeNo, stockId, day, reconciliation }) => ({ storeNo: storeNo ?? reconciliation.storeNo, stockId, day }),
  ({ head, lines }) => [
    head('terminal_reconciliations', [
      text('reconciliation_id', ({ reconciliation }) => reconciliation.reconciliationId),
      text('terminal_id', ({ reconciliation }) => reconciliation.terminalId),
      text('pos_id', ({ reconciliation }) => reconciliation.posId),
      time('reconciled_at', ({ reconciliation }) => reconciliation.at),
      decimal('transaction_count', ({ reconciliation }) => reconciliation.count),
      currency('currency', ({ reconciliation }) => [reconciliation.amount]),
      amount('amount', ({ reconciliation }) => reconciliation.amount),
    ]),
    lines(
      'terminal_schemes',
      ({ reconciliation }) => reconciliation.schemes,
    )([
      text('scheme', ({ scheme }) => scheme),
      decimal('transaction_count', ({ count }) => count),
      currency('currency', (row) => [row.amount]),
      amount('amount', (row) => row.amount),
    ]),
  ],
)

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

/** Columns of lines that name goods. */
function goodsColumns<Line extends GoodsLine>(): TableColumn<Line>[] {
  return [
    text('gtin', ({ gtin }) => gtin),
    text('sku', ({ sku }) => sku),
    decimal('quantity', ({ quantity }) => quantity),
  ]
}

/** With as many decimals as any of the databases keeps: nobody's books rest on it, so that more are no reason to refuse the sale. */
function kept(decimal: string): string {
  return new Big(decimal).round(9).toFixed()
}
