import type { TerminalBooking } from '../../../domain/books/bookings.ts'
import { amount, currency, decimal, defineTables, text, time } from './columns.ts'

export const terminalTables = defineTables<TerminalBooking>(
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
