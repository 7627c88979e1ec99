import { Router } from 'express'
import { z } from 'zod'
import { UserError } from '../../domain/values/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Held, LegalHold } from '../../store/retention/holding.ts'
import type { Store } from '../../store/store.ts'
import type { Acts } from '../acts.ts'
import { limit, parse, Reason, whole } from '../filters.ts'
import { planRetention, type RetentionPlan } from './plan.ts'

/** How long everything is kept, and what the job knows. */
export type Retaining = Pick<Parameters<typeof planRetention>[0], 'ages' | 'off' | 'room' | 'remembered' | 'archive'>

interface Options {
  store: Parameters<typeof planRetention>[0]['store'] & Pick<Store, 'holdEvents' | 'unholdEvents' | 'legalHolds'>
  retaining: Retaining
  acts: Acts
  clock: Pick<Clock, 'now'>
}

const Those = z.strictObject({
  events: z
    .array(whole)
    .min(1, 'which events')
    .max(10_000)
    .transform((ids) => [...new Set(ids)]),
  reason: Reason,
  dryRun: z.boolean().default(false),
})
const Page = z.strictObject({ after: whole.default(0), limit: limit.default(50) })

/** `/admin/retention`: what would be pruned, and what is under a legal hold. */
export function createRetentionAdmin({ store, retaining, acts, clock }: Options): Router {
  const router = Router()
  router.get('/plan', async (_, response) => {
    const plan = await planRetention({ store, ...retaining, now: clock.now() })
    response.json(plan satisfies RetentionPlan)
  })

  router.get('/holds', async (request, response) => {
    const { after, limit } = parse(Page, request.query)
    response.json({ holds: (await store.legalHolds(after, limit)) satisfies LegalHold[] })
  })

  router.post('/hold', acts.of('hold'), async (request, response) => {
    const { events, ...how } = parse(Those, request.body)
    if (how.reason === null && !how.dryRun) throw new UserError('reason: say why; it is shown beside the hold.')
    const audit = await acts.audit(request, 'hold', how)
    requireHere(await store.holdEvents(events, { ...audit, dryRun: true }))
    response.json((await store.holdEvents(events, audit)) satisfies Held)
  })

  router.post('/unhold', acts.of('unhold'), async (request, response) => {
    const { events, ...how } = parse(Those, request.body)
    if (how.reason === null && !how.dryRun) throw new UserError('reason: say why; the audit keeps it.')
    const audit = await acts.audit(request, 'unhold', how)
    requireHere(await store.unholdEvents(events, { ...audit, dryRun: true }))
    response.json((await store.unholdEvents(events, audit)) satisfies Held)
  })
  return router
}

/** Throws a UserError where one is not here: who mistypes what must be shown would lose it, and be told that all is well. */
function requireHere({ missing }: Held): void {
  if (missing.length === 0) return
  const more = missing.length > MOST_NAMED ? ` and ${missing.length - MOST_NAMED} more` : ''
  throw new UserError(
    `events: there are none with these ids: ${missing.slice(0, MOST_NAMED).join(', ')}${more}. Nothing was changed; "tillbridge events list" shows ids, and "tillbridge archive search" finds what has gone.`,
  )
}

const MOST_NAMED = 20
