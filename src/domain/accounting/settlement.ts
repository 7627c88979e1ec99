import type { Texts } from '../values/field.ts'
import type { Decimal, Money } from '../values/money.ts'
import { wallClockIn } from '../values/store-time.ts'

type Sums<Name extends string> = Record<Name, Money | null>

/** Z report of one POS (spec, "POS settlement"), in its currency; null: unknown. */
export interface Settlement
  extends Texts<'batchNumber' | 'storeId' | 'storeNo' | 'storeName' | 'storeInfo' | 'posId' | 'posName' | 'personName'>,
    Texts<'comment' | 'settledAt' | 'from' | 'to' | 'receiptNoFrom' | 'receiptNoTo'>,
    Sums<'grossTotal' | 'grossDiscount' | 'grandTotal' | 'netTotal' | 'vatTotal' | 'discrepancy'>,
    Sums<'openingCashBalance' | 'closingCashBalance'> {
  settlementId: string
  currency: string
  /** VATArea1 to VATArea3; their rates are undocumented. */
  vatAreas: (Money | null)[]
  vatRates: VatRate[] | null
  payments: SettlementPayment[] | null
  withdrawals: SettlementRow[] | null
  deposits: SettlementRow[] | null
}

export interface VatRate {
  /** A fraction: 0.25 is 25 %. */
  rate: Decimal
  sales: Money
  vat: Money
}

export interface SettlementRow extends Texts<'paymentTypeId' | 'type' | 'subType'> {
  amount: Money
}

interface SettlementPayment extends SettlementRow {
  tendered: Money | null
}

export function isWhole({ payments }: Pick<Settlement, 'payments'>): boolean {
  return payments !== null
}

export function fullnessOf(settlement: Pick<Settlement, 'payments'>, fiscal: FiscalReport | null): number {
  return (isWhole(settlement) ? 1 : 0) + (fiscal === null ? 0 : 1)
}

export function inStoreTime(settlement: Settlement, zone: string | null): Settlement {
  const { settledAt, from, to } = settlement
  const [settled, first, last] = [settledAt, from, to].map((at) => wallClockIn(at, zone))
  return { ...settlement, settledAt: settled ?? null, from: first ?? null, to: last ?? null }
}

export function settlementDay({ to, settledAt }: Pick<Settlement, 'to' | 'settledAt'>): string | null {
  return (to ?? settledAt)?.slice(0, 10) ?? null
}

/** Norwegian SAF-T cash register report. Counters are cumulative since the first day. */
export interface FiscalReport extends Texts<'number' | 'registerId'> {
  counters: Record<'sales' | 'returns' | 'net', Decimal | null>
  counts: Record<'receipts' | 'returns', number | null>
  returned: Decimal | null
  training: Decimal | null
}
