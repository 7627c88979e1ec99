import express, { type RequestHandler, Router } from 'express'
import { DEFAULT_ADMIN } from '../config/config.ts'
import { bearerOf, createTokenHolders, createUnauthorizedHandler, markAuthenticated } from '../http/refusals.ts'
import { completenessRoutes, gapRoutes } from './completeness.ts'
import type { AdminContext } from './context.ts'
import { peopleRoutes } from './data-subjects.ts'
import { deliveryRoutes, fileRoutes } from './deliveries.ts'
import { eventRoutes } from './events.ts'
import { findRoutes } from './find.ts'
import {
  archiveToExamine,
  checkSystems,
  type Doctored,
  type HealthReport,
  platformToExamine,
  readHealth,
  readStatus,
} from './health.ts'
import {
  alarmRoutes,
  auditRoutes,
  bulkRoutes,
  destinationRoutes,
  hubRoutes,
  jobRoutes,
  keyRoutes,
  userRoutes,
} from './operations.ts'
import { orderRoutes } from './orders.ts'
import { kindRoutes, subscriptionRoutes } from './platform.ts'
import { articleRoutes, productRoutes, stockRoutes } from './products.ts'
import { retentionRoutes } from './retention.ts'
import { get, NOTHING, type Route, serve } from './routes.ts'
import { settlementRoutes } from './settlements.ts'
import { storeRoutes } from './stores.ts'
import { submissionRoutes } from './submissions.ts'

/** In matching order. */
const ROUTES: ((context: AdminContext) => Route[])[] = [
  healthRoutes,
  eventRoutes,
  deliveryRoutes,
  destinationRoutes,
  orderRoutes,
  fileRoutes,
  subscriptionRoutes,
  submissionRoutes,
  storeRoutes,
  settlementRoutes,
  completenessRoutes,
  gapRoutes,
  alarmRoutes,
  findRoutes,
  auditRoutes,
  bulkRoutes,
  peopleRoutes,
  jobRoutes,
  stockRoutes,
  productRoutes,
  articleRoutes,
  kindRoutes,
  retentionRoutes,
  keyRoutes,
  userRoutes,
  hubRoutes,
]

const LARGEST_EVENT = '64mb'

export function createAdmin(context: AdminContext): Router {
  const router = Router()
  router.use('/admin', noStore, requireToken(context))
  router.use('/admin/people/archived', express.json({ limit: LARGEST_EVENT }))
  // Whatever the content type: an unread body would lose the reason.
  router.use('/admin', express.json({ type: () => true }))
  router.use('/admin', serve(adminRoutes(context), context))
  return router
}

export function adminRoutes(context: AdminContext): Route[] {
  const systems = [...context.systems, ...platformToExamine(context.platform)]
  return ROUTES.flatMap((routesOf) => routesOf({ ...context, systems }))
}

function healthRoutes(context: AdminContext): Route[] {
  const checked = [...context.systems, ...archiveToExamine(context.outside.archive)]
  return [
    get('/status', NOTHING, () => readStatus(context)),
    get('/failures', NOTHING, () => context.storage.failures()),
    get('/health', NOTHING, (): Promise<HealthReport> => readHealth(context)),
    // The hub asks the systems: with its own keys, from its own network.
    get('/doctor', NOTHING, async (): Promise<Doctored> => {
      const [{ items }, systems] = await Promise.all([readHealth(context), checkSystems(checked, context.clock)])
      return { items, systems }
    }),
  ]
}

/** Answers are about people and money: no cache stores them. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store')
  next()
}

function requireToken({ config: { server }, refused }: AdminContext): RequestHandler {
  const { adminToken, admins } = server
  const tokens = Object.entries(admins).map(([name, { token }]) => [name, token] as const)
  const holderOf = createTokenHolders({ [DEFAULT_ADMIN]: adminToken, ...Object.fromEntries(tokens) })
  const refuse = createUnauthorizedHandler(
    'Send Authorization: Bearer … with server.adminToken (or a token of server.admins) of the config that the hub runs with: TILLBRIDGE_ADMIN_TOKEN, where that is set. Where the file has another one by now, SIGHUP has the hub read it, or TILLBRIDGE_URL and TILLBRIDGE_ADMIN_TOKEN (the old one) before "tillbridge reload".',
    refused,
  )
  return async (request, response, next) => {
    const holder = holderOf(bearerOf(request.headers.authorization))
    if (holder === null) return await refuse(request, response)
    response.locals.operator = holder
    response.locals.role = admins[holder]?.role ?? null
    markAuthenticated(request, response, 'admin')
    next()
  }
}
