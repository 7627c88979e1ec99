import { isUtf8 } from 'node:buffer'
import { Router } from 'express'
import { z } from 'zod'
import { notThere } from '../domain/values/text.ts'
import type { Reparsed, reparse } from '../inbox/reparse.ts'
import type { Accepted, Reroute as How, Rerouted } from '../inbox/reroute.ts'
import type { Logger } from '../lib/logger.ts'
import type { EventFilter as EventRows } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import type { Acts } from './acts.ts'
import { notFound, operatorOf } from './asking.ts'
import { EventSelection, meantBy, parse, partly, refuseEverything, requireReason, wholeId } from './filters.ts'
import type { Hints } from './hints.ts'

interface Options {
  store: Pick<Store, 'event' | 'dismiss' | 'extendAct'>
  /** Null: there is no such event. `act` null: it only counts. */
  acceptAsOwn(id: number, act: number | null): Promise<Accepted | null>
  reroute: (filter: EventRows, how: How) => Promise<Rerouted>
  reparse: (filter: EventRows, how: Parameters<typeof reparse>[2]) => Promise<Reparsed & { held: number }>
  hints: Hints
  acts: Acts
  logger: Logger
}

/** What came of accepting an event. */
export interface AcceptedEvent extends Accepted {
  /** Under which it is in the audit; null: a dry run. */
  act: number | null
}

const eventId = wholeId('an event', 'events list')
const Selected = z.strictObject({ filter: EventSelection, ...partly })

const One = z.strictObject({ id: eventId, dryRun: z.boolean().default(false), reason: partly.reason })

/** The fields of a filter that select events, in the words of the command line. */
const WHICH = ['kind', 'state', 'conflict', 'reused-key', 'dismissed', 'entity', 'since', 'until']

/** `/admin/events`: what was taken, and what a person does with it. */
export function createEventsAdmin({ store, reroute, acceptAsOwn, reparse, hints, acts, logger }: Options): Router {
  const router = Router()

  router.get('/:id', async (request, response) => {
    const event = await store.event(parse(eventId, request.params.id))
    if (!event) return notFound(response, notThere('event', request.params.id))
    const { body, ...row } = event
    const amounts = event.conflictWith === null ? {} : await amountsOf(event.id)
    response.json({ ...row, ...amounts, ...readable(body) })
  })

  router.post('/reroute', acts.of('reroute'), async (request, response) => {
    const { filter, dryRun, reason, part } = parse(Selected, request.body)
    refuseEverything(filter, WHICH)
    const act = await acts.begin(request, { action: 'reroute', selection: filter, reason }, { dryRun, part })
    const result = await reroute(filter, { act, ...(part && { part }) })
    if (!dryRun) logger.warn({ by: operatorOf(request), filter, ...result }, 'events.rerouted')
    response.json({ ...result, hint: result.looked === 0 ? hints.of(filter) : null })
  })

  // Without a filter it is all that is quarantined: what cannot be read stays as it is.
  router.post('/reparse', acts.of('reparse'), async (request, response) => {
    const { filter, dryRun, reason, part } = parse(Selected, request.body)
    const act = await acts.begin(request, { action: 'reparse', selection: filter, reason }, { dryRun, part })
    const how = { by: operatorOf(request), dryRun, act, ...(part && { part }) }
    const result = await reparse(filter, how)
    if (!dryRun) logger.warn({ filter, ...result, by: how.by }, 'events.reparsed')
    response.json(result)
  })

  // A person who says that nothing is to be done says why.
  router.post('/dismiss', acts.of('dismiss'), async (request, response) => {
    const { filter, ...how } = parse(Selected, request.body)
    refuseEverything(filter, WHICH)
    requireReason(how)
    const dismissed = await store.dismiss(meantBy(filter), await acts.audit(request, 'dismiss', how))
    response.json({ ...dismissed, hint: dismissed.matched === 0 ? hints.of(filter) : null })
  })

  // What contradicts another event, and happened besides it all the same.
  router.post('/accept', acts.of('accept'), async (request, response) => {
    const { id, ...how } = parse(One, request.body)
    requireReason(how)
    const { dryRun, reason } = how
    const act = await acts.begin(request, { action: 'accept', selection: { id }, reason }, { dryRun, part: undefined })
    const accepted = await acceptAsOwn(id, act)
    if (accepted === null) return notFound(response, notThere('event', String(id)))
    if (act !== null) {
      await store.extendAct(act, 0, [id])
      const why = `accepted as one of its own (act ${act} of the audit): ${reason}`
      await store.dismiss({ id }, await acts.audit(request, 'accept', { ...how, reason: why }))
      logger.warn({ by: operatorOf(request), ...accepted, act }, 'event.accepted')
    }
    response.json({ ...accepted, act } satisfies AcceptedEvent)
  })
  return router

  /** What it is worth, and what the event is that it contradicts. */
  async function amountsOf(id: number): Promise<Partial<Pick<Accepted, 'amount' | 'other'>>> {
    try {
      const { amount, other } = (await acceptAsOwn(id, null)) ?? {}
      return { amount: amount ?? null, other: other ?? null }
    } catch {
      // Decided on, or nothing of it is kept.
      return {}
    }
  }
}

/** Bytes that are no text (quarantined ones may be anything) go as base64. */
function readable(body: Uint8Array | null) {
  if (body === null) return { body }
  const bytes = Buffer.from(body)
  return isUtf8(bytes) ? { body: bytes.toString('utf8') } : { body: null, bodyBase64: bytes.toString('base64') }
}
