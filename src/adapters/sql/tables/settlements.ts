import type { SettlementBooking } from '../../../domain/books/bookings.ts'
import type { Settlement, SettlementPayment, SettlementRow } from '../../../domain/books/settlement.ts'
import { amount, column, currency, decimal, defineTables, note, text, time } from './columns.ts'

export const settlementTables = defineTables<SettlementBooking>(
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
