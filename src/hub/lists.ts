import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import type { JobName } from '../config/jobs.ts'
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
  /**
   * Ids. Null: nobody can tell, since one that no store has is known by its levels alone, and no job has read levels yet. A webhook of a
   * movement brings the level of one article in one stock, and says nothing of others.
   */
  stocks: ReadonlySet<string> | null
  /** There may be others, which no store has. */
  stocksInPart: boolean
  kinds: readonly string[]
}

/** As a running hub knows them. */
export async function keptLists(
  config: Config,
  stores: readonly KnownStore[],
  store: Pick<Store, 'mirrorPage' | 'jobs'>,
): Promise<Lists> {
  return await listsOf(config, stores, {
    async haveSucceeded(names) {
      const jobs = await store.jobs()
      return jobs.some(({ name, lastSucceededAt }) => names.includes(name) && lastSucceededAt !== null)
    },
    hasLevels: async (stockId) => (await store.mirrorPage({ set: 'stock', place: stockId }, null, 1)).length > 0,
  }).catch((error) => {
    // Nobody can tell, so nothing is said against a stock.
    if (error instanceof StoreUnavailableError) return { ...known(stores), stocks: null }
    throw error
  })
}

/**
 * As the file of a store has them, which may be a running hub's; it is left as it is. Of a server nothing is read. Throws a MisfitError
 * where the file is no database.
 */
export async function listsOnDisk(config: Config): Promise<Lists> {
  const { url } = config.store
  const file = isPostgres(url) ? null : fileOf(url)
  if (file !== null && !existsSync(file)) return { ...known([]), stocks: null }
  if (file !== null && isNoDatabase(file))
    throw new MisfitError([{ path: ['store', 'url'], expected: `a store: ${noDatabaseText(file)}` }])
  using peek = file === null ? null : peekInto(file)
  if (!peek) return { ...known(null), stocks: null }
  return await listsOf(config, peek.stores(), {
    haveSucceeded: async (names) => names.some(peek.hasSucceeded),
    hasLevels: async (stockId) => peek.hasLevelsOf(stockId),
  })
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

/** Jobs that read the levels of every stock. */
const READ_LEVELS = ['stock-levels', 'stock-changes'] as const satisfies readonly JobName[]

interface Asked {
  haveSucceeded(jobs: readonly string[]): Promise<boolean>
  hasLevels(stockId: string): Promise<boolean>
}

/** A stock that no store has is known by its levels, once they were read. */
async function listsOf(config: Config, stores: readonly KnownStore[], asked: Asked): Promise<Lists> {
  const lists = known(stores)
  const ofStores = new Set(lists.stores?.flatMap(({ stockId }) => stockId ?? []))
  const others = lists.stores?.length ? stocksNamed(config).filter((id) => !ofStores.has(id)) : []
  if (others.length > 0 && !(await asked.haveSucceeded(READ_LEVELS))) return { ...lists, stocks: null }
  const read = await Promise.all(others.map(async (stockId) => ((await asked.hasLevels(stockId)) ? [stockId] : [])))
  return { ...lists, stocks: new Set([...ofStores, ...read.flat()]) }
}

function known(stores: readonly KnownStore[] | null): Omit<Lists, 'stocks'> {
  return { stores: stores && presentOf(stores), stocksInPart: true, kinds: KINDS.map(({ name }) => name) }
}

/** The stocks that config names, each once. */
function stocksNamed(config: Config): string[] {
  return [...new Set([...stocksSold(config), ...Object.keys(config.platform.stockWriters)])]
}

/** The stocks that shops are told of. Of those that no store has, the hub reads the levels of these alone. */
export function stocksSold({ destinations }: Config): string[] {
  return destinations.flatMap(({ channels, stocks: told }) => [
    ...Object.values(channels).flatMap(({ stocks }) => stocks),
    ...Object.keys(told),
  ])
}
