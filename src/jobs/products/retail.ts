import { isDeepStrictEqual } from 'node:util'
import type { MirrorRow } from '../../domain/catalogue/mirror.ts'
import { numberKey } from '../../domain/places/store-index.ts'
import { idText } from '../../domain/values/id.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { PlatformStore } from '../../platform/platform.ts'
import type { KeptStore } from '../../store/kept.ts'
import type { Store } from '../../store/store.ts'

/** A store, and the name of the list that holds its recommended retail prices; null: nobody says which. */
export interface RetailList {
  storeId: string
  store: string | null
  name: string | null
  list: string | null
}

interface PriceListName {
  id: string
  name: string
}

/** By which list each store sells, as config says (by its number, else its country), or else what was known before. */
export function retailLists(
  stores: readonly KeptStore[],
  config: Readonly<Record<string, string>>,
  own: ReadonlyMap<string, string>,
): RetailList[] {
  const byNumber = new Map(Object.entries(config).map(([key, list]) => [numberKey(key), list]))
  return stores
    .filter(({ goneAt }) => goneAt === null)
    .map(({ storeId, number, name, countryCode }) => {
      const ofNumber = number === null ? undefined : byNumber.get(numberKey(number))
      const ofCountry = countryCode === null ? undefined : config[countryCode]
      return { storeId, store: number, name, list: ofNumber ?? ofCountry ?? own.get(storeId) ?? null }
    })
}

/** The same as the platform's records of stores say it, which the spec does not show (its public API: `RetailPricelistID`). */
export function ownLists(records: readonly PlatformStore[], lists: readonly PriceListName[]): Map<string, string> {
  const nameOf = new Map(lists.map(({ id, name }) => [id, name]))
  return new Map(
    records.flatMap(({ storeId, record }) => {
      const list = nameOf.get(idText(record, 'RetailPricelistID') ?? '')
      return list === undefined ? [] : [[storeId, list] as const]
    }),
  )
}

/** Keeps them for reports: these, and no others. */
export async function keepRetailLists(
  store: Pick<Store, 'mirrorPage' | 'saveMirror'>,
  lists: readonly RetailList[],
  now: Instant,
): Promise<void> {
  const kept = new Map((await keptRetailLists(store)).map((list) => [list.storeId, list]))
  const isKept = kept.size === lists.length && lists.every((list) => isDeepStrictEqual(list, kept.get(list.storeId)))
  if (isKept) return
  const rows = lists.map(
    (list): MirrorRow => ({
      set: 'retail-lists',
      key: list.storeId,
      place: null,
      article: null,
      day: '',
      part: ALL,
      version: 0,
      tie: 0,
      body: { ...list },
    }),
  )
  await store.saveMirror([{ type: 'replace', set: 'retail-lists', part: ALL, rows }], now)
}

const ALL = 'all'

/** As they were kept last. */
export async function keptRetailLists(store: Pick<Store, 'mirrorPage'>): Promise<RetailList[]> {
  const rows = await store.mirrorPage({ set: 'retail-lists', part: ALL }, null, 10_000)
  return rows.map(({ body }) => body as unknown as RetailList)
}
