import { Router } from 'express'
import { z } from 'zod'
import type { Changed } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import type { Acts } from '../acts.ts'
import type { Probing } from '../examine/probing.ts'
import { DeliverySelection, parse, partly, refuseEverything, requireReason } from '../filters.ts'
import type { Hints } from '../hints.ts'

interface Options {
  store: Pick<Store, 'retry' | 'skip' | 'releaseHeld'>
  probe: Probing['probe']
  hints: Hints
  acts: Acts
}

const Retry = z.strictObject({ filter: DeliverySelection, ...partly, again: z.boolean().default(false) })
/** The body of a request that gives something up. */
const GiveUp = z.strictObject({ filter: DeliverySelection, ...partly })

/** The fields of a filter that select deliveries, in the words of the command line. */
const WHICH = ['destination', 'state', 'kind', 'flow', 'entity', 'event', 'code', 'since', 'until']

/** `/admin/deliveries`: what is owed, and what a person does with it. */
export function createDeliveriesAdmin({ store, probe, hints, acts }: Options): Router {
  const router = Router()

  router.post('/retry', acts.of('retry'), async (request, response) => {
    const { filter, again, ...how } = parse(Retry, request.body)
    refuseEverything(filter, WHICH)
    const audit = await acts.audit(request, again ? 'retry again' : 'retry', how)
    const retried = await store.retry(filter, audit, again)
    if (!how.dryRun) tryNow([filter.destination, ...retried.sample.map(({ destination }) => destination)])
    response.json(hinted(filter, retried))
  })

  router.post('/skip', acts.of('skip'), async (request, response) => {
    const { filter, ...how } = parse(GiveUp, request.body)
    refuseEverything(filter, WHICH)
    requireReason(how)
    response.json(hinted(filter, await store.skip(filter, await acts.audit(request, 'skip', how))))
  })

  // A person who lets a difference go says why: it stands in the books.
  router.post('/release', acts.of('release'), async (request, response) => {
    const { filter, ...how } = parse(GiveUp, request.body)
    refuseEverything(filter, WHICH)
    requireReason(how)
    response.json(hinted(filter, await store.releaseHeld(filter, await acts.audit(request, 'release', how))))
  })

  return router

  function hinted<Done extends Pick<Changed, 'matched' | 'changed'>>(
    filter: z.output<typeof DeliverySelection>,
    done: Done,
  ) {
    return { ...done, hint: done.matched === 0 ? hints.of(filter) : null }
  }

  /** A destination in trouble is tried at once; nobody waits for what comes of it. */
  function tryNow(names: readonly (string | undefined)[]) {
    for (const name of new Set(names)) if (name !== undefined) void probe(name)
  }
}
