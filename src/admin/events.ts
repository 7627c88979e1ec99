import { z } from 'zod'
import { notFoundText } from '../domain/values/text.ts'
import {
  type Accepted,
  acceptAsOwn,
  type Reparsed as ReparsedEvents,
  reparse,
  reroute,
  resumeUnread,
} from '../ingest/reroute.ts'
import { shownBody } from '../lib/json.ts'
import type { EventRow, EventFilter as EventRows } from '../storage/rows.ts'
import {
  dryRun,
  EventFilter,
  EventSelection,
  type Hinted,
  hintOf,
  idIn,
  inOrder,
  MAX_LOOKED,
  meantBy,
  page,
  pageOf,
  partly,
  Reason,
  refuseEverything,
  requireReason,
} from './asked.ts'
import type { AdminContext } from './context.ts'
import { change, get, NOTHING, notFound, post, type Route } from './routes.ts'

export interface EventList extends Hinted {
  events: EventRow[]
  hidden: number
  /** Where the list continues, or may; null: at its end. */
  before: number | null
}

/** `held`: deliveries that go on. */
export type Reparsed = ReparsedEvents & { held: number }

export interface AcceptedEvent extends Accepted {
  act: number | null
}

/** Too many to list by default. */
const OWN = new Set(['StockChanged', 'StockLevelRead'])
const PAGE = 500
const MAX_LOOKED_OWN = 20_000

const Listed = inOrder(
  EventFilter.extend({
    ...page,
    own: z.enum(['show', 'hide']).default('show'),
    webhooks: z.literal('true', 'expected true, or nothing').optional(),
  }),
)
const Selected = z.strictObject({ filter: EventSelection, ...partly })
const One = z.strictObject({
  id: z.unknown().transform((id) => idIn(String(id), 'an event', 'events list')),
  dryRun,
  reason: Reason,
})

const WHICH = ['kind', 'state', 'conflict', 'reused-key', 'dismissed', 'entity', 'since', 'until']

export function eventRoutes(context: AdminContext): Route[] {
  const { storage, route, mappings, inbox, logger } = context

  async function all(filter: EventRows, limit: number): Promise<Omit<EventList, 'hint'>> {
    const { rows, next } = pageOf(await storage.lookForEvents({ ...filter, limit: limit + 1 }, MAX_LOOKED), limit)
    return { events: rows, hidden: 0, before: next }
  }

  async function withoutOwn(filter: EventRows, limit: number): Promise<Omit<EventList, 'hint'>> {
    const events: EventRow[] = []
    let { before } = filter
    let hidden = 0
    for (let looked = 0; looked < MAX_LOOKED_OWN; ) {
      const asked = { ...filter, ...(before !== undefined && { before }), limit: PAGE }
      const { rows: page, next } = await storage.lookForEvents(asked, MAX_LOOKED)
      for (const row of page) {
        if (events.length === limit) return { events, hidden, before: before ?? null }
        if (OWN.has(row.kind)) hidden += 1
        else events.push(row)
        before = row.id
      }
      looked += page.length
      if (page.length < PAGE) return { events, hidden, before: next }
    }
    return { events, hidden, before: before ?? null }
  }

  /** Its amount, and that of the event that it contradicts; empty if decided, or pruned. */
  async function amountsOf(id: number): Promise<Partial<Pick<Accepted, 'amount' | 'other'>>> {
    const { amount = null, other = null } = (await acceptAsOwn(context, id, null).catch(() => null)) ?? {}
    return { amount, other }
  }

  return [
    get('/events', Listed, async ({ asked: { own, webhooks, limit, ...asked } }): Promise<EventList> => {
      const filter: EventRows = { ...meantBy(asked), ...(webhooks && { webhooks: true }) }
      const isAsked = filter.kind !== undefined || filter.id !== undefined || filter.entity !== undefined
      const found = await (own === 'show' || isAsked ? all(filter, limit) : withoutOwn(filter, limit))
      return { ...found, hint: found.events.length === 0 ? hintOf(filter, context) : null }
    }),

    get('/events/:id', NOTHING, async ({ params: { id } }) => {
      const event = await storage.event(idIn(id, 'an event', 'events list'))
      if (!event) throw notFound(notFoundText('event', String(id)))
      const { body, ...row } = event
      const amounts = event.conflictWith === null ? {} : await amountsOf(event.id)
      return { ...row, ...amounts, ...shownBody(body) }
    }),

    post('/events/reroute', 'reroute', Selected, async ({ asked, begin, operator }) => {
      const { filter, dryRun, reason, part } = asked
      refuseEverything(filter, WHICH)
      const act = await begin({ selection: filter, reason }, { dryRun, ...(part && { part }) })
      const how = { act, ...(part && { part }) }
      const result = await reroute(storage, route, filter, how, mappings)
      if (!dryRun) logger.warn({ by: operator, filter, ...result }, 'events.rerouted')
      return { ...result, hint: result.looked === 0 ? hintOf(filter, context) : null }
    }),

    // Without a filter: all that is quarantined.
    post('/events/reparse', 'reparse', Selected, async ({ asked, begin, operator }) => {
      const { filter, dryRun, reason, part } = asked
      const act = await begin({ selection: filter, reason }, { dryRun, ...(part && { part }) })
      const read = await reparse({ storage, inbox }, filter, { by: operator, dryRun, act, ...(part && { part }) })
      // Held deliveries are resumed with the first part.
      const isFirst = !dryRun && (part?.after ?? 0) === 0
      const held = isFirst ? await resumeUnread({ storage, route, mappings, logger }) : 0
      const result: Reparsed = { ...read, held }
      if (!dryRun) logger.warn({ filter, ...result, by: operator }, 'events.reparsed')
      return result
    }),

    change(
      context,
      '/events/dismiss',
      'dismiss',
      { selection: EventSelection, which: WHICH, meant: meantBy },
      storage.dismiss,
    ),

    // A conflict in which both events happened.
    post('/events/accept', 'accept', One, async ({ asked, begin, audit, operator }): Promise<AcceptedEvent> => {
      const { id, ...how } = asked
      requireReason(how)
      const act = await begin({ selection: { id }, reason: how.reason }, how)
      const accepted = await acceptAsOwn(context, id, act)
      if (accepted === null) throw notFound(notFoundText('event', String(id)))
      if (act !== null) {
        await storage.extendAct(act, 0, [id])
        const why = `accepted as one of its own (act ${act} of the audit): ${how.reason}`
        await storage.dismiss({ id }, await audit({ ...how, reason: why }))
        logger.warn({ by: operator, ...accepted, act }, 'event.accepted')
      }
      return { ...accepted, act }
    }),
  ]
}
