import type { KeptRow } from '../../domain/catalogue/mirror.ts'
import { CERTIFIED_SETS, type CertifiedRow, type CertifiedSet } from '../../domain/ledger/certificate/certificate.ts'
import type { Range } from '../../domain/ledger/covered.ts'
import { likelyStoresOfRow, stocksDuring, tillNames } from '../../domain/places/former-place.ts'
import type { StoreRecord } from '../../domain/places/store-record.ts'
import { type Decimal, multiplyDecimals } from '../../domain/values/money.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'

/** The day of a store that is read. */
interface Asked {
  place: Pick<StoreRecord, 'storeId' | 'number' | 'stockId'>
  /** The store's own, `yyyy-mm-dd`. */
  day: string
  whole: Range
}

type Records = Pick<Store, 'mirrorPage' | 'formerPlaces' | 'stores'>

/** Rows of the mirror of one day of one store, by set. */
export type DayRows = Record<CertifiedSet, KeptRow[]>

/** The rows that are of the store, and how many of a set may be of it, or of another one with the same number. */
interface ReadDay {
  rows: DayRows
  doubtful: { set: CertifiedSet; count: number }[]
}

/** Reads the rows of a day, under whatever number and of whatever stock the store was then. */
export async function readDay(records: Records, { place, day, whole }: Asked): Promise<ReadDay> {
  const { storeId } = place
  const former = await records.formerPlaces()
  const storesOf = likelyStoresOfRow(await records.stores(), former)
  const stockIds = stocksDuring(place, former, whole)
  const read = await Promise.all(
    CERTIFIED_SETS.map(async (set) => [set, set === 'movements' ? await moved(set) : await atTills(set)] as const),
  )
  const isSure = (row: KeptRow) => row.set === 'movements' || storesOf(row).length < 2
  const doubtful = read.map(([set, rows]) => ({ set, count: rows.filter((row) => !isSure(row)).length }))
  return {
    rows: Object.fromEntries(read.map(([set, rows]) => [set, rows.filter(isSure)])) as DayRows,
    doubtful: doubtful.filter(({ count }) => count > 0),
  }

  /** Goods are kept by their stock. */
  async function moved(set: CertifiedSet): Promise<KeptRow[]> {
    return await rowsOf(records, set, stockIds, day)
  }

  /**
   * Doings of a till are kept by its store's number, or by its id where that was not known. Another store may have the same name: what is
   * surely of that one is left out.
   */
  async function atTills(set: CertifiedSet): Promise<KeptRow[]> {
    const rows = await rowsOf(records, set, tillNames(place, former), day)
    return rows.filter((row) => {
      const ids = storesOf(row)
      // Nobody has that name for a number: it is the store's own id.
      return ids.length === 0 || ids.includes(storeId)
    })
  }
}

async function rowsOf(records: Records, set: CertifiedSet, places: readonly string[], day: string) {
  const rows: KeptRow[] = []
  for (const place of places)
    for await (const page of mirrorPages(records, { set, place, from: day, to: day })) rows.push(...page)
  return rows
}

/** A row as a certificate lists it: a receipt by its total, a line by its revenue, a movement by its pieces. */
export function certified({ set, key, body }: Pick<KeptRow, 'set' | 'key' | 'body'>): CertifiedRow {
  const currency = textOf(body.currency)
  if (set === 'movements') return [key, textOf(body.quantity), null]
  if (set === 'settlements') return [key, textOf(body.grandTotal), currency]
  if (set === 'sales') return [key, textOf(body.total), currency]
  const [quantity, unitPrice] = [textOf(body.quantity), textOf(body.unitPrice)]
  const revenue = quantity && unitPrice && multiplyDecimals(quantity as Decimal, unitPrice as Decimal)
  return [key, revenue, currency]
}

/** A text or a decimal of a row's contents; null: it has none. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
