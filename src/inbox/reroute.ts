import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises'
import { OWN_KINDS, PLATFORM, payloadOf } from '../domain/queue/event.ts'
import { UserError } from '../domain/values/errors.ts'
import { perhapsBooked } from '../flows/back-office.ts'
import type { Flow, Planned, Step } from '../flows/flow.ts'
import { orderUnread, UNKNOWN_WORD } from '../flows/omnichannel/update.ts'
import { evaluate } from '../lib/jsonata.ts'
import type { Logger } from '../lib/logger.ts'
import { kindOf } from '../payloads/kinds.ts'
import { type Mappings, mapped, NO_MAPPINGS } from '../payloads/mapping/mapping.ts'
import { UNREAD, unreadOf } from '../payloads/unread.ts'
import type { Owed } from '../store/owed.ts'
import type { Audit, DeliveryRow, EventDetail, EventFilter, EventRow, Part } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import type { Inbox } from './accept.ts'
import { misfitOfSteps } from './reading.ts'
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
  part?: Part
}

const PAGE = 200
const SAMPLE = 10

/** By today's config, oldest first; existing deliveries stay. By filter, new ones have low priority. */
export async function reroute(
  store: Pick<Store, 'events' | 'event' | 'owe' | 'extendAct'>,
  route: Route,
  filter: EventFilter,
  { act, part }: Reroute,
  mappings: Mappings = NO_MAPPINGS,
): Promise<Rerouted> {
  const result = { events: 0, deliveries: 0, left: 0, ...NONE, sample: [] as Rerouted['sample'], act }
  const yields = filter.id === undefined
  const walked = await walkEvents(store, filter, part, async (page) => {
    const touched: number[] = []
    for (const row of page) if (await one(row)) touched.push(row.id)
    if (act !== null && touched.length > 0) await store.extendAct(act, 0, touched)
  })
  return { ...result, ...walked }

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

/** Conflicts are decided one by one: a filter would post a sale beside its contradiction. */
function leftOut({ state, conflictWith, dismissedAt }: EventRow, filter: EventFilter): keyof typeof NONE | null {
  if (filter.id !== undefined || state !== 'unrouted') return null
  if (conflictWith !== null && filter.conflict !== true) return 'conflicts'
  return dismissedAt !== null && filter.dismissed !== true ? 'dismissed' : null
}

/** The entity may be readable now. */
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

function nameOf({ flow, part, destination }: Pick<Owed, 'flow' | 'part' | 'destination'>): string {
  return JSON.stringify([flow, part, destination])
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
  store: Pick<Store, 'event' | 'owe'>
  route: Route
  mappings: Mappings
}

/**
 * Plans a conflicting event beside the one it contradicts, under its own effect names. `act` null: count only. Throws a
 * UserError without an undecided conflict, or a payload.
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

/** The first event was pruned. */
const NOT_REMEMBERED = 0

function ofItsOwn(step: Owed, id: number): Owed {
  const { said: _, ...rest } = step
  return { ...rest, effect: step.effect == null ? null : `${step.effect}/own-${id}`, effectOfNumber: null }
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
  store: Pick<Store, 'owed' | 'deliveries' | 'delivery' | 'event' | 'owe' | 'retry' | 'skip' | 'now'>
  route: Route
  mappings: Mappings
  logger: Logger
  signal: AbortSignal
}

const READ_LATER = '~read-later'

/** Resumes deliveries held for a field that config now names. If their effect name changed, they are enqueued anew. */
export async function resumeUnread({ store, route, mappings, logger, signal }: Options): Promise<number> {
  if ((await store.owed()).every(({ open }) => open === 0)) return 0
  let resumed = 0
  let before: number | undefined
  while (!signal.aborted) {
    const page = await store.deliveries({ state: 'held', limit: PAGE, ...(before !== undefined && { before }) })
    for (const row of page.filter(isUnread)) if (!signal.aborted) resumed += await resume(row)
    before = page.at(-1)?.id
    if (page.length < PAGE) break
  }
  if (resumed > 0) logger.info({ deliveries: resumed }, 'deliveries.readable-now')
  return resumed

  async function resume({ id, event: eventId, flow, part, destination }: DeliveryRow): Promise<number> {
    const [event, delivery] = [await store.event(eventId), await store.delivery(id)]
    if (!event?.body || !delivery) return 0
    const planned = plannedAgain(event, event.body, mappings)
    if (unreadOf(event.kind, planned.payload).length > 0) return 0
    const owed = route(planned)
    if (misfitOfSteps(owed) !== null) return 0
    const isSame = (one: Owed) => one.flow === flow && one.part === part && one.destination === destination
    const same = owed.find(isSame)
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

function isUnread({ flow, code }: DeliveryRow): boolean {
  return code === UNREAD || (flow === orderUnread.name && code === UNKNOWN_WORD)
}

export interface Walked {
  looked: number
  next: number | null
}

/** Oldest first, a page at a time. */
export async function walkEvents(
  store: Pick<Store, 'events'>,
  filter: EventFilter,
  part: Part | undefined,
  take: (page: EventRow[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<Walked> {
  const most = part?.most ?? Number.POSITIVE_INFINITY
  let after = part?.after ?? 0
  let looked = 0
  while (looked < most && !signal?.aborted) {
    const limit = Math.min(PAGE, most - looked)
    const page = await store.events({ ...filter, after, limit })
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
  store: Pick<Store, 'events' | 'event' | 'dismiss' | 'extendAct' | 'now'>
  inbox: Pick<Inbox, 'reread'>
  signal?: AbortSignal
}

interface How {
  by: string
  dryRun: boolean
  act: number | null
  part?: Part
}

/** Multiple of the time of a page: a start must not wait for it. */
const REST = 4

/** By today's mapping, oldest first, dismissed ones excepted; without repeating their raw `publish`. */
export async function reparse(
  { store, inbox, signal }: ReparseTools,
  filter: EventFilter,
  { by, dryRun, act, part }: How,
): Promise<Reparsed> {
  const result = { events: 0, left: 0, sample: [] as Reparsed['sample'], act }
  const quarantined: EventFilter = { ...filter, state: 'quarantined', dismissed: false }
  const walked = await walkEvents(
    store,
    quarantined,
    part,
    async (page) => {
      const began = performance.now()
      const done: number[] = []
      for (const row of page) {
        if (signal?.aborted) return
        await breath()
        if (!(await one(row))) {
          result.left += 1
          continue
        }
        done.push(row.id)
        result.events += 1
        if (result.sample.length < SAMPLE) result.sample.push({ id: row.id, kind: row.kind })
      }
      if (act !== null && done.length > 0) await store.extendAct(act, done.length, done)
      if (part === undefined) await sleep((performance.now() - began) * REST, undefined, { signal }).catch(() => {})
    },
    signal,
  )
  return { ...result, ...walked }

  async function one({ id, kind, origin }: EventRow): Promise<boolean> {
    if (origin !== PLATFORM || (OWN_KINDS as readonly string[]).includes(kind)) return false
    const event = await store.event(id)
    if (!event?.body) return false
    const taken = await inbox.reread(event as EventDetail & { body: Uint8Array }, { now: store.now(), dryRun })
    if (taken === null) return false
    if (!dryRun) await store.dismiss({ id }, audit(`it can be read now: event ${taken}`))
    return true
  }

  function audit(reason: string): Audit {
    return { at: store.now(), by, reason, dryRun: false }
  }
}

type ToldApart = (owed: Owed[]) => Owed[] | Promise<Owed[]>

interface ToldApartOptions {
  store: Pick<Store, 'owedBefore' | 'event'>
  flows: readonly Flow[]
  mappings: Mappings
}

/** A number may name two facts. Equal content is one fact; other or pruned content needs an operator. */
export function createToldApart({ store, flows, mappings }: ToldApartOptions): ToldApart {
  return (owed) => (owed.some(isDoubted) ? apart(owed) : owed)

  async function apart(owed: Owed[]): Promise<Owed[]> {
    const asked = owed.filter(isDoubted)
    const before = await store.owedBefore(asked)
    const events = new Map(asked.map((step, n) => [step, before[n] ?? null]))
    return await Promise.all(owed.map((step) => one(step, events.get(step) ?? null)))
  }

  async function one(step: Owed, before: number | null): Promise<Owed> {
    if (before === null) return step
    const then = await bookedBy(before, step)
    return then?.said === step.said ? step : forPerson(step, before)
  }

  async function bookedBy(id: number, { flow: name, effect }: Owed): Promise<Step | null> {
    const event = await store.event(id)
    const flow = flows.find((one) => one.name === name)
    if (!event?.body || !flow) return null
    try {
      return flow.plan(plannedAgain(event, event.body, mappings)).find((one) => one.effect === effect) ?? null
    } catch {
      return null
    }
  }
}

/** Refunds count by number alone. */
function isDoubted({ once, said }: Owed): boolean {
  return once && said !== undefined
}

function forPerson({ effect, said, ...step }: Owed, before: number): Owed {
  return { ...step, part: perhapsBooked(before), entity: null, effect: `${effect}/${said}` }
}
