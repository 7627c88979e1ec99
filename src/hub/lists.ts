import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { type KnownStore, presentOf } from '../domain/places/store-index.ts'
import { MisfitError } from '../domain/queue/misfit.ts'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import { KINDS } from '../payloads/kinds.ts'
import { allRows } from '../platform/http/listed.ts'
import type { Platform } from '../platform/platform.ts'
import { fileOf, isPostgres } from '../store/open.ts'
import { noDatabaseText } from '../store/sqlite/file/unavailable.ts'
import { isNoDatabase, peekInto } from '../store/sqlite/lanes/peek.ts'
import type { Store } from '../store/store.ts'

/** Names that the platform has, as far as they are known: those in config are held against them. */
export interface Lists {
  /** None: they have not been read from the platform yet. Null: nobody can tell. */
  stores: readonly KnownStore[] | null
  /** Ids. Null: nobody can tell, since no levels were read yet, and one that no store has is known by its levels alone. */
  stocks: ReadonlySet<string> | null
  /** There may be others, which no store has. */
  stocksInPart: boolean
  kinds: readonly string[]
}

/** As a running hub knows them. */
export async function keptLists(
  config: Config,
  stores: readonly KnownStore[],
  store: Pick<Store, 'mirrorPage'>,
): Promise<Lists> {
  return await listsOf(config, stores, async (stockId) => {
    try {
      const of = stockId === ANY ? {} : { place: stockId }
      return (await store.mirrorPage({ set: 'stock', ...of }, null, 1)).length > 0
    } catch (error) {
      // Nobody can tell, so nothing is said against it.
      if (error instanceof StoreUnavailableError) return true
      throw error
    }
  })
}

/**
 * As the file of a store has them, which may be a running hub's; it is left as it is. Of a server nothing is read. Throws a MisfitError
 * where the file is no database.
 */
export async function listsOnDisk(config: Config): Promise<Lists> {
  const { url } = config.store
  const file = isPostgres(url) ? null : fileOf(url)
  if (file !== null && !existsSync(file)) return await listsOf(config, [], async () => false)
  if (file !== null && isNoDatabase(file))
    throw new MisfitError([{ path: ['store', 'url'], expected: `a store: ${noDatabaseText(file)}` }])
  using peek = file === null ? null : peekInto(file)
  return await listsOf(config, peek?.stores() ?? null, async (stockId) =>
    stockId === ANY ? (peek?.hasLevels() ?? false) : (peek?.hasLevelsOf(stockId) ?? false),
  )
}

/** As the platform itself tells them now. Rejects as its calls do. */
export async function listsOnline({ stores, stocks, webhooks }: Platform, signal: AbortSignal): Promise<Lists> {
  // A row that cannot be read may be the very store that config names.
  const listed = allRows(await stores.list(signal), 'the stores')
  const offered = await webhooks.types(signal)
  const known = listed.flatMap(({ stockId }) => stockId ?? [])
  // Not every platform lists its stocks apart from its stores.
  const apart = await stocks.list(signal).then(
    ({ rows }) => rows,
    () => null,
  )
  return {
    stores: listed,
    stocksInPart: apart === null,
    stocks: new Set([...known, ...(apart ?? []).map(({ stockId }) => stockId)]),
    kinds: [...offered.rows, ...KINDS.filter(({ knownFrom }) => knownFrom === 'hub').map(({ name }) => name)],
  }
}

/** Stands for any stock. */
const ANY = Symbol('any stock')

/** A stock that no store has is known by its levels, once they were read. */
async function listsOf(
  config: Config,
  stores: readonly KnownStore[] | null,
  hasLevels: (stockId: string | typeof ANY) => Promise<boolean>,
): Promise<Lists> {
  const present = stores && presentOf(stores)
  const lists = { stores: present, stocksInPart: true, kinds: KINDS.map(({ name }) => name) }
  const ofStores = new Set(present?.flatMap(({ stockId }) => stockId ?? []))
  const others = present === null || present.length === 0 ? [] : stocksNamed(config).filter((id) => !ofStores.has(id))
  if (others.length > 0 && !(await hasLevels(ANY))) return { ...lists, stocks: null }
  const known = await Promise.all(others.map(async (stockId) => ((await hasLevels(stockId)) ? [stockId] : [])))
  return { ...lists, stocks: new Set([...ofStores, ...known.flat()]) }
}

/** The stocks that config names, each once. */
function stocksNamed({ destinations, platform }: Config): string[] {
  const sold = destinations.flatMap(({ channels }) => Object.values(channels).flatMap(({ stocks }) => stocks))
  return [...new Set([...sold, ...Object.keys(platform.stockWriters)])]
}
