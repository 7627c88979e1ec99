import type { KeptRow } from '../../domain/catalogue/mirror.ts'
import { CERTIFIED_SETS, type CertifiedRow, type CertifiedSet } from '../../domain/ledger/certificate/certificate.ts'
import type { StoreRecord } from '../../domain/places/store-record.ts'
import { type Decimal, multiplyDecimals } from '../../domain/values/money.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'

type Place = Pick<StoreRecord, 'storeId' | 'number' | 'stockId'>

/** Rows of the mirror of one day of one store, by set. */
export type DayRows = Record<CertifiedSet, KeptRow[]>

/** Reads them. `day`: the store's own, `yyyy-mm-dd`. */
export async function readDay(store: Pick<Store, 'mirrorPage'>, place: Place, day: string): Promise<DayRows> {
  const read = await Promise.all(
    CERTIFIED_SETS.map(async (set) => [set, await rowsOf(store, set, place, day)] as const),
  )
  return Object.fromEntries(read) as DayRows
}

async function rowsOf(store: Pick<Store, 'mirrorPage'>, set: CertifiedSet, place: Place, day: string) {
  // Goods are kept by their stock; what a till does, by its store's number, or by its id where that was not known.
  const { storeId, number, stockId } = place
  const places = set === 'movements' ? [stockId] : [number, storeId]
  const rows: KeptRow[] = []
  for (const one of new Set(places.filter((name) => name !== null)))
    for await (const page of mirrorPages(store, { set, place: one, from: day, to: day })) rows.push(...page)
  // The number of one store may be the id of another.
  return rows.filter(({ body }) => set === 'movements' || typeof body.storeId !== 'string' || body.storeId === storeId)
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
