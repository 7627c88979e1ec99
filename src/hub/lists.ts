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
  /** Ids. */
  stocks: ReadonlySet<string>
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
      return (await store.mirrorPage({ set: 'stock', place: stockId }, null, 1)).length > 0
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
  return await listsOf(config, peek?.stores() ?? null, async (stockId) => peek?.hasLevelsOf(stockId) ?? false)
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

/** A stock that no store has is known by its levels, once they were read. */
async function listsOf(
  config: Config,
  stores: readonly KnownStore[] | null,
  hasLevels: (stockId: string) => Promise<boolean>,
): Promise<Lists> {
  const present = stores && presentOf(stores)
  const stocks = new Set(present?.flatMap(({ stockId }) => stockId ?? []))
  for (const stockId of present === null || present.length === 0 ? [] : stocksNamed(config))
    if (!stocks.has(stockId) && (await hasLevels(stockId))) stocks.add(stockId)
  return { stores: present, stocks, stocksInPart: true, kinds: KINDS.map(({ name }) => name) }
}

/** The stocks that config names, each once. */
function stocksNamed({ destinations, platform }: Config): string[] {
  const sold = destinations.flatMap(({ channels }) => Object.values(channels).flatMap(({ stocks }) => stocks))
  return [...new Set([...sold, ...Object.keys(platform.stockWriters)])]
}
