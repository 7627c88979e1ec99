import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { notThere } from '../domain/values/text.ts'
import {
  type Accepted,
  acceptAsOwn,
  type Reparsed as ReparsedEvents,
  reparse,
  reroute,
  resumeUnread,
} from '../ingest/reroute.ts'
import {
  dryRun,
  EventSelection,
  hintOf,
  idIn,
  meantBy,
  partly,
  Reason,
  refuseEverything,
  requireReason,
} from './asked.ts'
import type { AdminContext } from './context.ts'
import { change, get, NOTHING, notFound, post, type Route } from './routes.ts'

/** `held`: deliveries that go on. */
export type Reparsed = ReparsedEvents & { held: number }

export interface AcceptedEvent extends Accepted {
  act: number | null
}

const Selected = z.strictObject({ filter: EventSelection, ...partly })
const One = z.strictObject({
  id: z.unknown().transform((id) => idIn(String(id), 'an event', 'events list')),
  dryRun,
  reason: Reason,
})

const WHICH = ['kind', 'state', 'conflict', 'reused-key', 'dismissed', 'entity', 'since', 'until']

export function eventRoutes(context: AdminContext): Route[] {
  const { storage, planning, inbox, logger } = context

  /** Its amount, and that of the event that it contradicts; empty if decided, or pruned. */
  async function amountsOf(id: number): Promise<Partial<Pick<Accepted, 'amount' | 'other'>>> {
    const { amount = null, other = null } = (await acceptAsOwn(planning, id, null).catch(() => null)) ?? {}
    return { amount, other }
  }

  return [
    get('/events/:id', NOTHING, async ({ params: { id } }) => {
      const event = await storage.event(idIn(id, 'an event', 'events list'))
      if (!event) throw notFound(notThere('event', String(id)))
      const { body, ...row } = event
      const amounts = event.conflictWith === null ? {} : await amountsOf(event.id)
      return { ...row, ...amounts, ...readable(body) }
    }),

    post('/events/reroute', 'reroute', Selected, async ({ asked, begin, operator }) => {
      const { filter, dryRun, reason, part } = asked
      refuseEverything(filter, WHICH)
      const act = await begin({ selection: filter, reason }, { dryRun, ...(part && { part }) })
      const how = { act, ...(part && { part }) }
      const result = await reroute(planning.storage, planning.route, filter, how, planning.mappings)
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
      const held = isFirst ? await resumeUnread({ ...planning, logger }) : 0
      const result: Reparsed = { ...read, held }
      if (!dryRun) logger.warn({ filter, ...result, by: operator }, 'events.reparsed')
      return result
    }),

    change(context, '/events/dismiss', 'dismiss', { selection: EventSelection, which: WHICH }, (filter, audit) =>
      storage.dismiss(meantBy(filter), audit),
    ),

    // A conflict in which both events happened.
    post('/events/accept', 'accept', One, async ({ asked, begin, audit, operator }): Promise<AcceptedEvent> => {
      const { id, ...how } = asked
      requireReason(how)
      const act = await begin({ selection: { id }, reason: how.reason }, how)
      const accepted = await acceptAsOwn(planning, id, act)
      if (accepted === null) throw notFound(notThere('event', String(id)))
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

function readable(body: Uint8Array | null) {
  if (body === null) return { body }
  const bytes = Buffer.from(body)
  return isUtf8(bytes) ? { body: bytes.toString('utf8') } : { body: null, bodyBase64: bytes.toString('base64') }
}
