import type { Texts } from '../values/field.ts'
import { isDay, utcDay } from '../values/instant.ts'
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

/** All settlements are told before the sales. */
export function createUnsettled(storesOf: (row: Row) => readonly string[]) {
  const posList = new Map<string, UnsettledPos>()
  const settlements = new Map<string, Span[]>()

  return {
    settled(row: Row): void {
      if (row.day === '') return
      const posId = textOf(row.body.posId)
      const home = homeOf(row)
      const homes = [home, { placed: row.place }, ...('placed' in home ? [{ anyAt: row.place }] : [])]
      for (const one of homes) {
        const key = posKey(one, posId)
        settlements.set(key, [...(settlements.get(key) ?? []), spanOf(row)])
      }
    },

    sold(row: Row): void {
      const { place: store, day, body } = row
      if (body.external === true || day === '') return
      const posId = textOf(body.posId)
      const home = homeOf(row)
      if (isSettled(home, store, posId, timeOf(body.soldAt) ?? day)) return
      const name = `${day} ${posKey(home, posId)}`
      const receipt = textOf(body.receiptNo)
      const storeId = 'storeId' in home ? home.storeId : null
      const fresh = { store, storeId, posId, day, sales: 0, firstReceipt: receipt, lastReceipt: null }
      const pos = posList.get(name) ?? fresh
      posList.set(name, { ...pos, sales: pos.sales + 1, lastReceipt: receipt })
    },

    missing(): UnsettledPos[] {
      return [...posList.values()].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    },
  }

  function homeOf(row: Row): Home {
    const [only, ...others] = storesOf(row)
    return only === undefined || others.length > 0 ? { placed: row.place } : { storeId: only }
  }

  function isSettled(home: Home, store: string | null, posId: string | null, at: string): boolean {
    const homes = 'placed' in home ? [home] : [home, { anyAt: store }]
    const spans = homes.flatMap((one) => [posId, null].flatMap((pos) => settlements.get(posKey(one, pos)) ?? []))
    return spans.some((span) => isWithin(at, span))
  }
}

type Home = { storeId: string } | { placed: string | null } | { anyAt: string | null }

/** On the store's clock: times, or days where nothing more is known. */
interface Span {
  from: string
  to: string
}

function spanOf({ day, body }: Row): Span {
  const [from, to] = [timeOf(body.from), timeOf(body.to ?? body.settledAt)]
  if (from === null || to === null || from >= to) return { from: day, to: day }
  const earliest = utcDay(Date.parse(to.slice(0, DAY_LENGTH)) - MAX_DAYS * DAY)
  return { from: from < earliest ? earliest : from, to }
}

/** The least exact of the three decides. */
function isWithin(at: string, { from, to }: Span): boolean {
  const length = Math.min(at.length, from.length, to.length)
  const [time, first, last] = [at, from, to].map((one) => one.slice(0, length)) as [string, string, string]
  return first <= time && time <= last
}

const DAY = 86_400_000
const MAX_DAYS = 10
const DAY_LENGTH = 10

/** To the second; null with an offset, as the store's clock is not known here. */
function timeOf(value: unknown): string | null {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.\d+)?)?$/.exec(textOf(value) ?? '') ?? []
  return day === undefined || !isDay(day) ? null : [day, ...(time === undefined ? [] : [time])].join('T')
}

function posKey(home: Home, posId: string | null): string {
  return JSON.stringify([home, posId])
}

function orderOf({ day, store, posId }: SoldAt): string {
  return `${day} ${(store ?? '').padStart(12)} ${(posId ?? '').padStart(12)}`
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
