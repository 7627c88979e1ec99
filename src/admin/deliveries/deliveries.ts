import { Router } from 'express'
import { z } from 'zod'
import type { Store } from '../../store/store.ts'
import type { Acts } from '../acts.ts'
import type { Probing } from '../examine/probing.ts'
import { DeliverySelection, parse, partly, refuseEverything, requireWhichAndWhy } from '../filters.ts'

interface Options {
  store: Pick<Store, 'retry' | 'skip' | 'releaseHeld'>
  probe: Probing['probe']
  acts: Acts
}

const Retry = z.strictObject({ filter: DeliverySelection, ...partly, again: z.boolean().default(false) })
/** The body of a request that gives something up. */
const GiveUp = z.strictObject({ filter: DeliverySelection, ...partly })

/** `/admin/deliveries`: what is owed, and what a person does with it. */
export function createDeliveriesAdmin({ store, probe, acts }: Options): Router {
  const router = Router()

  router.post('/retry', acts.of('retry'), async (request, response) => {
    const { filter, again, ...how } = parse(Retry, request.body)
    refuseEverything(filter)
    const audit = await acts.audit(request, again ? 'retry again' : 'retry', how)
    const retried = await store.retry(filter, audit, again)
    if (!how.dryRun) tryNow([filter.destination, ...retried.sample.map(({ destination }) => destination)])
    response.json(retried)
  })

  router.post('/skip', acts.of('skip'), async (request, response) => {
    const { filter, ...how } = parse(GiveUp, request.body)
    requireWhichAndWhy(filter, how)
    response.json(await store.skip(filter, await acts.audit(request, 'skip', how)))
  })

  // A person who lets a difference go says why: it stands in the books.
  router.post('/release', acts.of('release'), async (request, response) => {
    const { filter, ...how } = parse(GiveUp, request.body)
    requireWhichAndWhy(filter, how)
    response.json(await store.releaseHeld(filter, await acts.audit(request, 'release', how)))
  })

  return router

  /** A destination in trouble is tried at once; nobody waits for what comes of it. */
  function tryNow(names: readonly (string | undefined)[]) {
    for (const name of new Set(names)) if (name !== undefined) void probe(name)
  }
}
