import type { Channels } from '../domain/catalogue/channel.ts'
import { createStoreIndex, numberKey, type StoreIndex, type StoreMatch } from '../domain/stores/store-index.ts'
import type { ConfigIssue } from '../domain/values/errors.ts'
import { dayClose, dayIn } from '../domain/values/store-time.ts'
import type { EventToRoute, Flow, Step } from '../flows/flow.ts'
import { oneOf } from '../lib/suggest.ts'
import { kindOf, storeRefOf } from '../platform/payloads/kinds.ts'
import type { NewDelivery } from '../storage/arrival.ts'

export interface Routable {
  name: string
  abilities: readonly string[]
  publish: 'all' | readonly string[]
  skip: readonly string[]
  /** Store numbers, or countries such as NO; null: all. */
  stores: readonly string[] | null
  messages: readonly string[]
  channels: Channels
  daily: Daily
  /** The adapter takes many accounting records in one call. */
  gathers?: boolean
}

/** `only`: steps of this flow. */
export type Route = (event: EventToRoute, only?: string) => NewDelivery[]

export function createRoute(
  flows: readonly Flow[],
  destinations: readonly Routable[],
  storeIndex: () => StoreIndex = () => NO_STORES,
): Route {
  const listed = destinations.map((one) => ({ ...one, list: one.stores ? readStoreList(one.stores) : null }))
  const byKind = new Map<string, Pair[]>()

  function pairsOf(kind: string): Pair[] {
    const pairs = flows
      .filter((flow) => flow.kinds === 'all' || flow.kinds.includes(kind))
      .map((flow) => ({ flow, to: listed.filter((one) => wants(one, flow, kind)) }))
      .filter(({ to }) => to.length > 0)
      .map(({ flow, to }) => ({ flow, to, byStore: to.some(({ list }) => list !== null) }))
    // Callers choose kinds: bound the cache.
    if (byKind.size < 1_000) byKind.set(kind, pairs)
    return pairs
  }

  function ofItsStore(to: readonly Target[], { kind, payload }: EventToRoute): Target[] {
    const place = storeIndex().find(storeRefOf(kind, payload))
    return to.filter(({ list }) => list === null || (place !== null && holds(list, place)))
  }

  function pendingTo({ name, daily, gathers }: Target, flow: Flow, event: EventToRoute, step: Step): NewDelivery {
    const { at, to: _, ...planned } = step
    const together =
      at !== undefined && daily.flows.includes(flow.name) ? dailyBatch(event, at, daily, storeIndex()) : {}
    const {
      part,
      entity,
      notBefore = null,
      batch = null,
      digest = null,
      force = false,
      ...more
    } = { ...(gathers && flow.port === 'backOffice' && { batch: flow.name }), ...planned, ...together }
    return {
      flow: flow.name,
      part,
      destination: name,
      urgency: flow.urgency,
      entity,
      notBefore,
      once: flow.atMostOnce === true,
      ...(flow.perDestination && { each: true }),
      batch,
      latestWins: flow.latestWins === true,
      digest,
      force,
      ...more,
    }
  }

  return (event, only) =>
    (byKind.get(event.kind) ?? pairsOf(event.kind)).flatMap(({ flow, to, byStore }) => {
      if (only !== undefined && flow.name !== only) return []
      const others = flow.toOrigin ? to : to.filter(({ name }) => name !== event.origin)
      if (flow.byChannel)
        return others.flatMap((one) => flow.plan(event, one.channels).map((step) => pendingTo(one, flow, event, step)))
      const steps = flow.plan(event)
      const targets = byStore && steps.length > 0 ? ofItsStore(others, event) : others
      return steps.flatMap((step) =>
        targets
          .filter(({ name }) => step.to === undefined || step.to.includes(name))
          .map((one) => pendingTo(one, flow, event, step)),
      )
    })
}

export function createWanted(flows: readonly Flow[], destinations: readonly Routable[]): (kind: string) => boolean {
  return (kind) =>
    flows.some(
      (flow) =>
        (flow.kinds === 'all' || flow.kinds.includes(kind)) && destinations.some((one) => wants(one, flow, kind)),
    )
}

interface Target {
  name: string
  list: StoreList | null
  channels: Channels
  daily: Daily
  gathers?: boolean
}

interface Pair {
  flow: Flow
  to: readonly Target[]
  byStore: boolean
}

const NO_STORES = createStoreIndex([])

function wants(destination: Routable, flow: Flow, kind: string): boolean {
  if (!canExecute(destination, flow)) return false
  if (flow.name !== 'publish') return true
  return destination.publish === 'all' ? kindOf(kind)?.knownFrom !== 'hub' : destination.publish.includes(kind)
}

export function canExecute({ abilities, skip, messages }: Routable, { name, port, method, message }: Flow): boolean {
  if (!abilities.includes(method === undefined ? port : `${port}.${method}`) || skip.includes(name)) return false
  return message === undefined || messages.includes(message)
}

interface Daily {
  flows: readonly string[]
  closes: string
}

const UTC = 'UTC'

/** Later is a wrong POS clock (ms). */
const MAX_FUTURE_MS = 3 * 24 * 3_600_000

/** Due when the store's day closes; at once if that is past or far ahead. */
export function dailyBatch(
  { kind, payload, receivedAt }: EventToRoute,
  at: string,
  { closes }: Daily,
  storeIndex: StoreIndex,
): Pick<Step, 'notBefore' | 'batch'> {
  const ref = storeRefOf(kind, payload)
  const place = storeIndex.find(ref)
  const day = dayIn(at, place?.zone ?? null)
  if (day === null) return {}
  const store = (place && storeIndex.keyOf(place)) ?? (ref.stockId === null ? '' : `stock ${ref.stockId}`)
  const notBefore = dayClose(day, closes, place?.zone ?? UTC)
  return { ...(notBefore <= receivedAt + MAX_FUTURE_MS && { notBefore }), batch: `${day} ${store}` }
}

interface StoreList {
  numbers: ReadonlySet<string>
  countries: ReadonlySet<string>
}

/** Two letters are a country, else a store number. */
export function readStoreList(entries: readonly string[]): StoreList {
  const trimmed = entries.map((entry) => entry.trim())
  return {
    numbers: new Set(trimmed.filter((entry) => !isCountry(entry)).map(numberKey)),
    countries: new Set(trimmed.filter(isCountry).map((entry) => entry.toUpperCase())),
  }
}

export function holds(
  { numbers, countries }: StoreList,
  { number, countryCode }: Pick<StoreMatch, 'number' | 'countryCode'>,
): boolean {
  return (number !== null && numbers.has(numberKey(number))) || (countryCode !== null && countries.has(countryCode))
}

function meeting(a: StoreList, b: StoreList): string | null {
  const shared = [...a.numbers.intersection(b.numbers), ...a.countries.intersection(b.countries)]
  if (shared.length > 0) return `${shared.join(', ')} ${shared.length > 1 ? 'are' : 'is'} in both`
  const isMixed = (one: StoreList, other: StoreList) => one.numbers.size > 0 && other.countries.size > 0
  return isMixed(a, b) || isMixed(b, a) ? 'a store of the one may be in a country of the other' : null
}

function isCountry(entry: string): boolean {
  return /^[a-z]{2}$/i.test(entry)
}

export function routeConfigIssues(flows: readonly Flow[], destinations: readonly Routable[]): ConfigIssue[] {
  return [...nameConfigIssues(flows, destinations), ...onceConfigIssues(flows, destinations)]
}

function nameConfigIssues(flows: readonly Flow[], destinations: readonly Routable[]): ConfigIssue[] {
  const names = flows.map(({ name }) => name)
  return destinations.flatMap(({ name, skip, daily }) => {
    const listed = [
      ...skip.map((flow, index) => ({ flow, path: ['skip', index] })),
      ...daily.flows.map((flow, index) => ({ flow, path: ['daily', 'flows', index] })),
    ]
    return listed
      .filter(({ flow }) => !names.includes(flow))
      .map(({ flow, path }) => ({ path: ['destinations', name, ...path], expected: `a flow: ${oneOf(flow, names)}` }))
  })
}

interface RouteConfigIssuesPair {
  one: Routable
  other: Routable
  flows: string[]
}

function onceConfigIssues(flows: readonly Flow[], destinations: readonly Routable[]): ConfigIssue[] {
  const pairs = new Map<string, RouteConfigIssuesPair>()
  for (const flow of flows.filter(({ atMostOnce, perDestination }) => atMostOnce && !perDestination)) {
    const to = destinations.filter((destination) => canExecute(destination, flow))
    for (const [index, one] of to.entries())
      for (const other of to.slice(index + 1)) {
        const key = `${one.name} ${other.name}`
        const pair = pairs.get(key) ?? { one, other, flows: [] }
        pair.flows.push(flow.name)
        pairs.set(key, pair)
      }
  }
  return [...pairs.values()].flatMap((pair) => pairConfigIssue(pair) ?? [])
}

function pairConfigIssue({ one, other, flows }: RouteConfigIssuesPair): ConfigIssue | null {
  const path = ['destinations', other.name]
  const skip = `skip: [${flows.join(', ')}] at one of them`
  const second = `a second destination, besides ${one.name}, for what must happen once (${flows.join(', ')})`
  if (!one.stores || !other.stores)
    return {
      path,
      found: second,
      expected: `${skip}, or stores: lists that do not meet at both; one that only watches takes events with publish`,
    }
  const met = meeting(readStoreList(one.stores), readStoreList(other.stores))
  if (met === null) return null
  return {
    path: [...path, 'stores'],
    found: `stores that meet those of ${one.name} (${met}), for what must happen once (${flows.join(', ')})`,
    expected: `countries only, or store numbers only, at both, and none in both; or ${skip}`,
  }
}
