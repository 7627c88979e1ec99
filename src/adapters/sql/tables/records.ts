import { Big } from 'big.js'
import {
  type AdjustmentBooking,
  BOOKING_NAMES,
  type BookingName,
  type Bookings,
  type CostBooking,
  type CountBooking,
  type DeliveryBooking,
  type GiftCardBooking,
  type InvoiceBooking,
  type MovementBooking,
  type ReceivedBooking,
  type ReservationBooking,
  type SaleBooking,
  type SettlementBooking,
  type TerminalBooking,
  type TransferBooking,
} from '../../../domain/books/bookings.ts'
import type { Settlement, SettlementPayment, SettlementRow } from '../../../domain/books/settlement.ts'
import type { Delivery } from '../../../domain/catalogue/goods.ts'
import {
  amount,
  column,
  currency,
  day,
  decimal,
  defineTables,
  flag,
  goodsColumns,
  note,
  personal,
  type Table,
  type TableColumn,
  text,
  time,
} from './columns.ts'

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

type OfDelivery = {
  country: string | null
  delivery: Omit<Delivery, 'lines'>
  storeNo: string | null
  stockId: string | null
  day: string | null
}

function placeOf({ storeNo, stockId, day, delivery }: OfDelivery) {
  return { storeNo, stockId: stockId ?? delivery.stockId, day }
}

function deliveryColumns<Booking extends OfDelivery>(): TableColumn<Booking>[] {
  return [
    text('delivery_id', ({ delivery }) => delivery.deliveryId),
    text('reference', ({ delivery }) => delivery.reference),
    text('stock_no', ({ delivery }) => delivery.stockNo),
    time('changed_at', ({ delivery }) => delivery.at),
    text('country', ({ country }) => country),
    text('company_id', ({ delivery }) => delivery.companyId),
  ]
}

const receivedTables = defineTables<ReceivedBooking>(placeOf, ({ head }) => [
  head('received_goods', [
    ...deliveryColumns<ReceivedBooking>(),
    text('article', ({ line }) => line.article),
    text('gtin', ({ line }) => line.gtin),
    decimal('quantity', ({ quantity }) => quantity),
    decimal('received_in_all', ({ line }) => line.received),
    decimal('expected', ({ line }) => line.expected),
    currency('currency', ({ line }) => [line.cost]),
    amount('cost', ({ line }) => line.cost),
  ]),
])

const costTables = defineTables<CostBooking>(placeOf, ({ head }) => [
  head('cost_changes', [
    ...deliveryColumns<CostBooking>(),
    text('article', ({ article }) => article),
    text('gtin', ({ gtin }) => gtin),
    currency('currency', ({ cost }) => [cost]),
    amount('cost', ({ cost }) => cost),
  ]),
])

const deliveryTables = defineTables<DeliveryBooking>(placeOf, ({ head, lines }) => [
  head('deliveries', [
    ...deliveryColumns<DeliveryBooking>(),
    text('type', ({ delivery }) => delivery.type),
    text('status', ({ delivery }) => delivery.status),
    flag('is_completed', ({ delivery }) => delivery.isCompleted),
    day('expected_on', ({ delivery }) => delivery.expectedOn),
    note('comment', ({ delivery }) => delivery.comment),
    text('brand', ({ delivery }) => delivery.brand),
    text('season', ({ delivery }) => delivery.season),
    text('order_type', ({ delivery }) => delivery.orderType),
    decimal('expected_quantity', ({ delivery }) => delivery.expectedQuantity),
    decimal('expected_cost', ({ delivery }) => delivery.expectedCost),
    decimal('received_quantity', ({ delivery }) => delivery.receivedQuantity),
    decimal('received_cost', ({ delivery }) => delivery.receivedCost),
  ]),
  lines(
    'delivery_lines',
    ({ delivery }) => delivery.lines,
  )([
    text('article', ({ article }) => article),
    text('gtin', ({ gtin }) => gtin),
    decimal('expected', ({ expected }) => expected),
    decimal('received', ({ received }) => received),
    currency('currency', ({ cost }) => [cost]),
    amount('cost', ({ cost }) => cost),
    text('product_id', ({ productId }) => productId),
    note('name', ({ name }) => name),
    text('number', ({ number }) => number),
    text('variant', ({ variant }) => variant),
    note('color', ({ color }) => color),
    text('size', ({ label }) => label),
    note('description', ({ description }) => description),
  ]),
])

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
      text('ships_from_stock_id', ({ sale }) => sale.fulfillment?.stockId),
      note('ships_from_stock_name', ({ sale }) => sale.fulfillment?.stockName),
      personal('customer_id', ({ sale }) => sale.customerId),
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
      note('style_number', ({ line }) => line.number),
      note('variant', ({ line }) => line.variant),
      note('product_group', ({ line }) => line.group),
      note('season', ({ line }) => line.season),
      decimal('discount', ({ line }) => line.discount && kept(line.discount.amount)),
      decimal('discount_percent', ({ line }) => line.discountPercent && kept(line.discountPercent)),
      note('reasons', ({ line }) => line.reasons.join('; ') || null),
    ]),
    lines('sale_payments', ({ sale }) => sale.payments.map((payment) => ({ sale, payment })))([
      time('sold_at', ({ sale }) => sale.createdAt),
      text('type', ({ payment }) => payment.type),
      text('sub_type', ({ payment }) => payment.subType),
      currency('currency', ({ payment }) => [payment.amount]),
      amount('amount', ({ payment }) => payment.amount),
      text('reference', ({ payment }) => payment.transaction),
      currency('tendered_currency', ({ payment }) => [payment.tendered]),
      decimal('tendered', ({ payment }) => payment.tendered && kept(payment.tendered.amount)),
      { ...note('slip', ({ payment }) => payment.slip), isPersonal: true },
    ]),
  ],
)

/** With as many decimals as any of the databases keeps: nobody's books rest on it, so that more are no reason to refuse the sale. */
function kept(decimal: string): string {
  return new Big(decimal).round(9).toFixed()
}

const settlementTables = defineTables<SettlementBooking>(
  ({ storeNo, stockId, day, settlement }) => ({ storeNo: storeNo ?? settlement.storeNo, stockId, day }),
  ({ head, lines }) => [
    head('settlements', [
      text('settlement_id', ({ settlement }) => settlement.settlementId),
      text('batch_no', ({ settlement }) => settlement.batchNumber),
      text('store_id', ({ settlement }) => settlement.storeId),
      text('store_name', ({ settlement }) => settlement.storeName),
      text('pos_id', ({ settlement }) => settlement.posId),
      text('pos_name', ({ settlement }) => settlement.posName),
      time('settled_at', ({ settlement }) => settlement.settledAt),
      time('period_from', ({ settlement }) => settlement.from),
      time('period_to', ({ settlement }) => settlement.to),
      text('receipt_no_from', ({ settlement }) => settlement.receiptNoFrom),
      text('receipt_no_to', ({ settlement }) => settlement.receiptNoTo),
      column('currency', 'currency', ({ settlement }) => settlement.currency),
      amount('gross_total', ({ settlement }) => settlement.grossTotal),
      amount('gross_discount', ({ settlement }) => settlement.grossDiscount),
      amount('grand_total', ({ settlement }) => settlement.grandTotal),
      amount('net_total', ({ settlement }) => settlement.netTotal),
      amount('vat_total', ({ settlement }) => settlement.vatTotal),
      amount('vat_area_1', ({ settlement }) => settlement.vatAreas[0]),
      amount('vat_area_2', ({ settlement }) => settlement.vatAreas[1]),
      amount('vat_area_3', ({ settlement }) => settlement.vatAreas[2]),
      amount('opening_cash_balance', ({ settlement }) => settlement.openingCashBalance),
      amount('closing_cash_balance', ({ settlement }) => settlement.closingCashBalance),
      amount('discrepancy', ({ settlement }) => settlement.discrepancy),
      amount('journal_difference', ({ journal }) => journal?.difference),
      text('released_by', ({ released }) => released?.by),
      note('released_reason', ({ released }) => released?.reason),
      text('country', ({ country }) => country),
      note('store_info', ({ settlement }) => settlement.storeInfo),
      note('person_name', ({ settlement }) => settlement.personName),
      note('comment', ({ settlement }) => settlement.comment),
    ]),
    lines('settlement_payments', ({ settlement }) => paymentsOf(settlement))([
      text('sort', ({ sort }) => sort),
      text('payment_type_id', ({ row }) => row.paymentTypeId),
      text('type', ({ row }) => row.type),
      text('sub_type', ({ row }) => row.subType),
      currency('currency', ({ row }) => [row.amount]),
      amount('amount', ({ row }) => row.amount),
      currency('tendered_currency', ({ row }) => [row.tendered ?? null]),
      amount('tendered', ({ row }) => row.tendered),
    ]),
    lines(
      'settlement_vat_rates',
      ({ settlement }) => settlement.vatRates ?? [],
    )([
      decimal('vat_rate', ({ rate }) => rate),
      currency('currency', ({ sales, vat }) => [sales, vat]),
      amount('sales', ({ sales }) => sales),
      amount('vat', ({ vat }) => vat),
    ]),
    lines(
      'journal_lines',
      ({ journal }) => journal?.lines ?? [],
    )([
      text('account', ({ account }) => account),
      note('description', (line) => line.text),
      currency('currency', (line) => [line.amount]),
      amount('amount', (line) => line.amount),
      decimal('vat_rate', ({ vatRate }) => vatRate),
    ]),
  ],
)

interface Sorted {
  sort: 'payment' | 'withdrawal' | 'deposit'
  row: SettlementRow & Partial<Pick<SettlementPayment, 'tendered'>>
}

function paymentsOf({ payments, withdrawals, deposits }: Settlement): Sorted[] {
  return [
    ...(payments ?? []).map((row): Sorted => ({ sort: 'payment', row })),
    ...(withdrawals ?? []).map((row): Sorted => ({ sort: 'withdrawal', row })),
    ...(deposits ?? []).map((row): Sorted => ({ sort: 'deposit', row })),
  ]
}

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

type RecordName = (typeof NAMES)[BookingName]

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

export interface TakenRecord {
  method: BookingName
  /** The type of a record is known to its method alone. */
  tables: Table<unknown>[]
}

export function recordsTaken(only: readonly RecordName[] | undefined, customers: boolean): TakenRecord[] {
  return BOOKING_NAMES.filter((method) => only?.includes(NAMES[method]) ?? true).map((method) => ({
    method,
    tables: TABLES[method](customers) as Table<unknown>[],
  }))
}
