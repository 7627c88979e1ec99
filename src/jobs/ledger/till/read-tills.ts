import { z } from 'zod'
import {
  type Meanings,
  readReceipt,
  readReport,
  type TillReceipt,
  type TillReport,
} from '../../../domain/ledger/till/report.ts'
import { NEW_TILL, type TillMemory } from '../../../domain/ledger/till/till.ts'
import { type FormerPlace, likelyStoresOfRow, tillNames } from '../../../domain/places/former-place.ts'
import type { StoreIndex } from '../../../domain/places/store-index.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Store } from '../../../store/store.ts'
import { mirrorPages } from '../../../store/walk-pages.ts'

const Link = z.object({
  settlementId: z.string(),
  place: z.string(),
  number: z.number().nullable(),
  closedAt: z.number(),
})

const Till = z.object({
  begins: z.number().nullable(),
  done: z.array(z.string()),
  last: Link.nullable(),
  /** First sale since its last report. */
  openSince: z.number().nullable(),
})

export type KeptTill = TillMemory & Pick<z.output<typeof Till>, 'openSince'>

export interface TillState {
  tills: Readonly<Record<string, KeptTill>>
  lookedAt: Instant | null
}

const State = z.object({ tills: z.record(z.string(), Till), lookedAt: z.number().nullable() })

export const UNKNOWN_TILL: KeptTill = { ...NEW_TILL, openSince: null }

export function readTillState(state: unknown): TillState {
  return State.safeParse(state).data ?? { tills: {}, lookedAt: null }
}

/** `home`: the platform's id of its store, else the store's name. */
export function tillKey({ home, posId }: { home: string; posId: string }): string {
  return JSON.stringify([home, posId])
}

/** By home. */
function tillsSince(tills: TillState['tills'], since: Instant): Map<string, string[]> {
  const homes = new Map<string, string[]>()
  for (const [key, { last }] of Object.entries(tills)) {
    if (last === null || last.closedAt < since) continue
    const [home, posId] = JSON.parse(key) as [home: string, posId: string]
    homes.set(home, [...(homes.get(home) ?? []), posId])
  }
  return homes
}

/** Days without a report after which a POS is not waited for. */
const DAYS_OF_RESTING = 60

const DAY = 86_400_000

export interface TillStore {
  /** Unique: the platform's id, else the name. */
  home: string
  storeId: string | null
  zone: string | null
  /** Each number that it has had. */
  names: string[]
  reports: TillReport[]
  resting: string[]
}

export interface ReadTools {
  store: Pick<Store, 'mirrorPage'>
  stores: StoreIndex['stores']
  former: readonly FormerPlace[]
  meanings: Meanings
  signal: AbortSignal
}

/** Stores whose POS made reports since a day, or lately. */
export async function readStores(
  { tills }: Pick<TillState, 'tills'>,
  { day, now }: { day: string; now: Instant },
  { store, stores, former, meanings, signal }: ReadTools,
): Promise<TillStore[]> {
  const storesOf = likelyStoresOfRow(stores, former)
  const resting = tillsSince(tills, now - DAYS_OF_RESTING * DAY)
  const read = new Map<string, TillStore>()
  for await (const rows of mirrorPages(store, { set: 'settlements', from: day }, signal))
    for (const row of rows) {
      if (row.place === null) continue
      const [only = null, ...others] = storesOf(row)
      const one = storeOf(others.length === 0 ? only : null, row.place)
      const report = readReport(row, meanings, one.zone)
      if (report !== null) one.reports.push(report)
    }
  for (const home of resting.keys()) if (stores.some(({ storeId }) => storeId === home)) storeOf(home, home)
  return [...read.values()]

  function storeOf(storeId: string | null, place: string): TillStore {
    const home = storeId ?? place
    const known = stores.find((one) => one.storeId === storeId)
    const names = known === undefined ? [place] : tillNames(known, former)
    const made = read.get(home) ?? {
      ...{ home, storeId, zone: known?.zone ?? null, names, reports: [] },
      resting: resting.get(home) ?? [],
    }
    read.set(home, made)
    return made
  }
}

/** Receipts of a store since a day, by POS, under each name of the store; not those of another store that had the name then. */
export async function readReceipts(
  { storeId, names, zone }: Pick<TillStore, 'storeId' | 'names' | 'zone'>,
  from: string,
  { store, stores, former, signal }: Pick<ReadTools, 'store' | 'stores' | 'former' | 'signal'>,
): Promise<Map<string, TillReceipt[]>> {
  const storesOf = likelyStoresOfRow(stores, former)
  const tills = new Map<string, TillReceipt[]>()
  for (const place of names)
    for await (const rows of mirrorPages(store, { set: 'sales', place, from }, signal))
      for (const row of rows) {
        const of = storesOf(row)
        const receipt = storeId === null || of.length === 0 || of.includes(storeId) ? readReceipt(row, zone) : null
        if (receipt === null) continue
        const known = tills.get(receipt.posId)
        if (known === undefined) tills.set(receipt.posId, [receipt])
        else known.push(receipt)
      }
  return tills
}
