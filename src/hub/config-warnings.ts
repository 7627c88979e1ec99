import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import type { JobName } from '../config/jobs.ts'
import { pathText } from '../config/schema/schemas-at.ts'
import type { Doubt } from '../domain/health/health.ts'
import { type KnownStore, numberKey, presentOf } from '../domain/places/store-index.ts'
import { type Misfit, MisfitError, StoreUnavailableError } from '../domain/values/errors.ts'
import { BY_ADDRESS } from '../jobs/all.ts'
import { oneOf } from '../lib/suggest.ts'
import { KIND_NAMES, KINDS } from '../payloads/kinds.ts'
import { allRows } from '../platform/http/read.ts'
import type { Platform } from '../platform/platform.ts'
import { abilitiesOf } from '../ports/perform.ts'
import { saleStoreMisfits } from '../receiver/submissions/stores.ts'
import { fileOf, isPostgres } from '../store/open.ts'
import { noDatabaseText } from '../store/sqlite/file/unavailable.ts'
import { isNoDatabase, peekInto } from '../store/sqlite/lanes/peek.ts'
import type { Store } from '../store/store.ts'
import type { Base } from './base.ts'
import type { Setup } from './setup.ts'
import type { Systems } from './systems.ts'

type Destination = Config['destinations'][number]

/**
 * Config warnings: values that are probably wrong although a hub can run with them (names missing from the platform's lists, settings
 * without effect). Lists may be stale, so nothing is refused.
 */
export function doubtsOf(config: Config, systems: Systems, lists: Lists): Misfit[] {
  return [
    ...addressDoubts(config),
    ...nameDoubts(config, lists),
    ...config.destinations.flatMap((one) => idleSettings(one, systems)),
  ]
}

export function nameDoubts(config: Config, lists: Lists): Misfit[] {
  const { platform, destinations, retention } = config
  return [
    ...kindDoubts(platform.webhooks.kinds, ['platform', 'webhooks', 'kinds'], lists.kinds),
    ...destinations.flatMap(({ name, publish }) =>
      kindDoubts(publish ?? undefined, ['destinations', name, 'publish'], lists.kinds),
    ),
    ...ownKindDoubts(Object.keys(retention.kinds), ['retention', 'kinds'], lists.kinds),
    ...placeDoubts(config, lists),
  ]
}

/** A platform is configured but no address for its webhooks. */
function addressDoubts({ server, platform }: Config): Misfit[] {
  if (platform.baseUrl === undefined || server.publicUrl !== undefined) return []
  const off = [...(platform.webhooks.kinds === undefined ? [] : ['subscriptions']), ...BY_ADDRESS]
  const expected = `the address at which the platform reaches this hub: without it the jobs ${off.slice(0, -1).join(', ')} and ${off.at(-1)} do not run, and nobody looks for events that were lost or refused`
  return [{ path: ['server', 'publicUrl'], found: 'nothing', expected }]
}

function kindDoubts(
  written: 'all' | readonly string[] | undefined,
  path: Misfit['path'],
  known: readonly string[],
): Misfit[] {
  if (written === undefined || written === 'all') return []
  return written.flatMap((kind, index) =>
    known.includes(kind) ? [] : [{ path: [...path, index], expected: `a kind that is known: ${oneOf(kind, known)}` }],
  )
}

/** Keys by kind may include the hub's own kinds. */
function ownKindDoubts(written: readonly string[], path: Misfit['path'], offered: readonly string[]): Misfit[] {
  const known = [...new Set([...offered, ...KIND_NAMES])]
  return written
    .filter((kind) => !known.includes(kind))
    .map((kind) => ({
      path: [...path, kind],
      found: `the name "${kind}"`,
      expected: `a kind that is known: ${oneOf(kind, known)}`,
    }))
}

function placeDoubts(config: Config, { stores, stocks, stocksInPart }: Omit<Lists, 'kinds'>): Misfit[] {
  return stores === null || stores.length === 0
    ? []
    : [...storeDoubts(config, stores), ...(stocks === null ? [] : stockDoubts(config, stocks, stocksInPart))]
}

/** True if config names stores or stocks and no list is known. */
export function namesUnheld(config: Config, { stores, stocks, stocksInPart }: Lists): boolean {
  const areUnknown = stores === null || stores.length === 0
  if (!areUnknown && stocks !== null) return stocksInPart && unreadStocks(config).some((stock) => !stocks.has(stock))
  const named = areUnknown ? storeDoubts(config, []) : []
  return named.length + stockDoubts(config, new Set(), false).length > 0
}

function unreadStocks(config: Config): string[] {
  const sold = stocksSold(config)
  return Object.keys(config.platform.stockWriters).filter((stock) => !sold.includes(stock))
}

function storeDoubts({ platform, destinations, silence }: Config, stores: readonly KnownStore[]): Misfit[] {
  const numbers = stores.flatMap(({ number }) => number ?? [])
  const countries = [...new Set(stores.flatMap(({ countryCode }) => countryCode?.toUpperCase() ?? []))]
  const isNumber = (text: string) => numbers.some((number) => numberKey(number) === numberKey(text))
  const isPlace = (text: string) => isNumber(text) || countries.includes(text.trim().toUpperCase())

  const places = (path: Misfit['path'], written: readonly string[]): Misfit[] =>
    written.flatMap((text, index) =>
      isPlace(text) ? [] : [{ path: [...path, index], expected: placeOf(text, [...numbers, ...countries]) }],
    )
  const numbered = (path: Misfit['path'], byKey: Readonly<Record<string, string>>): Misfit[] =>
    Object.entries(byKey).flatMap(([key, number]) =>
      isNumber(number) ? [] : [{ path: [...path, key], expected: placeOf(number, numbers) }],
    )

  const keys = (path: Misfit['path'], byPlace: Readonly<Record<string, unknown>>): Misfit[] =>
    Object.keys(byPlace).flatMap((place) =>
      isPlace(place)
        ? []
        : [
            {
              path: [...path, place],
              found: `the name "${place}"`,
              expected: placeOf(place, [...numbers, ...countries]),
            },
          ],
    )

  const { stores: subscribed = 'all' } = platform.webhooks
  return [
    ...places(['platform', 'webhooks', 'stores'], subscribed === 'all' ? [] : subscribed),
    ...numbered(['platform', 'saleStores'], platform.saleStores),
    ...keys(['platform', 'retailLists'], platform.retailLists),
    ...keys(['silence', 'hours'], silence.hours),
    ...destinations.flatMap(({ name, stores: listed, intake }) => [
      ...places(['destinations', name, 'stores'], listed ?? []),
      ...numbered(['destinations', name, 'intake', 'stores'], intake.stores),
      ...numbered(['destinations', name, 'intake', 'currencies'], intake.currencies),
    ]),
  ]
}

function placeOf(written: string, known: readonly string[]): string {
  return `a store of the platform: ${oneOf(written, known)}`
}

function stockDoubts(config: Config, known: ReadonlySet<string>, inPart: boolean): Misfit[] {
  const { platform, destinations } = config
  const unread = inPart ? unreadStocks(config) : []
  const others = inPart ? ' (tillbridge check --online asks which others there are that no store has)' : ''
  const expected = (stock: string) => `a stock of the platform: ${oneOf(stock, [...known])}${others}`
  const keys = (path: Misfit['path'], stocks: Readonly<Record<string, string>>): Misfit[] =>
    Object.keys(stocks)
      .filter((stock) => !known.has(stock) && !unread.includes(stock))
      .map((stock) => ({ path: [...path, stock], found: `the name "${stock}"`, expected: expected(stock) }))

  return [
    ...keys(['platform', 'stockWriters'], platform.stockWriters),
    ...destinations.flatMap(({ name, stocks, channels }) => [
      ...keys(['destinations', name, 'stocks'], stocks),
      ...Object.entries(channels)
        .filter(([location]) => !Object.values(stocks).includes(location))
        .flatMap(([location, channel]) =>
          channel.stocks.flatMap((stock, index) =>
            known.has(stock)
              ? []
              : [{ path: ['destinations', name, 'channels', location, 'stocks', index], expected: expected(stock) }],
          ),
        ),
    ]),
  ]
}

function idleSettings(destination: Destination, { targets, handing }: Systems): Misfit[] {
  const { name, adapter, publish, messages, stocks, channels, accounts, daily, intake } = destination
  const abilities = abilitiesOf(targets.find((one) => one.name === name)?.ports ?? {})
  const can = (...wanted: string[]) => wanted.some((ability) => abilities.includes(ability))
  const handsOver = handing.some((one) => one.name === name)
  const idle: [key: string, isWritten: boolean, works: boolean, what: string][] = [
    ['publish', publish !== null && publish.length > 0, can('publish'), 'sends on no events'],
    ['messages', messages.length > 0, can('email', 'texts'), 'tells customers nothing'],
    ['stocks', Object.keys(stocks).length > 0, can('stock.setLevels'), 'is told no levels'],
    [
      'channels',
      Object.keys(channels).length > Object.keys(stocks).length,
      can('stock.setLevels'),
      'is told no levels',
    ],
    ['accounts', accounts !== null, can('backOffice'), 'keeps no books'],
    ['daily', daily.flows.length > 0, can('backOffice'), 'keeps no books'],
    ['intake', Object.keys(intake.stores).length > 0, handsOver, 'hands over no orders'],
  ]
  return idle
    .filter(([, isWritten, works]) => isWritten && !works)
    .map(([key, , , what]) => ({
      path: ['destinations', name, key],
      found: 'what comes to nothing',
      expected: `nothing here: ${adapter}, as it is set up, ${what}`,
    }))
}

/** Logs config warnings at start and when the platform's stores change. */
export function createDoubtLog({ stores, store, logger }: Pick<Base, 'stores' | 'store' | 'logger'>) {
  let current: Setup | null = null
  /** Last found, per setup. */
  let known: { of: Setup | null; doubts: readonly Doubt[] } = { of: null, doubts: [] }

  async function look(): Promise<void> {
    if (current === null) return
    const setup = current
    const { config, systems } = setup
    const { stores: listed } = stores.index()
    const lists = await keptLists(config, listed, store)
    const misfits = [...saleStoreMisfits(config.platform.saleStores, listed), ...doubtsOf(config, systems, lists)]
    // Another config is active by now.
    if (setup !== current) return
    const doubts = misfits.map(doubtOf)
    const said = known.of === setup ? known.doubts : []
    known = { of: setup, doubts }
    for (const doubt of doubts)
      if (!said.some((one) => isSame(one, doubt))) logger.warn({ ...doubt }, 'config.doubtful')
  }

  function lookSoon(): void {
    look().catch((err: unknown) => logger.warn({ err }, 'config.doubts-not-looked-for'))
  }

  stores.onLearned(lookSoon)

  return {
    all: (): readonly Doubt[] => known.doubts,

    follow(setup: Setup): void {
      current = setup
      lookSoon()
    },
  }
}

function doubtOf({ path, found, expected }: Misfit): Doubt {
  return { key: pathText(path), ...(found !== undefined && { found }), expected }
}

function isSame(one: Doubt, other: Doubt): boolean {
  return one.key === other.key && one.expected === other.expected
}

/** Names the platform has, as far as known. */
export interface Lists {
  /** Empty: not read yet. Null: unknown. */
  stores: readonly KnownStore[] | null
  /** Ids. Null: unknown; a stock without a store is known by its levels alone, and no job has read levels yet. */
  stocks: ReadonlySet<string> | null
  /** More stocks may exist without a store. */
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
    // Unknown: warn of nothing.
    if (error instanceof StoreUnavailableError) return { ...known(stores), stocks: null }
    throw error
  })
}

/**
 * From a storage file, which may be in use and stays untouched; nothing is read of a server. Throws a MisfitError if the file is no
 * database.
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

/** From the platform, now. Rejects as its calls do. */
export async function listsOnline({ stores, stocks, webhooks }: Platform, signal: AbortSignal): Promise<Lists> {
  // An unreadable row may be the store that config names.
  const listed = allRows(await stores.list(signal), 'the stores')
  const offered = await webhooks.types(signal)
  const known = listed.flatMap(({ stockId }) => stockId ?? [])
  // Not every platform lists stocks.
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

/** Jobs that read all levels. */
const READ_LEVELS = ['stock-levels', 'stock-changes'] as const satisfies readonly JobName[]

interface Asked {
  haveSucceeded(jobs: readonly string[]): Promise<boolean>
  hasLevels(stockId: string): Promise<boolean>
}

/** A stock without a store is known by its levels. */
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

function stocksNamed(config: Config): string[] {
  return [...new Set([...stocksSold(config), ...Object.keys(config.platform.stockWriters)])]
}

/** Stocks sold by shops. Of stocks without a store, only these levels are read. */
function stocksSold({ destinations }: Config): string[] {
  return destinations.flatMap(({ channels, stocks: told }) => [
    ...Object.values(channels).flatMap(({ stocks }) => stocks),
    ...Object.keys(told),
  ])
}
