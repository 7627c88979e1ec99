import type { Meanings } from '../../../domain/ledger/till/meanings.ts'
import { nameIn, readReceipt, type TillReceipt } from '../../../domain/ledger/till/receipt.ts'
import { readReport, type TillReport } from '../../../domain/ledger/till/report.ts'
import type { StoreIndex } from '../../../domain/places/store-index.ts'
import type { Store } from '../../../store/store.ts'
import { mirrorPages } from '../../../store/walk-pages.ts'
import type { WhoseTill } from './whose-till.ts'

/** A store whose tills have made reports. */
export interface TillStore {
  /** Tells it from all others: the platform's id, or what it is called where nobody knows that. */
  home: string
  /** The platform's id; null: nobody knows it. */
  storeId: string | null
  zone: string | null
  /** What it is called in its rows: its number, or its id where it has none; several where it has got another number. */
  names: string[]
  /** Reports of all its tills. */
  reports: TillReport[]
}

/** What stores are read with. */
export interface ReadTools {
  store: Pick<Store, 'mirrorPage'>
  storeIndex(): StoreIndex
  meanings: Meanings
  signal: AbortSignal
}

/** The reports of all tills since a day, by store. */
export async function readReports(
  from: string,
  whose: WhoseTill,
  { store, storeIndex, meanings, signal }: ReadTools,
): Promise<TillStore[]> {
  const stores = new Map<string, TillStore>()
  const index = storeIndex()
  for await (const rows of mirrorPages(store, { set: 'settlements', from }, signal))
    for (const row of rows) {
      const { place, body } = row
      if (place === null) continue
      const storeId = nameIn(body.storeId) ?? whose({ place, posId: nameIn(body.posId) ?? '' })
      const home = storeId ?? place
      const known = stores.get(home) ?? emptyStore(home, storeId, index)
      stores.set(home, known)
      if (!known.names.includes(place)) known.names.push(place)
      const report = readReport(row, meanings, known.zone)
      if (report !== null) known.reports.push(report)
    }
  return [...stores.values()]
}

/** A store of whose tills no report was read. */
export function emptyStore(home: string, storeId: string | null, index: StoreIndex): TillStore {
  const number = storeId === null ? home : null
  const found = index.find({ number, storeId, stockId: null, stockNumber: null, countryCode: null })
  // The hub may have read the new number, while no report is made under it.
  const now = storeId === null ? null : index.numberOfStore(storeId)
  return { home, storeId, zone: found?.zone ?? null, names: now === null ? [] : [now], reports: [] }
}

/**
 * The receipts of the tills of a store since a day, by till, whatever it was called when they were made. A row names the store by the
 * platform's id where several have one number.
 */
export async function readReceipts(
  { names, storeId, zone }: Pick<TillStore, 'names' | 'storeId' | 'zone'>,
  from: string,
  { store, signal }: Pick<ReadTools, 'store' | 'signal'>,
): Promise<Map<string, TillReceipt[]>> {
  const tills = new Map<string, TillReceipt[]>()
  for (const place of names)
    for await (const rows of mirrorPages(store, { set: 'sales', place, from }, signal))
      for (const row of rows) {
        const receipt = readReceipt(row, zone)
        const isElsewhere = storeId !== null && (nameIn(row.body.storeId) ?? storeId) !== storeId
        if (receipt === null || isElsewhere) continue
        const known = tills.get(receipt.posId)
        if (known === undefined) tills.set(receipt.posId, [receipt])
        else known.push(receipt)
      }
  return tills
}
