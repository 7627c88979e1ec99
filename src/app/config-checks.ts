import type { Config } from '../config/config.ts'
import { pathText } from '../config/schema.ts'
import type { Channels } from '../domain/catalogue/channel.ts'
import type { ConfigWarning } from '../domain/health/health.ts'
import { type IndexedStore, numberKey, presentOf, storesNumbered } from '../domain/stores/store-index.ts'
import type { ConfigIssue } from '../domain/values/errors.ts'
import { BY_ADDRESS } from '../jobs/all.ts'
import { oneOf } from '../lib/suggest.ts'
import { allRows } from '../platform/http/read.ts'
import { KIND_NAMES, KINDS } from '../platform/payloads/kinds.ts'
import type { Platform } from '../platform/platform.ts'
import { abilitiesOf } from '../ports/perform.ts'
import type { Infrastructure } from './infrastructure.ts'
import type { Systems } from './systems.ts'

/** Names the platform has. Null: unknown, and nothing is warned of. */
export interface Lists {
  stores: readonly IndexedStore[] | null
  stocks: ReadonlySet<string> | null
  kinds: readonly string[]
}

/** Without a platform to ask: the kinds of the specification. */
export const OFFLINE: Lists = { stores: null, stocks: null, kinds: KINDS.map(({ name }) => name) }

/**
 * Config warnings: values that are probably wrong although a hub can run with them (names missing from the platform's lists, settings
 * without effect). Lists may be stale, so nothing is refused.
 */
export function warningsOf(config: Config, systems: Systems, lists: Lists): ConfigIssue[] {
  return [
    ...addressWarnings(config),
    ...nameWarnings(config, lists),
    ...config.destinations.flatMap((one) => idleSettings(one, systems)),
  ]
}

function nameWarnings(config: Config, { stores, stocks, kinds }: Lists): ConfigIssue[] {
  const { platform, destinations, retention } = config
  const { kinds: subscribed = 'all' } = platform.webhooks
  return [
    ...unknownIn(['platform', 'webhooks', 'kinds'], subscribed === 'all' ? [] : subscribed, kinds, 'kind'),
    ...destinations.flatMap(({ name, publish }) =>
      unknownIn(['destinations', name, 'publish'], publish === 'all' ? [] : (publish ?? []), kinds, 'kind'),
    ),
    // Retention applies to the hub's own kinds, too.
    ...unknownKeys(['retention', 'kinds'], retention.kinds, [...new Set([...kinds, ...KIND_NAMES])], 'kind'),
    ...(stores?.length ? storeWarnings(config, stores) : []),
    ...(stocks === null ? [] : stockWarnings(config, [...stocks])),
  ]
}

/** A platform is configured but no address for its webhooks. */
function addressWarnings({ server, platform }: Config): ConfigIssue[] {
  if (platform.baseUrl === undefined || server.publicUrl !== undefined) return []
  const off = [...(platform.webhooks.kinds === undefined ? [] : ['subscriptions']), ...BY_ADDRESS]
  const expected = `the address at which the platform reaches this hub: without it the jobs ${off.slice(0, -1).join(', ')} and ${off.at(-1)} do not run, and nobody looks for events that were lost or refused`
  return [{ path: ['server', 'publicUrl'], found: 'nothing', expected }]
}

const EXPECTED = { kind: 'a kind that is known', store: 'a store of the platform', stock: 'a stock of the platform' }
type Sort = keyof typeof EXPECTED
type Path = ConfigIssue['path']

function isKnown(text: string, known: readonly string[], sort: Sort): boolean {
  if (sort !== 'store') return known.includes(text)
  return known.some((one) => numberKey(one) === numberKey(text) || one === text.trim().toUpperCase())
}

function unknownIn(path: Path, written: readonly string[], known: readonly string[], sort: Sort): ConfigIssue[] {
  return written.flatMap((text, index) =>
    isKnown(text, known, sort)
      ? []
      : [{ path: [...path, index], expected: `${EXPECTED[sort]}: ${oneOf(text, known)}` }],
  )
}

function unknownKeys(path: Path, written: object, known: readonly string[], sort: Sort): ConfigIssue[] {
  return Object.keys(written)
    .filter((key) => !isKnown(key, known, sort))
    .map((key) => ({
      path: [...path, key],
      found: `the name "${key}"`,
      expected: `${EXPECTED[sort]}: ${oneOf(key, known)}`,
    }))
}

function storeWarnings({ platform, destinations, inactivity }: Config, stores: readonly IndexedStore[]): ConfigIssue[] {
  const numbers = stores.flatMap(({ number }) => number ?? [])
  const places = [...numbers, ...new Set(stores.flatMap(({ countryCode }) => countryCode?.toUpperCase() ?? []))]
  const numbered = (path: Path, byKey: Readonly<Record<string, string>>): ConfigIssue[] =>
    Object.entries(byKey).flatMap(([key, number]) =>
      unknownIn([], [number], numbers, 'store').map((one) => ({ ...one, path: [...path, key] })),
    )
  const { stores: subscribed = 'all' } = platform.webhooks
  return [
    ...unknownIn(['platform', 'webhooks', 'stores'], subscribed === 'all' ? [] : subscribed, places, 'store'),
    ...numbered(['platform', 'saleStores'], platform.saleStores),
    ...unknownKeys(['platform', 'retailLists'], platform.retailLists, places, 'store'),
    ...unknownKeys(['inactivity', 'hours'], inactivity.hours, places, 'store'),
    ...destinations.flatMap(({ name, stores: listed, intake }) => [
      ...unknownIn(['destinations', name, 'stores'], listed ?? [], places, 'store'),
      ...numbered(['destinations', name, 'intake', 'stores'], intake.stores),
      ...numbered(['destinations', name, 'intake', 'currencies'], intake.currencies),
    ]),
  ]
}

function stockWarnings({ platform, destinations }: Config, known: readonly string[]): ConfigIssue[] {
  return [
    ...unknownKeys(['platform', 'stockWriters'], platform.stockWriters, known, 'stock'),
    ...destinations.flatMap(({ name, stocks, channels }) => [
      ...unknownKeys(['destinations', name, 'stocks'], stocks, known, 'stock'),
      ...Object.entries(channels)
        .filter(([location]) => !Object.values(stocks).includes(location))
        .flatMap(([location, channel]) =>
          unknownIn(['destinations', name, 'channels', location, 'stocks'], channel.stocks, known, 'stock'),
        ),
    ]),
  ]
}

function idleSettings(destination: Config['destinations'][number], { targets, orderFeeds }: Systems): ConfigIssue[] {
  const { name, adapter, publish, messages, stocks, channels, accounts, daily, intake } = destination
  const abilities = abilitiesOf(targets.find((one) => one.name === name)?.ports ?? {})
  const can = (...wanted: string[]) => wanted.some((ability) => abilities.includes(ability))
  const [named, all] = [Object.keys(stocks).length, Object.keys(channels).length]
  const idle: [key: string, isWritten: boolean, works: boolean, what: string][] = [
    ['publish', publish !== null && publish.length > 0, can('publish'), 'sends on no events'],
    ['messages', messages.length > 0, can('email', 'texts'), 'tells customers nothing'],
    ['stocks', named > 0, can('stock.setLevels'), 'is told no levels'],
    ['channels', all > named, can('stock.setLevels'), 'is told no levels'],
    ['accounts', accounts !== null, can('backOffice'), 'keeps no books'],
    ['daily', daily.flows.length > 0, can('backOffice'), 'keeps no books'],
    [
      'intake',
      Object.keys(intake.stores).length > 0,
      orderFeeds.some((one) => one.name === name),
      'hands over no orders',
    ],
  ]
  return idle
    .filter(([, isWritten, works]) => isWritten && !works)
    .map(([key, , , what]) => ({
      path: ['destinations', name, key],
      found: 'what comes to nothing',
      expected: `nothing here: ${adapter}, as it is set up, ${what}`,
    }))
}

type Checked = { config: Config; systems: Systems }

export type WarningLog = ReturnType<typeof createWarningLog>

export function createWarningLog({ stores, logger }: Pick<Infrastructure, 'stores' | 'logger'>) {
  let current: Checked | null = null
  let known: readonly ConfigWarning[] = []

  function look(): void {
    if (current === null) return
    const { config, systems } = current
    const { stores: listed } = stores.index()
    const before = known
    known = [
      ...saleStoreConfigIssues(config.platform.saleStores, listed),
      ...warningsOf(config, systems, listsOf(listed)),
    ].map(({ path, found, expected }) => ({ key: pathText(path), ...(found !== undefined && { found }), expected }))
    for (const warning of known)
      if (!before.some(({ key, expected }) => key === warning.key && expected === warning.expected))
        logger.warn({ ...warning }, 'config.doubtful')
  }

  stores.onLearned(look)

  return {
    all: (): readonly ConfigWarning[] => known,

    follow(setup: Checked): void {
      current = setup
      known = []
      look()
    },
  }
}

/** As a running hub knows them. Its stocks are not a complete list: `check --online` judges those. */
export function listsOf(stores: readonly IndexedStore[]): Lists {
  return { ...OFFLINE, stores: presentOf(stores) }
}

/** From the platform, now. Rejects as its calls do. */
export async function listsOnline({ stores, stocks, webhooks }: Platform, signal: AbortSignal): Promise<Lists> {
  // An unreadable row may be the store that config names.
  const listed = allRows(await stores.list(signal), 'the stores')
  const offered = await webhooks.types(signal)
  // Not every platform lists stocks: one that no store has is not known then.
  const separate = await stocks.list(signal).then(
    ({ rows }) => rows,
    () => null,
  )
  return {
    stores: listed,
    stocks: separate && new Set([...listed, ...separate].flatMap(({ stockId }) => stockId ?? [])),
    kinds: offered.rows,
  }
}

/** A stock has one writer: a destination that is sent the levels of a stock which it writes would get each change back. */
export function writerConfigIssues(
  writers: Readonly<Record<string, string>>,
  destinations: readonly { name: string; channels: Channels }[],
): ConfigIssue[] {
  return destinations.flatMap(({ name, channels }) =>
    Object.entries(channels).flatMap(([location, { stocks }]) =>
      stocks
        .filter((stock) => writers[stock] === name)
        .map((stock) => ({
          path: ['platform', 'stockWriters', stock],
          found: `a second writer of stock ${stock}: ${name} is sent its levels as well (${location})`,
          expected: `one writer: take the stock out here, or out of destinations.${name}`,
        })),
    ),
  )
}

export function recipientConfigIssues(alarms: Config['alarms'], { notifiable, targets }: Systems): ConfigIssue[] {
  const names = targets.map(({ name }) => name)
  return Object.entries(alarms.to).flatMap(([name, { recipients }]): ConfigIssue[] => {
    const path = ['alarms', 'to', name]
    const one = notifiable.find((system) => system.name === name)
    if (one === undefined) return [{ path, expected: `a destination: ${oneOf(name, names, 'config has none yet')}` }]
    if (one.notify === null) return [{ path, expected: 'a destination that can tell people something: smtp or http' }]
    if (one.dryRun) return [{ path, expected: 'a destination without dryRun: it sends nothing' }]
    if (one.mails && recipients.length === 0) return [{ path: [...path, 'recipients'], expected: 'who gets the mails' }]
    if (!one.mails && recipients.length > 0)
      return [{ path: [...path, 'recipients'], expected: 'none: this destination sends no e-mail' }]
    return []
  })
}

/** Undefined: not known from outside. A listener of its own has another address than webhooks. */
export function consoleUrlOf({ server, console }: Pick<Config, 'server' | 'console'>): string | undefined {
  return console.publicUrl ?? (server.admin ? undefined : server.publicUrl)
}

/** The provider sends the browser back to the console's address. */
export function oidcConfigIssues(config: Config): ConfigIssue[] {
  if (config.console.oidc === undefined || consoleUrlOf(config) !== undefined) return []
  const path = config.server.admin ? ['console', 'publicUrl'] : ['server', 'publicUrl']
  return [
    { path, found: 'nothing', expected: 'the address at which browsers reach the console: console.oidc needs it' },
  ]
}

/** An unknown store may be new. */
export function saleStoreConfigIssues(
  saleStores: Readonly<Record<string, string>>,
  stores: readonly IndexedStore[],
): ConfigIssue[] {
  return Object.entries(saleStores).flatMap(([country, number]): ConfigIssue[] => {
    const path = ['platform', 'saleStores', country]
    const numbered = storesNumbered(stores, number)
    const present = presentOf(numbered)
    // A closed store must not stop the hub.
    const found = present.length > 0 ? present : numbered
    if (found.length > 1)
      return [
        { path, found: `${number}, which ${found.length} stores have`, expected: 'the number of one store alone' },
      ]
    const elsewhere = found.find(({ countryCode }) => countryCode !== null && countryCode.toUpperCase() !== country)
    if (!elsewhere) return []
    return [{ path, found: `${number}, a store in ${elsewhere.countryCode}`, expected: `a store in ${country}` }]
  })
}
