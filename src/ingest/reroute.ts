import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises'
import { OWN_KINDS, PLATFORM, payloadOf } from '../domain/queue/event.ts'
import { UserError } from '../domain/values/errors.ts'
import type { EventToRoute } from '../flows/flow.ts'
import { orderUnread, UNKNOWN_WORD } from '../flows/update.ts'
import { evaluate } from '../lib/jsonata.ts'
import type { Logger } from '../lib/logger.ts'
import { kindOf } from '../platform/payloads/kinds.ts'
import { type Mappings, mapped, NO_MAPPINGS } from '../platform/payloads/mapping/mapping.ts'
import { UNREAD, unreadOf } from '../platform/payloads/unread.ts'
import type { NewDelivery } from '../storage/arrival.ts'
import type { Audit, CommandSlice, DeliveryRow, EventDetail, EventFilter, EventRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { type Inbox, stepName } from './accept.ts'
import { configIssueOfSteps } from './parse.ts'
import type { Route } from './route.ts'

export interface Rerouted extends Walked {
  events: number
  /** In a dry run at most: a `once` effect may exist. */
  deliveries: number
  /** Quarantined, pruned, or with too long a name. */
  left: number
  /** Left out unless the filter names them. */
  conflicts: number
  dismissed: number
  sample: Pick<EventRow, 'id' | 'kind' | 'entity'>[]
  act: number | null
}

export interface Reroute {
  act: number | null
  part?: CommandSlice
}

const PAGE = 200
const SAMPLE = 10

/** By today's config, oldest first; existing deliveries stay. By filter, new ones have low priority. */
export async function reroute(
  storage: Pick<Storage, 'events' | 'event' | 'enqueue' | 'extendAct'>,
  route: Route,
  filter: EventFilter,
  { act, part }: Reroute,
  mappings: Mappings = NO_MAPPINGS,
): Promise<Rerouted> {
  const result = { events: 0, deliveries: 0, left: 0, ...NONE, sample: [] as Rerouted['sample'], act }
  const yields = filter.id === undefined
  const walked = await walkEvents(storage, filter, part, async (page) => {
    const touched: number[] = []
    for (const row of page) if (await one(row)) touched.push(row.id)
    if (act !== null && touched.length > 0) await storage.extendAct(act, 0, touched)
  })
  return { ...result, ...walked }

  async function one(row: EventRow): Promise<boolean> {
    const why = leftOut(row, filter)
    if (why !== null) {
      result[why] += 1
      return false
    }
    const event = row.state === 'quarantined' ? null : await storage.event(row.id)
    const steps = event?.body ? route(plannedAgain(event, event.body, mappings)) : null
    if (!event || !steps || configIssueOfSteps(steps) !== null) {
      result.left += 1
      return false
    }
    const has = new Set(event.deliveries.map(stepName))
    const pending = steps
      .filter((step) => !has.has(stepName(step)))
      .map((step) => (yields ? { ...step, yields } : step))
    const added = pending.length === 0 || act === null ? pending.length : await storage.enqueue(row.id, pending, act)
    if (added === 0) return false
    result.events += 1
    result.deliveries += added
    if (result.sample.length < SAMPLE) result.sample.push({ id: row.id, kind: row.kind, entity: row.entity })
    return true
  }
}

const NONE = { conflicts: 0, dismissed: 0 }

/** Conflicts are decided one by one: a filter would post a sale beside its contradiction. */
function leftOut({ state, conflictWith, dismissedAt }: EventRow, filter: EventFilter): keyof typeof NONE | null {
  if (filter.id !== undefined || state !== 'unrouted') return null
  if (conflictWith !== null && filter.conflict !== true) return 'conflicts'
  return dismissedAt !== null && filter.dismissed !== true ? 'dismissed' : null
}

/** The entity may be readable now. */
export function plannedAgain(
  event: Omit<EventToRoute, 'payload'> & Pick<EventRow, 'subscription'>,
  body: Uint8Array,
  mappings: Mappings,
): EventToRoute {
  const { kind, origin, identity, receivedAt } = event
  const payload = mapped(event, payloadOf({ body }), mappings, evaluate)
  const entity = event.entity ?? kindOf(kind)?.entity?.(payload) ?? null
  return { kind, origin, identity, entity, payload, receivedAt }
}

export interface Accepted {
  event: number
  /** 0: pruned. */
  conflictWith: number
  amount: string | null
  other: string | null
  deliveries: number
}

interface Tools {
  storage: Pick<Storage, 'event' | 'enqueue'>
  route: Route
  mappings: Mappings
}

/**
 * Plans a conflicting event beside the one it contradicts, under its own effect names. `act` null: count only. Throws a
 * UserError without an undecided conflict, or a payload.
 */
export async function acceptAsOwn(
  { storage, route, mappings }: Tools,
  id: number,
  act: number | null,
): Promise<Accepted | null> {
  const event = await storage.event(id)
  if (!event) return null
  const { conflictWith, dismissedBy, body } = event
  if (conflictWith === null) throw new UserError(`event ${id} contradicts nothing: there is nothing to accept`)
  if (dismissedBy !== null)
    throw new UserError(`event ${id} was decided on by ${dismissedBy}: ${event.dismissedBecause}`)
  if (body === null) throw new UserError(`the payload of event ${id} is not kept any more: it cannot be accepted`)
  const steps = route(plannedAgain(event, body, mappings))
  const configIssue = configIssueOfSteps(steps)
  if (configIssue !== null) throw new UserError(`event ${id} cannot be accepted: ${configIssue}`)
  const pending = conflictWith === NOT_REMEMBERED ? steps : steps.map((step) => withOwnEffect(step, id))
  const first = conflictWith === NOT_REMEMBERED ? null : await storage.event(conflictWith)
  return {
    event: id,
    conflictWith,
    amount: amountOf(event, mappings),
    other: first && amountOf(first, mappings),
    deliveries: act === null ? pending.length : await storage.enqueue(id, pending, act),
  }
}

/** The first event was pruned. */
const NOT_REMEMBERED = 0

/** Beside the effect of the event that it contradicts: under that one's name it would be a repeat, or held as one. */
function withOwnEffect(step: NewDelivery, id: number): NewDelivery {
  const { said: _, ...rest } = step
  return { ...rest, effect: step.effect == null ? null : `${step.effect}/own-${id}`, keyByNumber: null }
}

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
  storage: Pick<Storage, 'pending' | 'deliveries' | 'delivery' | 'event' | 'enqueue' | 'retry' | 'skip' | 'now'>
  route: Route
  mappings: Mappings
  logger: Logger
  signal?: AbortSignal
}

const READ_LATER = '~read-later'

/** Resumes deliveries held for a field that config now names. If their effect name changed, they are enqueued anew. */
export async function resumeUnread({ storage, route, mappings, logger, signal }: Options): Promise<number> {
  if ((await storage.pending()).every(({ open }) => open === 0)) return 0
  let resumed = 0
  let before: number | undefined
  while (!signal?.aborted) {
    const page = await storage.deliveries({ state: 'held', limit: PAGE, ...(before !== undefined && { before }) })
    for (const row of page.filter(isUnread)) if (!signal?.aborted) resumed += await resume(row)
    before = page.at(-1)?.id
    if (page.length < PAGE) break
  }
  if (resumed > 0) logger.info({ deliveries: resumed }, 'deliveries.readable-now')
  return resumed

  async function resume({ id, event: eventId, flow, part, destination }: DeliveryRow): Promise<number> {
    const [event, delivery] = [await storage.event(eventId), await storage.delivery(id)]
    if (!event?.body || !delivery) return 0
    const planned = plannedAgain(event, event.body, mappings)
    if (unreadOf(event.kind, planned.payload).length > 0) return 0
    const pending = route(planned)
    if (configIssueOfSteps(pending) !== null) return 0
    const isSame = (one: NewDelivery) => one.flow === flow && one.part === part && one.destination === destination
    const same = pending.find(isSame)
    if (same && flow === orderUnread.name) return 0
    if (same && (same.effect ?? null) === delivery.effect) {
      await storage.retry({ id }, audit('its fields can be read now'), false)
      return 1
    }
    await storage.enqueue(
      eventId,
      pending.map((one) => (isSame(one) ? { ...one, part: READ_LATER } : one)),
    )
    await storage.skip({ id }, audit('its fields can be read now: it is owed under the name that they give it'))
    return 1
  }

  function audit(reason: string): Audit {
    return { at: storage.now(), by: 'hub', reason, dryRun: false }
  }
}

function isUnread({ flow, code }: DeliveryRow): boolean {
  return code === UNREAD || (flow === orderUnread.name && code === UNKNOWN_WORD)
}

export interface Walked {
  looked: number
  next: number | null
}

/** Oldest first, a page at a time. */
export async function walkEvents(
  storage: Pick<Storage, 'events'>,
  filter: EventFilter,
  part: Pick<CommandSlice, 'after' | 'most'> | undefined,
  take: (page: EventRow[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<Walked> {
  const most = part?.most ?? Number.POSITIVE_INFINITY
  let after = part?.after ?? 0
  let looked = 0
  while (looked < most && !signal?.aborted) {
    const limit = Math.min(PAGE, most - looked)
    const page = await storage.events({ ...filter, after, limit })
    await take(page)
    looked += page.length
    const last = page.at(-1)
    if (!last || page.length < limit) return { looked, next: null }
    after = last.id
  }
  return { looked, next: signal?.aborted ? null : after }
}

export interface Reparsed extends Walked {
  /** Ingested; the quarantined ones are dismissed. */
  events: number
  left: number
  sample: Pick<EventRow, 'id' | 'kind'>[]
  act: number | null
}

interface ReparseTools {
  storage: Pick<Storage, 'events' | 'event' | 'dismiss' | 'extendAct' | 'now'>
  inbox: Pick<Inbox, 'reread'>
  signal?: AbortSignal
}

interface How {
  by: string
  dryRun: boolean
  act: number | null
  part?: CommandSlice
}

/** Multiple of the time of a page: a start must not wait for it. */
const REST = 4

/** By today's mapping, oldest first, dismissed ones excepted; without repeating their raw `publish`. */
export async function reparse(
  { storage, inbox, signal }: ReparseTools,
  filter: EventFilter,
  { by, dryRun, act, part }: How,
): Promise<Reparsed> {
  const result = { events: 0, left: 0, sample: [] as Reparsed['sample'], act }
  const quarantined: EventFilter = { ...filter, state: 'quarantined', dismissed: false }
  const walked = await walkEvents(
    storage,
    quarantined,
    part,
    async (page) => {
      const began = performance.now()
      const done: number[] = []
      for (const row of page) {
        if (signal?.aborted) return
        await tick()
        if (!(await one(row))) {
          result.left += 1
          continue
        }
        done.push(row.id)
        result.events += 1
        if (result.sample.length < SAMPLE) result.sample.push({ id: row.id, kind: row.kind })
      }
      if (act !== null && done.length > 0) await storage.extendAct(act, done.length, done)
      if (part === undefined) await sleep((performance.now() - began) * REST, undefined, { signal }).catch(() => {})
    },
    signal,
  )
  return { ...result, ...walked }

  async function one({ id, kind, origin }: EventRow): Promise<boolean> {
    if (origin !== PLATFORM || (OWN_KINDS as readonly string[]).includes(kind)) return false
    const event = await storage.event(id)
    if (!event?.body) return false
    const taken = await inbox.reread(event as EventDetail & { body: Uint8Array }, { now: storage.now(), dryRun })
    if (taken === null) return false
    if (!dryRun) await storage.dismiss({ id }, audit(`it can be read now: event ${taken}`))
    return true
  }

  function audit(reason: string): Audit {
    return { at: storage.now(), by, reason, dryRun: false }
  }
}
