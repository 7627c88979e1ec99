import { isUtf8 } from 'node:buffer'
import express, { type Request, type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { UserError } from '../domain/errors.ts'
import type { Mappings } from '../domain/mapping.ts'
import type { RowsAside } from '../domain/rows-aside.ts'
import type { SchemaVersion } from '../domain/schema-versions.ts'
import type { Flow } from '../flows/flow.ts'
import type { Correct } from '../inbox/corrections.ts'
import type { Rerouted } from '../inbox/reroute.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { recognise } from '../lib/recognised.ts'
import type { Refused } from '../lib/refused.ts'
import { bearerOf, createTokenCheck } from '../lib/tokens.ts'
import { createWrongTokenAnswer } from '../lib/wrong-tokens.ts'
import type { Platform } from '../platform/platform.ts'
import type { EventFilter as EventRows } from '../store/screens.ts'
import type { Audit, Store } from '../store/store.ts'
import { createApiKeysAdmin } from './api-keys.ts'
import { notFound, operatorOf } from './asking.ts'
import { createEndpointsAdmin } from './endpoints.ts'
import { DeliveryFilter, DeliverySelection, EventFilter, EventSelection, parse } from './filters.ts'
import { createJobsAdmin, type Jobs } from './jobs.ts'
import { createKindsAdmin } from './kinds.ts'
import type { Thresholds } from './late.ts'
import { createOrdersAdmin } from './orders.ts'
import { createProductsAdmin } from './products.ts'
import { type Requests, readStatus, type Working } from './status.ts'
import { createStockAdmin } from './stock.ts'

interface Options {
  store: Store
  /** Null: config has none. */
  platform: Pick<Platform, 'operations'> | null
  adminToken: string
  /** Names of the destinations that config has. */
  destinations: readonly string[]
  working: () => Working[]
  requests: () => Requests
  /** What of the platform's lists cannot be read. */
  aside: () => RowsAside[]
  jobs: Jobs
  reroute: (filter: EventRows, dryRun: boolean) => Promise<Rerouted>
  correct: Correct
  flows: readonly Flow[]
  refused: Refused
  /** Where config says that fields of payloads stand. */
  mappings: Mappings
  /** The platform's schemas that are kept, by kind. */
  schemas: () => Promise<Readonly<Record<string, readonly SchemaVersion[]>>>
  /** How long each thing may take before it is late. */
  thresholds: Thresholds
  clock: Clock
  logger: Logger
}

const id = z.coerce.number().int().positive()
const reason = z.string().max(500).nullable().default(null)
const dryRun = z.boolean().default(false)
const Retry = z.strictObject({ filter: DeliverySelection, dryRun, reason, again: z.boolean().default(false) })
const Skip = z.strictObject({ filter: DeliverySelection, dryRun, reason })
const Release = z.strictObject({ filter: DeliverySelection, dryRun, reason: z.string().trim().min(1).max(500) })
const Move = z.strictObject({ from: z.string(), to: z.string(), dryRun, reason })
const Reroute = z.strictObject({ filter: EventSelection, dryRun })

/** `/admin/*`: JSON for people and the command line. Reads rows, changes rows. */
export function createAdmin({ store, destinations, working, jobs, reroute, clock, logger, ...rest }: Options): Router {
  const router = Router()
  router.use('/admin', noStore, requireToken(rest.adminToken, rest.refused), express.json())

  router.get('/admin/status', async (_, response) => {
    response.json(await readStatus(store, working(), destinations, rest.requests(), rest.aside(), clock.now()))
  })

  router.get('/admin/events', async (request, response) => {
    response.json({ events: await store.events(parse(EventFilter, request.query)) })
  })
  router.get('/admin/events/:id', async (request, response) => {
    const event = await store.event(parse(id, request.params.id))
    if (!event) return notFound(response, `There is no event ${request.params.id}.`)
    const { body, ...row } = event
    response.json({ ...row, ...readable(body) })
  })
  router.post('/admin/events/reroute', async (request, response) => {
    const { filter, dryRun } = parse(Reroute, request.body)
    refuseEverything(filter)
    const result = await reroute(filter, dryRun)
    if (!dryRun) logger.warn({ by: operatorOf(request), filter, ...result }, 'events.rerouted')
    response.json(result)
  })

  router.get('/admin/deliveries', async (request, response) => {
    response.json({ deliveries: await store.deliveries(parse(DeliveryFilter, request.query)) })
  })
  router.get('/admin/deliveries/:id', async (request, response) => {
    const delivery = await store.delivery(parse(id, request.params.id))
    if (!delivery) return notFound(response, `There is no delivery ${request.params.id}.`)
    response.json(delivery)
  })
  router.post('/admin/deliveries/retry', async (request, response) => {
    const { filter, again, ...how } = parse(Retry, request.body)
    refuseEverything(filter)
    response.json(await store.retry(filter, audit(request, how), again))
  })
  router.post('/admin/deliveries/skip', async (request, response) => {
    const { filter, ...how } = parse(Skip, request.body)
    refuseEverything(filter)
    response.json(await store.skip(filter, audit(request, how)))
  })
  // Whoever lets a difference go says why: it stands in the books.
  router.post('/admin/deliveries/release', async (request, response) => {
    const { filter, ...how } = parse(Release, request.body)
    refuseEverything(filter)
    response.json(await store.letGo(filter, audit(request, how)))
  })
  router.post('/admin/deliveries/move', async (request, response) => {
    const { from, to, ...how } = parse(Move, request.body)
    if (!destinations.includes(to))
      throw new UserError(`to: config has no destination "${to}"; it has ${destinations.join(', ') || 'none'}.`)
    response.json(await store.move(from, to, audit(request, how)))
  })

  router.post('/admin/destinations/:name/pause', async (request, response) => {
    const why = `paused by ${operatorOf(request)}`
    for (const lane of lanesOf(request.params.name)) await store.pause(lane, { until: null, why })
    logger.warn({ destination: request.params.name, by: operatorOf(request) }, 'destination.paused')
    response.status(204).end()
  })
  router.post('/admin/destinations/:name/resume', async (request, response) => {
    for (const lane of lanesOf(request.params.name)) await store.resume(lane)
    logger.warn({ destination: request.params.name, by: operatorOf(request) }, 'destination.resumed')
    response.status(204).end()
  })

  const { flows, thresholds, correct, platform, mappings, schemas } = rest
  router.use('/admin', createOrdersAdmin({ store, flows, thresholds, clock }))
  router.use('/admin/jobs', createJobsAdmin({ jobs, store, clock, logger }))
  router.use('/admin/stock', createStockAdmin({ store, correct, logger }))
  router.use('/admin/products', createProductsAdmin({ store }))
  router.use('/admin/endpoints', createEndpointsAdmin({ platform, store }))
  router.use('/admin/kinds', createKindsAdmin({ store, mappings, schemas }))
  router.use('/admin/keys', createApiKeysAdmin({ store, clock, logger }))

  router.use('/admin', (request, response) => notFound(response, `There is no ${request.method} ${request.path} here.`))
  return router

  function audit(request: Request, how: { dryRun: boolean; reason: string | null }): Audit {
    return { ...how, by: operatorOf(request), at: clock.now() }
  }

  function lanesOf(destination: string) {
    if (!destinations.includes(destination)) throw new UserError(`Config has no destination "${destination}".`)
    return (['prompt', 'bulk'] as const).map((urgency) => ({ destination, urgency }))
  }
}

/** Nothing of it stays in a browser or a proxy: it is about people, and about money. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store')
  next()
}

function requireToken(adminToken: string, refused: Refused): RequestHandler {
  const known = createTokenCheck([adminToken])
  const refuse = createWrongTokenAnswer('Send Authorization: Bearer … with server.adminToken of the config.', refused)
  return async (request, response, next) => {
    if (!known(bearerOf(request.headers.authorization))) return await refuse(request, response)
    recognise(request, response)
    next()
  }
}

/** Bytes that are no text (quarantined ones may be anything) go as base64. */
function readable(body: Uint8Array | null) {
  if (body === null) return { body }
  const bytes = Buffer.from(body)
  return isUtf8(bytes) ? { body: bytes.toString('utf8') } : { body: null, bodyBase64: bytes.toString('base64') }
}

function refuseEverything(filter: object) {
  if (Object.keys(filter).length === 0)
    throw new UserError(
      'filter: say which: an id, or at least one of kind, state, destination, flow, entity, since, until.',
    )
}
