import type { Decimal, Money } from '../values/money.ts'
import { wallClockIn } from '../values/store-time.ts'

/** A settlement (Z report) of one POS (spec, "POS settlement"); amounts are in its currency. Null: nobody says. */
export interface Settlement {
  settlementId: string
  batchNumber: string | null
  /** Version 2 names the store by its id, version 1 by its number. */
  storeId: string | null
  storeNo: string | null
  storeName: string | null
  /** The store's own words about itself (spec: `StoreInfo`). */
  storeInfo: string | null
  posId: string | null
  posName: string | null
  /** The person who made it. */
  personName: string | null
  /** A remark that was written with it: why the cash differs, for instance. */
  comment: string | null
  /** Wall clocks of the store, as the platform wrote them; with an offset where it wrote one (inStoreTime). */
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
  /** VATArea1 to VATArea3: the VAT of each; which rate each is for is not shown. */
  vatAreas: (Money | null)[]
  /** The sums that the fiscal report has of each rate (`SAFT_ZReport.reportCashSalesVat`); null: there is no report. */
  vatRates: VatRate[] | null
  openingCashBalance: Money | null
  closingCashBalance: Money | null
  discrepancy: Money | null
  payments: SettlementPayment[] | null
  withdrawals: SettlementRow[] | null
  deposits: SettlementRow[] | null
}

/** Sales at one rate. */
export interface VatRate {
  /** A fraction: 0.25 is 25 %. */
  rate: Decimal
  /** Before VAT, as the official document says of `cashSaleAmnt`; registers that write it with VAT are known. */
  sales: Money
  vat: Money
}

export interface SettlementRow {
  paymentTypeId: string | null
  /** `Card`, `Cash`, `Giftcard`, `Voucher` … as the platform writes it. */
  type: string | null
  subType: string | null
  amount: Money
}

export interface SettlementPayment extends SettlementRow {
  /** The money handed over, in its own currency. */
  tendered: Money | null
}

/** Whether it names its payments: what was pushed may name totals alone. */
export function isWhole({ payments }: Pick<Settlement, 'payments'>): boolean {
  return payments !== null
}

/** How much it says, to be kept: one that names payments is more than one that names totals alone, and the till's own report is more. */
export function fullnessOf(settlement: Pick<Settlement, 'payments'>, fiscal: FiscalReport | null): number {
  return (isWhole(settlement) ? 1 : 0) + (fiscal === null ? 0 : 1)
}

/** The same with times that have an offset as the wall clock of the store. */
export function inStoreTime(settlement: Settlement, zone: string | null): Settlement {
  const { settledAt, from, to } = settlement
  return {
    ...settlement,
    settledAt: wallClockIn(settledAt, zone),
    from: wallClockIn(from, zone),
    to: wallClockIn(to, zone),
  }
}

/** The store's day that it belongs to, `yyyy-mm-dd`: that of the last sale in it, else that on which it was made. */
export function settlementDay({ to, settledAt }: Pick<Settlement, 'to' | 'settledAt'>): string | null {
  return (to ?? settledAt)?.slice(0, 10) ?? null
}

/**
 * The report that a till owes the law with each settlement (Norway: the Z report of the SAF-T cash register), as far as it can be
 * read; amounts are in the settlement's currency. Null: it does not say.
 */
export interface FiscalReport {
  /** Runs on for each till, without a gap. */
  number: string | null
  registerId: string | null
  /** Everything since the till's first day: none of them is ever set back. */
  counters: { sales: Decimal | null; returns: Decimal | null; net: Decimal | null }
  counts: { receipts: number | null; returns: number | null }
  /** What came back, above 0. */
  returned: Decimal | null
  /** Rung up to learn the till: no sale. */
  training: Decimal | null
}
