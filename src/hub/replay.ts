import { type LoadedConfig, located } from '../config/reading/load.ts'
import { prepare } from '../delivery/calling/prepare.ts'
import type { Destination } from '../delivery/destination.ts'
import { createOrderReader } from '../delivery/evidence/order-reader.ts'
import type { Link } from '../domain/orders/link.ts'
import { shownFields } from '../domain/people/erasing/personal-fields.ts'
import { createStoreIndex, knownPlace } from '../domain/places/store-index.ts'
import { deliveryKey, type Event } from '../domain/queue/event.ts'
import { RetryLaterError } from '../domain/values/errors.ts'
import { flows } from '../flows/index.ts'
import { plannedAgain, readAgain } from '../inbox/reroute.ts'
import { systemClock } from '../lib/clock.ts'
import { evaluate } from '../lib/jsonata.ts'
import { mappedEvent } from '../payloads/mapping/mapping.ts'
import { type Claim, NEVER_TRIED } from '../store/claim.ts'
import type { Owed } from '../store/owed.ts'
import type { StoreReading } from '../store/reading/open-reading.ts'
import type { EventDetail, EventFilter } from '../store/screens.ts'
import { createOffline } from './offline.ts'

export interface ReplayedCall {
  event: number
  kind: string
  destination: string
  flow: string
  part: string
  entity: string | null
  /** `orders.create`; null: no call. */
  method: string | null
  /** Leaves of its argument by path, personal data masked. */
  fields: Readonly<Record<string, string>>
  /** Why no call is made or sent; null: it would be sent. */
  why: string | null
}

export interface Replayed {
  events: number
  left: number
  more: boolean
  calls: ReplayedCall[]
}

export interface ReplayOf extends Pick<EventFilter, 'kind' | 'entity' | 'since' | 'until'> {
  ids: readonly number[]
  limit: number
}

/**
 * The calls that a hub with this config would make of recorded events: planned and prepared by the code that delivers, and performed
 * by nobody. The storage is only read; destinations and the platform are not asked. Throws what a start would throw.
 *
 * Each event is taken as if nothing had been acted on before it but what the replay itself would have done. Where the platform
 * verifies webhooks, it is taken to confirm; a settlement that must be read from it is a call that would wait.
 */
export async function replayCalls(
  loaded: LoadedConfig,
  reading: StoreReading,
  which: ReplayOf,
  signal: AbortSignal,
): Promise<Replayed> {
  const { config, folder } = loaded
  const { payloads: mappings, trustWebhooks } = config.platform
  const stores = await reading.stores()
  await using hub = await createOffline(config, folder, { flows, stores }).catch((error: unknown) => {
    throw located(error, loaded)
  })
  const index = createStoreIndex(stores)
  const destinations = new Map(hub.targets.map((one) => [one.name, one]))
  const flowsByName = new Map(flows.map((flow) => [flow.name, flow]))
  const memory = createMemory()
  const sources = {
    links: memory.links,
    effectsOf: memory.effectsOf,
    // Pending deliveries of today were not pending then.
    deliveries: async () => [],
    event: reading.event,
    find: async () => [],
    orders: createOrderReader(reading, null, {
      clock: systemClock,
      trusts: trustWebhooks || hub.platform !== null,
      storeName: (storeId) => index.nameOfStore(storeId),
    }),
    settlements: async () => {
      if (hub.platform === null) return null
      throw new RetryLaterError('a replay does not ask the platform for it', { code: 'not-asked' })
    },
    storeOf: (ref: Parameters<typeof knownPlace>[1]) => knownPlace(index, ref),
  }

  async function prepared(event: Event, step: Owed, destination: Destination): Promise<ReplayedCall | null> {
    const flow = flowsByName.get(step.flow)
    if (!flow) return null
    const effect = step.effect ?? null
    const key = deliveryKey(event, step.flow, step.part, effect)
    if (flow.once && !memory.owes(flow.each ? `${destination.name} ${key}` : key)) return null
    const { part, entity } = step
    const head = { event: event.id, kind: event.kind, destination: destination.name, flow: flow.name, part, entity }
    const limits = {
      clock: systemClock,
      timeout: destination.lane.timeout,
      underWay: new Map<number, AbortController>(),
    }
    const read = flow.port === 'publish' ? event : mappedEvent(event, mappings, evaluate)
    // With dryRun the call would be recorded unmasked.
    const ready = await prepare(claimOf(read, step), flow, { ...destination, dryRun: false }, sources, limits)
    if (!('call' in ready)) {
      const why = ready.type === 'delivered' ? null : `${WORDS[ready.type]}: ${ready.why}`
      return { ...head, method: null, fields: {}, why }
    }
    const { port, method, argument } = ready.call
    memory.made(ready.told, destination.dryRun ? null : effect)
    const why = destination.dryRun ? 'dryRun: it would be recorded, not sent' : null
    return { ...head, method: `${port}.${method}`, fields: shownFields(argument), why }
  }

  /** Null: the event cannot be planned. */
  async function callsOf({ body, ...row }: EventDetail): Promise<ReplayedCall[] | null> {
    // A quarantined event readable since was ingested again as its own event.
    if (body === null || (row.state === 'quarantined' && row.dismissedAt !== null)) return null
    const planned = row.state === 'quarantined' ? readAgain(row, body, mappings) : plannedAgain(row, body, mappings)
    if (planned === null) return null
    const event = { ...row, body, identity: planned.identity }
    const calls: ReplayedCall[] = []
    for (const step of hub.route(planned)) {
      const destination = destinations.get(step.destination)
      const call = destination && (await prepared(event, step, destination))
      if (call) calls.push(call)
    }
    return calls
  }

  const { ids, limit, ...filter } = which
  // One extra shows if there are more.
  const chosen = ids.length > 0 ? [...ids] : await idsOf(reading, filter, limit + 1)
  const more = chosen.length > limit
  const result: Replayed = { events: 0, left: 0, more, calls: [] }
  for (const id of more ? chosen.slice(0, limit) : chosen) {
    signal.throwIfAborted()
    const event = await reading.event(id)
    const calls = event && (await callsOf(event))
    if (calls) {
      result.events += 1
      result.calls.push(...calls)
    } else result.left += 1
  }
  return result
}

const PAGE = 200

async function idsOf(reading: StoreReading, filter: Partial<EventFilter>, most: number): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < most) {
    const limit = Math.min(PAGE, most - ids.length)
    const page = await reading.events({ ...filter, after: ids.at(-1) ?? 0, limit })
    ids.push(...page.map(({ id }) => id))
    if (page.length < limit) break
  }
  return ids
}

const WORDS = {
  superseded: 'nothing is left to do',
  retry: 'it would wait',
  wait: 'it would wait',
  held: 'it would be held',
  dead: 'it would be dead',
  unknown: 'nobody can tell',
} as const

/** As claimed for the first time when its event came. */
function claimOf(event: Event, step: Owed): Claim {
  const { flow, part, destination, urgency, entity, batch, once, effect = null } = step
  return {
    fence: 0,
    delivery: {
      id: 0,
      flow,
      part,
      destination,
      urgency,
      entity,
      batch,
      once,
      effect,
      released: null,
      ...NEVER_TRIED,
    },
    event,
    unchanged: false,
    outdated: false,
    overtaken: null,
  }
}

function createMemory() {
  const owed = new Set<string>()
  const links = new Map<string, Map<string, Link>>()
  const effects = new Set<string>()
  const nameOf = (...parts: string[]) => JSON.stringify(parts)
  return {
    owes(name: string): boolean {
      if (owed.has(name)) return false
      owed.add(name)
      return true
    },
    made(kept: readonly Link[], effect: string | null): void {
      for (const link of kept) {
        const name = nameOf(link.destination, link.kind, link.id)
        links.set(name, (links.get(name) ?? new Map()).set(link.theirId, link))
      }
      if (effect !== null) effects.add(effect)
    },
    links: async (destination: string, kind: string, ids: readonly string[]) =>
      [...new Set(ids)].flatMap((id) => [...(links.get(nameOf(destination, kind, id))?.values() ?? [])]),
    effectsOf: async (state: 'skipped' | 'delivered', beginning: string) =>
      state === 'skipped' ? [] : [...effects].filter((effect) => effect.startsWith(beginning)),
  }
}
