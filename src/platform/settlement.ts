import { field, text } from '../domain/field.ts'
import type { Money } from '../domain/money.ts'
import { readList, requiredText, UnexpectedAnswer, type WireRecord } from './read.ts'
import { amount } from './read-decimal.ts'

/** A settlement of one POS (spec, "POS settlement"); amounts are in its currency. Null: the answer does not say. */
export interface Settlement {
  settlementId: string
  batchNumber: string | null
  /** Version 2 names the store by its id, version 1 by its number. */
  storeId: string | null
  storeNo: string | null
  storeName: string | null
  posId: string | null
  posName: string | null
  /** Wall clocks of the store, as the platform wrote them; no zone. */
  settledAt: string | null
  from: string | null
  to: string | null
  receiptNoFrom: string | null
  receiptNoTo: string | null
  currency: string
  grossTotal: Money | null
  grossDiscount: Money | null
  grandTotal: Money | null
  netTotal: Money | null
  vatTotal: Money | null
  /** VATArea1 to VATArea3. */
  vatAreas: (Money | null)[]
  openingCashBalance: Money | null
  closingCashBalance: Money | null
  discrepancy: Money | null
  payments: SettlementPayment[] | null
  withdrawals: SettlementRow[] | null
  deposits: SettlementRow[] | null
  /** As it came: it names the person who settled. */
  record: WireRecord
}

interface SettlementRow {
  paymentTypeId: string | null
  /** `Card`, `Cash`, `Giftcard`, `Voucher` … as the platform writes it. */
  type: string | null
  subType: string | null
  amount: Money
}

interface SettlementPayment extends SettlementRow {
  /** What was handed over, in its own currency. */
  tendered: Money | null
}

/** Reads either version: they differ in the case of names, and in what is there. */
export function readSettlement(record: WireRecord): Settlement {
  const currency = requiredText(record, 'Currency').toUpperCase()
  const sum = (name: string) => amount(record, name, currency)
  return {
    settlementId: requiredText(record, 'SETTLEMENTID'),
    batchNumber: text(record, 'BatchNumber'),
    storeId: text(record, 'StoreId'),
    storeNo: text(record, 'StoreNo'),
    storeName: text(record, 'StoreName'),
    posId: text(record, 'POSID'),
    posName: text(record, 'PosName'),
    settledAt: text(record, 'SettlementTimeStamp'),
    from: text(record, 'DateTimeFrom'),
    to: text(record, 'DateTimeTo'),
    receiptNoFrom: text(record, 'ReceiptNoFrom'),
    receiptNoTo: text(record, 'ReceiptNoTo'),
    currency,
    grossTotal: sum('GrossTotal'),
    grossDiscount: sum('GrossDiscount'),
    grandTotal: sum('GrandTotal'),
    netTotal: sum('NetTotal'),
    vatTotal: sum('VATTotal'),
    vatAreas: [sum('VATArea1'), sum('VATArea2'), sum('VATArea3')],
    openingCashBalance: sum('OpeningCashBalance'),
    closingCashBalance: sum('ClosingCashBalance'),
    discrepancy: sum('Discrepancy'),
    payments: rowsOf(record, 'PaymentTypes', (row) => ({
      ...readRow(row, currency),
      tendered: amount(row, 'CurrencyTendered', text(row, 'Currency') ?? currency),
    })),
    withdrawals: rowsOf(record, 'Withdrawals', (row) => readRow(row, currency)),
    deposits: rowsOf(record, 'Deposits', (row) => readRow(row, currency)),
    record,
  }
}

/** Null where the field is not there: version 2 leaves these out unless they are asked for, which is not "there are none". */
function rowsOf<Row>(record: WireRecord, name: string, read: (row: WireRecord) => Row): Row[] | null {
  const found = field(record, name)
  return found === undefined || found === null ? null : readList(found, `${name}:`, read)
}

function readRow(row: WireRecord, currency: string): SettlementRow {
  const found = amount(row, 'Amount', currency)
  if (found === null) throw new UnexpectedAnswer('has no Amount')
  return {
    paymentTypeId: text(row, 'PaymentTypeId'),
    type: text(row, 'Type'),
    subType: text(row, 'SubType'),
    amount: found,
  }
}
