import type { Config } from '../../config/config.ts'
import { type KnownStore, numberKey } from '../../domain/places/store-index.ts'
import type { Misfit } from '../../domain/queue/misfit.ts'
import { BY_ADDRESS } from '../../jobs/all.ts'
import { oneOf } from '../../lib/suggest.ts'
import { KIND_NAMES } from '../../payloads/kinds.ts'
import { abilitiesOf } from '../../ports/perform.ts'
import { type Lists, stocksSold } from '../lists.ts'
import type { Systems } from '../systems.ts'

type Destination = Config['destinations'][number]

/**
 * Values that are most likely wrong in config, although a hub can work by them: names that the platform's lists do not have, as they
 * were read last, and settings that come to nothing. A list may be older than what it lacks, so nothing is refused for it.
 */
export function doubtsOf(config: Config, systems: Systems, lists: Lists): Misfit[] {
  return [
    ...addressDoubts(config),
    ...nameDoubts(config, lists),
    ...config.destinations.flatMap((one) => idleSettings(one, systems)),
  ]
}

/** The names among them: of kinds, stores and stocks. */
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

/** A hub that asks the platform, and does not know what the platform was to send to it. */
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

/** The keys of a map by kind, which may also be kinds of the hub's own. */
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

/** Names of stores and stocks; none where no list is there to hold them against. */
function placeDoubts(config: Config, { stores, stocks, stocksInPart }: Omit<Lists, 'kinds'>): Misfit[] {
  return stores === null || stores.length === 0
    ? []
    : [...storeDoubts(config, stores), ...(stocks === null ? [] : stockDoubts(config, stocks, stocksInPart))]
}

/** Whether config names stores or stocks that no list is there to hold against. */
export function namesUnheld(config: Config, { stores, stocks, stocksInPart }: Lists): boolean {
  const areUnknown = stores === null || stores.length === 0
  if (!areUnknown && stocks !== null) return stocksInPart && unreadStocks(config).some((stock) => !stocks.has(stock))
  const named = areUnknown ? storeDoubts(config, []) : []
  return named.length + stockDoubts(config, new Set(), false).length > 0
}

/** Stocks that one system alone writes, and no shop is told of: where no store has one, the hub never reads its levels, and cannot know it. */
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

  /** Things that are written by store or country. */
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

/** Settings that are written for what the adapter of a destination cannot do. */
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
