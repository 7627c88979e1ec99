import type { Channels } from '../domain/catalogue/channel.ts'
import { createStoreIndex, type StoreIndex } from '../domain/places/store-index.ts'
import type { Flow, Planned, Step } from '../flows/flow.ts'
import { kindOf } from '../payloads/kinds.ts'
import { storeRefOf } from '../payloads/store-ref.ts'
import type { Owed } from '../store/owed.ts'
import { type Daily, gathered } from './daily.ts'
import { holds, readStoreList, type StoreList } from './store-list.ts'

/** A destination, as far as routing knows it. */
export interface Routable {
  name: string
  /** Ports of the destination, and their methods: `orders`, `orders.create` … */
  abilities: readonly string[]
  /** The kinds whose raw events it asks for. */
  publish: 'all' | readonly string[]
  /** Flows that it is left out of. */
  skip: readonly string[]
  /** Only what happens in these stores: store numbers, or countries such as NO. Null: wherever it happens. */
  stores: readonly string[] | null
  /** Messages about orders that it sends to customers. */
  messages: readonly string[]
  /** Where it sells from: it is told how many of each article can be sold there. */
  channels: Channels
  /** Flows whose steps of a day of a store it gets together, once that day has closed. */
  daily: Daily
  /** The adapter takes many records of the books in one call gladly. */
  gathers?: boolean
}

/** Deliveries that an event owes, by today's flows and destinations. `only`: those of this flow. */
export type Route = (event: Planned, only?: string) => Owed[]

/**
 * Joins flows and destinations that fit each other (route-misfits.ts). `storeIndex` gives the platform's stores as they are known
 * at the moment: it is asked for each event that a destination with `stores` might get.
 */
export function createRoute(
  flows: readonly Flow[],
  destinations: readonly Routable[],
  storeIndex: () => StoreIndex = () => NO_STORES,
): Route {
  const listed = destinations.map((one) => ({ ...one, list: one.stores ? readStoreList(one.stores) : null }))
  const byKind = new Map<string, Pair[]>()

  function pairsOf(kind: string): Pair[] {
    const found = byKind.get(kind)
    if (found) return found
    const pairs = flows
      .filter((flow) => flow.kinds === 'all' || flow.kinds.includes(kind))
      .map((flow) => ({ flow, to: listed.filter((one) => wants(one, flow, kind)) }))
      .filter(({ to }) => to.length > 0)
      .map(({ flow, to }) => ({ flow, to, byStore: to.some(({ list }) => list !== null) }))
    // Anybody with a token can name a kind: only so many are remembered.
    if (byKind.size < 1_000) byKind.set(kind, pairs)
    return pairs
  }

  /** Destinations that have no list of stores, or one that holds the event's store. */
  function ofItsStore(to: readonly Target[], { kind, payload }: Planned): Target[] {
    const place = storeIndex().find(storeRefOf(kind, payload))
    return to.filter(({ list }) => list === null || (place !== null && holds(list, place)))
  }

  function owedTo({ name, daily, gathers }: Target, flow: Flow, event: Planned, step: Step): Owed {
    const { at, to: _, ...planned } = step
    const together = at !== undefined && daily.flows.includes(flow.name) ? gathered(event, at, daily, storeIndex()) : {}
    const {
      part,
      entity,
      notBefore = null,
      batch = null,
      digest = null,
      force = false,
      ...more
    } = {
      ...(gathers && flow.port === 'backOffice' && { batch: flow.name }),
      ...planned,
      ...together,
    }
    return {
      flow: flow.name,
      part,
      destination: name,
      urgency: flow.urgency,
      entity,
      notBefore,
      once: flow.once === true,
      ...(flow.each && { each: true }),
      batch,
      latestWins: flow.latestWins === true,
      digest,
      force,
      ...more,
    }
  }

  return (event, only) =>
    pairsOf(event.kind).flatMap(({ flow, to, byStore }) => {
      if (only !== undefined && flow.name !== only) return []
      const others = flow.toOrigin ? to : to.filter(({ name }) => name !== event.origin)
      if (flow.byChannel)
        return others.flatMap((one) => flow.plan(event, one.channels).map((step) => owedTo(one, flow, event, step)))
      const steps = flow.plan(event)
      const targets = byStore && steps.length > 0 ? ofItsStore(others, event) : others
      return steps.flatMap((step) =>
        targets
          .filter(({ name }) => step.to === undefined || step.to.includes(name))
          .map((one) => owedTo(one, flow, event, step)),
      )
    })
}

/** Whether any destination would get a step of a kind, as far as the kind alone tells. */
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

/** A flow and who gets its steps. `byStore`: it depends on the event's store. */
interface Pair {
  flow: Flow
  to: readonly Target[]
  byStore: boolean
}

const NO_STORES = createStoreIndex([])

function wants(destination: Routable, flow: Flow, kind: string): boolean {
  if (!canCarryOut(destination, flow)) return false
  if (flow.name !== 'publish') return true
  // Events that own systems submit are sent on only to destinations that ask for them by name.
  return destination.publish === 'all' ? kindOf(kind)?.knownFrom !== 'hub' : destination.publish.includes(kind)
}

/** Whether it gets steps of this flow at all. */
export function canCarryOut({ abilities, skip, messages }: Routable, { name, port, method, message }: Flow): boolean {
  if (!abilities.includes(method === undefined ? port : `${port}.${method}`) || skip.includes(name)) return false
  return message === undefined || messages.includes(message)
}
