import { isUtf8 } from 'node:buffer'
import { Router } from 'express'
import { z } from 'zod'
import { notThere } from '../domain/values/not-there.ts'
import type { Reparsed, reparse } from '../inbox/reparse.ts'
import type { Reroute as How, Rerouted } from '../inbox/reroute.ts'
import type { Logger } from '../lib/logger.ts'
import type { EventFilter as EventRows } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import type { Acts } from './acts.ts'
import { notFound, operatorOf } from './asking.ts'
import { EventSelection, meantBy, parse, partly, refuseEverything, requireReason, wholeId } from './filters.ts'
import type { Hints } from './hints.ts'

interface Options {
  store: Pick<Store, 'event' | 'dismiss'>
  reroute: (filter: EventRows, how: How) => Promise<Rerouted>
  reparse: (filter: EventRows, how: Parameters<typeof reparse>[2]) => Promise<Reparsed & { held: number }>
  hints: Hints
  acts: Acts
  logger: Logger
}

const eventId = wholeId('an event', 'events list')
const Selected = z.strictObject({ filter: EventSelection, ...partly })

/** The fields of a filter that select events, in the words of the command line. */
const WHICH = ['kind', 'state', 'conflict', 'reused-key', 'dismissed', 'entity', 'since', 'until']

/** `/admin/events`: what was taken, and what a person does with it. */
export function createEventsAdmin({ store, reroute, reparse, hints, acts, logger }: Options): Router {
  const router = Router()

  router.get('/:id', async (request, response) => {
    const event = await store.event(parse(eventId, request.params.id))
    if (!event) return notFound(response, notThere('event', request.params.id))
    const { body, ...row } = event
    response.json({ ...row, ...readable(body) })
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
  return router
}

/** Bytes that are no text (quarantined ones may be anything) go as base64. */
function readable(body: Uint8Array | null) {
  if (body === null) return { body }
  const bytes = Buffer.from(body)
  return isUtf8(bytes) ? { body: bytes.toString('utf8') } : { body: null, bodyBase64: bytes.toString('base64') }
}
