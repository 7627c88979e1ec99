import { payloadOf } from '../domain/queue/event.ts'
import type { Planned } from '../flows/flow.ts'
import { evaluate } from '../lib/jsonata.ts'
import { kindOf } from '../payloads/kinds.ts'
import { type Mappings, mapped, NO_MAPPINGS } from '../payloads/mapping/mapping.ts'
import type { Owed } from '../store/owed.ts'
import type { EventFilter, EventRow, Part } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import { misfitOfSteps } from './names-that-fit.ts'
import type { Route } from './route.ts'

/** The result of a reroute, or of its dry run. */
export interface Rerouted {
  /** Events that were planned again. */
  events: number
  /** Deliveries they owe now that they did not owe before (in a dry run: at most; a `once` effect may have been owed already). */
  deliveries: number
  /** Events that could not be: quarantined, with a name too long to be looked up by, or their payload is not kept any more. */
  left: number
  /** Events in conflict that no person has decided on, which a filter leaves out unless it names them. */
  conflicts: number
  /** The same of what a person has dismissed. */
  dismissed: number
  sample: Pick<EventRow, 'id' | 'kind' | 'entity'>[]
  /** Under which it is in the audit; null: a dry run. */
  act: number | null
  /** How many events were looked at. */
  looked: number
  /** Where the next part begins; null: there is none. */
  next: number | null
}

/** How events are planned again. */
export interface Reroute {
  /** The act of a person that it is; null: count only. */
  act: number | null
  /** The part of it that is done now; not given: all. */
  part?: Part
}

const PAGE = 200
const SAMPLE = 10

/**
 * Plans events again with today's flows and destinations, oldest first. What an event owes already stays as it is. By
 * filter the deliveries let the others of their lanes go first, so that they never stand before today's work, and what a person has to
 * decide on, or has dismissed, is left out.
 */
export async function reroute(
  store: Pick<Store, 'events' | 'event' | 'owe' | 'extendAct'>,
  route: Route,
  filter: EventFilter,
  { act, part }: Reroute,
  mappings: Mappings = NO_MAPPINGS,
): Promise<Rerouted> {
  const result: Rerouted = { events: 0, deliveries: 0, left: 0, ...NONE, sample: [], act, looked: 0, next: null }
  const yields = filter.id === undefined
  const most = part?.most ?? Number.POSITIVE_INFINITY
  let after = part?.after ?? 0
  while (result.looked < most) {
    const limit = Math.min(PAGE, most - result.looked)
    const page = await store.events({ ...filter, after, limit })
    const touched: number[] = []
    for (const row of page) if (await one(row)) touched.push(row.id)
    if (act !== null && touched.length > 0) await store.extendAct(act, 0, touched)
    result.looked += page.length
    const last = page.at(-1)
    if (!last || page.length < limit) return result
    after = last.id
  }
  return { ...result, next: after }

  /** Whether it owes something new. */
  async function one(row: EventRow): Promise<boolean> {
    const why = leftOut(row, filter)
    if (why !== null) {
      result[why] += 1
      return false
    }
    const event = row.state === 'quarantined' ? null : await store.event(row.id)
    const steps = event?.body ? route(plannedAgain(event, event.body, mappings)) : null
    if (!event || !steps || misfitOfSteps(steps) !== null) {
      result.left += 1
      return false
    }
    const has = new Set(event.deliveries.map(nameOf))
    const owed = steps.filter((step) => !has.has(nameOf(step))).map((step) => (yields ? { ...step, yields } : step))
    const added = owed.length === 0 || act === null ? owed.length : await store.owe(row.id, owed, act)
    if (added === 0) return false
    result.events += 1
    result.deliveries += added
    if (result.sample.length < SAMPLE) result.sample.push({ id: row.id, kind: row.kind, entity: row.entity })
    return true
  }
}

const NONE = { conflicts: 0, dismissed: 0 }

/**
 * Why a filter leaves an event out, though it selects it. What only a person decides is decided one by one: by a filter, a sale that
 * contradicts another would be booked beside it by whoever wants what nobody wanted. Once rerouted by its id, it is like others.
 */
function leftOut({ state, conflictWith, dismissedAt }: EventRow, filter: EventFilter): keyof typeof NONE | null {
  if (filter.id !== undefined || state !== 'unrouted') return null
  if (conflictWith !== null && filter.conflict !== true) return 'conflicts'
  return dismissedAt !== null && filter.dismissed !== true ? 'dismissed' : null
}

/** An event as planning sees it today: what it is about may be read now where it was not before. */
export function plannedAgain(
  event: Omit<Planned, 'payload'> & Pick<EventRow, 'subscription'>,
  body: Uint8Array,
  mappings: Mappings,
): Planned {
  const { kind, origin, identity, receivedAt } = event
  const payload = mapped(event, payloadOf({ body }), mappings, evaluate)
  const entity = event.entity ?? kindOf(kind)?.entity?.(payload) ?? null
  return { kind, origin, identity, entity, payload, receivedAt }
}

/** The same of an event that is in quarantine, if it can be read today; null: it cannot. */
export function readAgain(
  event: Parameters<typeof plannedAgain>[0],
  body: Uint8Array,
  mappings: Mappings,
): Planned | null {
  try {
    const planned = plannedAgain(event, body, mappings)
    const known = kindOf(event.kind)
    if (!known?.identity) return planned
    const identity = known.identity(planned.payload, event.origin)
    return identity && { ...planned, identity: identity.key, entity: identity.entity }
  } catch {
    return null
  }
}

function nameOf({ flow, part, destination }: Pick<Owed, 'flow' | 'part' | 'destination'>): string {
  return JSON.stringify([flow, part, destination])
}
