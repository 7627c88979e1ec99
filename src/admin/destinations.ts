import { Router } from 'express'
import { UserError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { suggest } from '../lib/suggest.ts'
import type { Store } from '../store/store.ts'
import type { Acts } from './acts.ts'
import { operatorOf } from './asking.ts'
import type { createProbing } from './examine/probing.ts'
import { parse, Told } from './filters.ts'

interface Options {
  store: Pick<Store, 'pause' | 'resume'>
  /** Names of the destinations that config has. */
  destinations: readonly string[]
  probing: ReturnType<typeof createProbing>
  acts: Acts
  clock: Pick<Clock, 'now'>
  logger: Logger
}

/** `/admin/destinations/{name}`: a person stops a destination, lets it go on, or has it tried now. */
export function createDestinationsAdmin({ store, destinations, probing, acts, clock, logger }: Options): Router {
  const router = Router()

  router.post('/:name/pause', acts.of('pause'), async (request, response) => {
    const destination = String(request.params.name)
    const { reason } = parse(Told, request.body ?? {})
    const why = `paused by ${operatorOf(request)}${reason === null ? '' : `: ${reason}`}`
    for (const lane of lanesOf(destination)) await store.pause(lane, { until: null, why })
    await acts.note(request, { action: 'pause', selection: { destination }, reason, changed: 1 })
    logger.warn({ destination, by: operatorOf(request) }, 'destination.paused')
    response.status(204).end()
  })

  router.post('/:name/resume', acts.of('resume'), async (request, response) => {
    const destination = String(request.params.name)
    const { reason } = parse(Told, request.body ?? {})
    for (const lane of lanesOf(destination)) await store.resume(lane)
    await acts.note(request, { action: 'resume', selection: { destination }, reason, changed: 1 })
    const by = operatorOf(request)
    logger.warn({ destination, by }, 'destination.resumed')
    // Nobody waits for what comes of it.
    probing
      .tryNow(destination, { by, at: clock.now(), dryRun: false, reason: 'resumed' })
      .catch((err: unknown) => logger.warn({ destination, err }, 'destination.not-tried'))
    response.status(204).end()
  })

  router.post('/:name/probe', acts.of('probe'), async (request, response) => {
    const destination = String(request.params.name)
    lanesOf(destination)
    const { reason } = parse(Told, request.body ?? {})
    await acts.note(request, { action: 'probe', selection: { destination }, reason, changed: 1 })
    const by = operatorOf(request)
    logger.warn({ destination, by }, 'destination.probed')
    response.json(await probing.probe(destination, { by, at: clock.now(), dryRun: false, reason: reason ?? 'probe' }))
  })
  return router

  function lanesOf(destination: string) {
    if (!destinations.includes(destination)) {
      const near = suggest(destination, destinations)
      const hint = near === null ? `Destinations: ${destinations.join(', ') || 'none'}.` : `Did you mean "${near}"?`
      throw new UserError(`Config has no destination "${destination}". ${hint}`)
    }
    return (['prompt', 'bulk'] as const).map((urgency) => ({ destination, urgency }))
  }
}
