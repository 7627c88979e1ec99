import type { Texts } from '../values/field.ts'
import { utcDay } from '../values/instant.ts'
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

export function fullnessOf({ payments }: Pick<Settlement, 'payments'>, fiscal: FiscalReport | null): number {
  return (payments === null ? 0 : 1) + (fiscal === null ? 0 : 1)
}

export function inStoreTime(settlement: Settlement, zone: string | null): Settlement {
  const { settledAt, from, to } = settlement
  const local = (at: string | null) => wallClockIn(at, zone)
  return { ...settlement, settledAt: local(settledAt), from: local(from), to: local(to) }
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

interface SoldAt {
  store: string | null
  posId: string | null
  day: string
}

export interface UnsettledPos extends SoldAt {
  storeId: string | null
  sales: number
  firstReceipt: string | null
  lastReceipt: string | null
}

interface Row {
  place: string | null
  day: string
  body: Readonly<Record<string, unknown>>
}

export function createUnsettled(storesOf: (row: Row) => readonly string[]) {
  const posList = new Map<string, UnsettledPos & { home: Home }>()
  const covered = new Set<string>()

  return {
    sold(row: Row): void {
      const { place: store, day, body } = row
      if (body.external === true || day === '') return
      const posId = textOf(body.posId)
      const home = homeOf(row)
      const name = posDayKey(home, posId, day)
      const receipt = textOf(body.receiptNo)
      const storeId = 'storeId' in home ? home.storeId : null
      const fresh = { home, store, storeId, posId, day, sales: 0, firstReceipt: receipt, lastReceipt: null }
      const pos = posList.get(name) ?? fresh
      posList.set(name, { ...pos, sales: pos.sales + 1, lastReceipt: receipt })
    },

    settled(row: Row): void {
      const posId = textOf(row.body.posId)
      const home = homeOf(row)
      const homes = [home, { placed: row.place }, ...('placed' in home ? [{ anyAt: row.place }] : [])]
      for (const day of daysOf(row.day, textOf(row.body.from), textOf(row.body.to)))
        for (const one of homes) covered.add(posDayKey(one, posId, day))
    },

    missing(): UnsettledPos[] {
      return [...posList.values()]
        .filter((pos) => !isCovered(pos))
        .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
        .map(({ home: _, ...pos }) => pos)
    },
  }

  function homeOf(row: Row): Home {
    const [only, ...others] = storesOf(row)
    return only === undefined || others.length > 0 ? { placed: row.place } : { storeId: only }
  }

  function isCovered({ home, store, posId, day }: SoldAt & { home: Home }): boolean {
    const homes = 'placed' in home ? [home] : [home, { anyAt: store }]
    return homes.some((one) => covered.has(posDayKey(one, posId, day)) || covered.has(posDayKey(one, null, day)))
  }
}

type Home = { storeId: string } | { placed: string | null } | { anyAt: string | null }

function daysOf(day: string, from: string | null, to: string | null): string[] {
  const days = new Set([day])
  const [first, last] = [from?.slice(0, 10), to?.slice(0, 10)]
  if (first === undefined || last === undefined) return [...days]
  for (let at = Date.parse(first); at <= Date.parse(last) && days.size < MAX_DAYS; at += DAY) days.add(utcDay(at))
  return [...days]
}

const DAY = 86_400_000
const MAX_DAYS = 10

function posDayKey(home: Home, posId: string | null, day: string): string {
  return JSON.stringify([home, posId, day])
}

function orderOf({ day, store, posId }: SoldAt): string {
  return `${day} ${(store ?? '').padStart(12)} ${(posId ?? '').padStart(12)}`
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
