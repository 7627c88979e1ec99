import type { Meanings } from '../../../domain/ledger/till/meanings.ts'
import { readReceipt, type TillReceipt } from '../../../domain/ledger/till/receipt.ts'
import { readReport, type TillReport } from '../../../domain/ledger/till/report.ts'
import type { StoreIndex } from '../../../domain/places/store-index.ts'
import type { Store } from '../../../store/store.ts'
import { mirrorPages } from '../../../store/walk-pages.ts'

/** A store whose tills have made reports. */
export interface TillStore {
  /** The store's number, or its id where it has none. */
  place: string
  /** The platform's id; null: nobody knows it. */
  storeId: string | null
  zone: string | null
  /** Reports of all its tills. */
  reports: TillReport[]
}

interface Tools {
  store: Pick<Store, 'mirrorPage'>
  storeIndex(): StoreIndex
  meanings: Meanings
  signal: AbortSignal
}

/** The reports of all tills since a day, by store; `places`: stores that are there though none of their tills has made one since. */
export async function readReports(
  from: string,
  places: Iterable<string>,
  { store, storeIndex, meanings, signal }: Tools,
): Promise<TillStore[]> {
  const stores = new Map<string, TillStore>()
  const index = storeIndex()
  for await (const rows of mirrorPages(store, { set: 'settlements', from }, signal))
    for (const row of rows) {
      if (row.place === null) continue
      const where = placeOf(row.place, row.body.storeId)
      // Stores of several countries may have one number.
      const key = where.storeId ?? row.place
      const known = stores.get(key) ?? { place: row.place, ...where, reports: [] }
      stores.set(key, known)
      const report = readReport(row, meanings, known.zone)
      if (report !== null) known.reports.push(report)
    }
  const seen = new Set([...stores.values()].map(({ place }) => place))
  const resting = [...places].filter((place) => !seen.has(place))
  return [...stores.values(), ...resting.map((place) => ({ place, ...placeOf(place, null), reports: [] }))]

  function placeOf(number: string, storeId: unknown): Pick<TillStore, 'storeId' | 'zone'> {
    const id = typeof storeId === 'string' ? storeId : null
    const ref = {
      number: number === id ? null : number,
      storeId: id,
      stockId: null,
      stockNumber: null,
      countryCode: null,
    }
    const found = index.find(ref)
    return { storeId: found?.storeId ?? id, zone: found?.zone ?? null }
  }
}

/** The receipts of the tills of a store since a day, by till. */
export async function readReceipts(
  { place, zone }: Pick<TillStore, 'place' | 'zone'>,
  from: string,
  { store, signal }: Pick<Tools, 'store' | 'signal'>,
): Promise<Map<string, TillReceipt[]>> {
  const tills = new Map<string, TillReceipt[]>()
  for await (const rows of mirrorPages(store, { set: 'sales', place, from }, signal))
    for (const row of rows) {
      const receipt = readReceipt(row, zone)
      if (receipt === null) continue
      const known = tills.get(receipt.posId)
      if (known === undefined) tills.set(receipt.posId, [receipt])
      else known.push(receipt)
    }
  return tills
}
