import type { Decimal, Money } from '../values/money.ts'
import { wallClockIn } from '../values/store-time.ts'

/** Z report of one POS (spec, "POS settlement"), in its currency. Null: unknown. */
export interface Settlement {
  settlementId: string
  batchNumber: string | null
  storeId: string | null
  storeNo: string | null
  storeName: string | null
  storeInfo: string | null
  posId: string | null
  posName: string | null
  personName: string | null
  /** Remark, such as the reason of a cash difference. */
  comment: string | null
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
  /** VATArea1 to VATArea3; their rates are undocumented. */
  vatAreas: (Money | null)[]
  vatRates: VatRate[] | null
  openingCashBalance: Money | null
  closingCashBalance: Money | null
  discrepancy: Money | null
  payments: SettlementPayment[] | null
  withdrawals: SettlementRow[] | null
  deposits: SettlementRow[] | null
}

export interface VatRate {
  /** A fraction: 0.25 is 25 %. */
  rate: Decimal
  /** Before VAT by the official definition; some registers include it. */
  sales: Money
  vat: Money
}

export interface SettlementRow {
  paymentTypeId: string | null
  type: string | null
  subType: string | null
  amount: Money
}

export interface SettlementPayment extends SettlementRow {
  tendered: Money | null
}

export function isWhole({ payments }: Pick<Settlement, 'payments'>): boolean {
  return payments !== null
}

/** Completeness rank: payments beat totals, the fiscal report beats both. */
export function fullnessOf(settlement: Pick<Settlement, 'payments'>, fiscal: FiscalReport | null): number {
  return (isWhole(settlement) ? 1 : 0) + (fiscal === null ? 0 : 1)
}

export function inStoreTime(settlement: Settlement, zone: string | null): Settlement {
  const { settledAt, from, to } = settlement
  return {
    ...settlement,
    settledAt: wallClockIn(settledAt, zone),
    from: wallClockIn(from, zone),
    to: wallClockIn(to, zone),
  }
}

/** Business day `yyyy-mm-dd`: of the last sale, else of the report. */
export function settlementDay({ to, settledAt }: Pick<Settlement, 'to' | 'settledAt'>): string | null {
  return (to ?? settledAt)?.slice(0, 10) ?? null
}

/** Fiscal report of a POS (Norway: SAF-T cash register), in the settlement's currency. Null: unknown. */
export interface FiscalReport {
  number: string | null
  registerId: string | null
  counters: { sales: Decimal | null; returns: Decimal | null; net: Decimal | null }
  counts: { receipts: number | null; returns: number | null }
  returned: Decimal | null
  training: Decimal | null
}
