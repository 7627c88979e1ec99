import { payloadOf } from '../domain/queue/event.ts'
import { UserError } from '../domain/values/errors.ts'
import type { Planned } from '../flows/flow.ts'
import { orderUnread, UNKNOWN_WORD } from '../flows/order-unread.ts'
import { evaluate } from '../lib/jsonata.ts'
import type { Logger } from '../lib/logger.ts'
import { kindOf } from '../payloads/kinds.ts'
import { type Mappings, mapped, NO_MAPPINGS } from '../payloads/mapping/mapping.ts'
import { UNREAD, unreadOf } from '../payloads/unread.ts'
import type { Owed } from '../store/owed.ts'
import type { Audit, DeliveryRow, EventDetail, EventFilter, EventRow, Part } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import { misfitOfSteps } from './reading.ts'
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

/** An event in conflict that an operator accepts as one of its own, or would. */
export interface Accepted {
  event: number
  /** The event that has its identity; 0: one that is not remembered any more. */
  conflictWith: number
  /** What it is worth, and what the other one is, as their kinds compare them; null: they do not say. */
  amount: string | null
  other: string | null
  /** Deliveries that it owes now; of a dry run: at most. */
  deliveries: number
}

interface Tools {
  store: Pick<Store, 'event' | 'owe'>
  route: Route
  mappings: Mappings
}

/**
 * Plans an event that is in conflict as what happened besides the event that it contradicts: two receipts may have one number. What it
 * brings about has a name of its own, so that it is brought about once, however often this is asked. `act` null: it only counts. Null: there
 * is no such event. Throws a UserError for one that contradicts nothing, was decided on, or whose payload is gone.
 */
export async function acceptAsOwn(
  { store, route, mappings }: Tools,
  id: number,
  act: number | null,
): Promise<Accepted | null> {
  const event = await store.event(id)
  if (!event) return null
  const { conflictWith, dismissedBy, body } = event
  if (conflictWith === null) throw new UserError(`event ${id} contradicts nothing: there is nothing to accept`)
  if (dismissedBy !== null)
    throw new UserError(`event ${id} was decided on by ${dismissedBy}: ${event.dismissedBecause}`)
  if (body === null) throw new UserError(`the payload of event ${id} is not kept any more: it cannot be accepted`)
  const steps = route(plannedAgain(event, body, mappings))
  const misfit = misfitOfSteps(steps)
  if (misfit !== null) throw new UserError(`event ${id} cannot be accepted: ${misfit}`)
  const owed = conflictWith === NOT_REMEMBERED ? steps : steps.map((step) => ofItsOwn(step, id))
  const first = conflictWith === NOT_REMEMBERED ? null : await store.event(conflictWith)
  return {
    event: id,
    conflictWith,
    amount: amountOf(event, mappings),
    other: first && amountOf(first, mappings),
    deliveries: act === null ? owed.length : await store.owe(id, owed, act),
  }
}

/** In place of the event that another one contradicts: one that is not remembered any more, if it ever came. */
const NOT_REMEMBERED = 0

/** What a step brings about, named as that of this event alone. */
function ofItsOwn(step: Owed, id: number): Owed {
  const { said: _, ...rest } = step
  return { ...rest, effect: step.effect == null ? null : `${step.effect}/own-${id}`, effectOfNumber: null }
}

/** What an event is worth, by what its kind compares; null: its kind compares no amounts, or nothing of it is kept. */
function amountOf(event: EventDetail, mappings: Mappings): string | null {
  const { kind, origin, body } = event
  if (body === null) return null
  try {
    return kindOf(kind)?.identity?.(mapped(event, payloadOf({ body }), mappings, evaluate), origin)?.facts?.[0] ?? null
  } catch {
    return null
  }
}

interface Options {
  store: Pick<Store, 'owed' | 'deliveries' | 'delivery' | 'event' | 'owe' | 'retry' | 'skip' | 'now'>
  route: Route
  mappings: Mappings
  logger: Logger
  /** Aborted when the hub stops: the rest goes on at its next start. */
  signal: AbortSignal
}

/** In place of a part: what is owed under the name that could not be read before. */
const READ_LATER = '~read-later'

/**
 * What was held because a field of its event could not be read goes on by itself once config says what that is called: at the
 * start of a hub. What can be read now may have a name that it had not when it was planned (the id of a transaction), by
 * which it is owed once, whatever event tells of it: then it is owed under that name, and the nameless one is skipped. So is news of an
 * order that nobody could read (`order-unread`), once it can be: its event owes what it says. How many went on.
 */
export async function resumeUnread({ store, route, mappings, logger, signal }: Options): Promise<number> {
  // Most hubs start with nothing open; to look closely takes a thread.
  if ((await store.owed()).every(({ open }) => open === 0)) return 0
  let resumed = 0
  let before: number | undefined
  while (!signal.aborted) {
    const page = await store.deliveries({
      state: 'held',
      limit: PAGE,
      ...(before !== undefined && { before }),
    })
    for (const row of page.filter(isUnread)) if (!signal.aborted) resumed += await resume(row)
    before = page.at(-1)?.id
    if (page.length < PAGE) break
  }
  if (resumed > 0) logger.info({ deliveries: resumed }, 'deliveries.readable-now')
  return resumed

  /** How many go on. */
  async function resume({ id, event: eventId, flow, part, destination }: DeliveryRow): Promise<number> {
    const [event, delivery] = [await store.event(eventId), await store.delivery(id)]
    if (!event?.body || !delivery) return 0
    const planned = plannedAgain(event, event.body, mappings)
    if (unreadOf(event.kind, planned.payload).length > 0) return 0
    const owed = route(planned)
    if (misfitOfSteps(owed) !== null) return 0
    const isSame = (one: Owed) => one.flow === flow && one.part === part && one.destination === destination
    const same = owed.find(isSame)
    // The order's news is still in doubt, and an operator's to decide.
    if (same && flow === orderUnread.name) return 0
    if (same && (same.effect ?? null) === delivery.effect) {
      await store.retry({ id }, audit('its fields can be read now'), false)
      return 1
    }
    await store.owe(
      eventId,
      owed.map((one) => (isSame(one) ? { ...one, part: READ_LATER } : one)),
    )
    await store.skip({ id }, audit('its fields can be read now: it is owed under the name that they give it'))
    return 1
  }

  function audit(reason: string): Audit {
    return { at: store.now(), by: 'hub', reason, dryRun: false }
  }
}

/** Held for what could not be read, and for nothing else. */
function isUnread({ flow, code }: DeliveryRow): boolean {
  return code === UNREAD || (flow === orderUnread.name && code === UNKNOWN_WORD)
}
