import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Unsent } from '../domain/alarms/notice.ts'
import type { AlarmRule } from '../domain/alarms/rules.ts'
import type { HourOfBacklog, JobStatus, UnshownEndpoint } from '../domain/health/health.ts'
import { quantileOf } from '../domain/health/timings.ts'
import { PLATFORM } from '../domain/queue/event.ts'
import { URGENCIES } from '../domain/queue/queue-key.ts'
import { ROLES } from '../domain/role.ts'
import { ANY_ORDER, hashSecret, SCOPES, type Scope, writeKey } from '../domain/scope.ts'
import { UserError } from '../domain/values/errors.ts'
import { notFoundText } from '../domain/values/text.ts'
import { withTimeLimit } from '../lib/clock.ts'
import { hashPassword } from '../lib/password.ts'
import { suggest } from '../lib/suggest.ts'
import { verifyAudit } from '../storage/audit-chain.ts'
import type { BulkAct } from '../storage/rows.ts'
import { ActFilter, didYouMean, dryRun, idIn, Why } from './asked.ts'
import type { AdminContext, AlarmRecipient } from './context.ts'
import { type ActiveAlarm, activeAlarms, LONGEST_WAIT, probeNow, tryNow } from './health.ts'
import { type Actor, get, NOTHING, notFound, post, type Route } from './routes.ts'

export interface DestinationHistory {
  /** `p50`, `p95`: how long attempts took since this hub started (s); null: there was none. */
  destinations: { name: string; backlog: HourOfBacklog[]; p50: number | null; p95: number | null }[]
}

export function destinationRoutes(context: AdminContext): Route[] {
  const { storage, destinations, clock, logger } = context

  function queuesOf(destination: string) {
    if (!destinations.includes(destination))
      throw new UserError(
        `Config has no destination "${destination}". ${didYouMean(destination, destinations, 'Destinations')}`,
      )
    return URGENCIES.map((urgency) => ({ destination, urgency }))
  }

  return [
    get('/destinations/history', NOTHING, async (): Promise<DestinationHistory> => {
      const backlog = await context.backlog()
      const attempts = context.attempts()
      return {
        destinations: destinations.map((name) => {
          const took = attempts.find(({ destination }) => destination === name)?.attempts
          const seconds = (part: number) => (took ? quantileOf(took, part) : null)
          return { name, backlog: backlog[name] ?? [], p50: seconds(0.5), p95: seconds(0.95) }
        }),
      }
    }),

    post('/destinations/:name/pause', 'pause', Why, async ({ params, asked: { reason }, note, operator }) => {
      const { name: destination = '' } = params
      const why = `paused by ${operator}${reason === null ? '' : `: ${reason}`}`
      for (const queueKey of queuesOf(destination)) await storage.pause(queueKey, { until: null, why })
      await note({ selection: { destination }, reason, changed: 1 })
      logger.warn({ destination, by: operator }, 'destination.paused')
    }),

    post('/destinations/:name/resume', 'resume', Why, async ({ params, asked: { reason }, note, operator: by }) => {
      const { name: destination = '' } = params
      for (const queueKey of queuesOf(destination)) await storage.resume(queueKey)
      await note({ selection: { destination }, reason, changed: 1 })
      logger.warn({ destination, by }, 'destination.resumed')
      tryNow(context, destination, { by, at: clock.now(), dryRun: false, reason: 'resumed' }).catch((err: unknown) =>
        logger.warn({ destination, err }, 'destination.not-tried'),
      )
    }),

    post('/destinations/:name/probe', 'probe', Why, async ({ params, asked: { reason }, note, operator: by }) => {
      const { name: destination = '' } = params
      queuesOf(destination)
      await note({ selection: { destination }, reason, changed: 1 })
      logger.warn({ destination, by }, 'destination.probed')
      return await probeNow(context, destination, { by, at: clock.now(), dryRun: false, reason: reason ?? 'probe' })
    }),
  ]
}

/** `head`: of an earlier verification. */
const Verify = z.strictObject({ head: z.string().optional() })

export function auditRoutes({ storage }: AdminContext): Route[] {
  return [
    get('/audit', ActFilter, async ({ asked }) => ({ acts: await storage.acts(asked) })),

    get('/audit/verify', Verify, ({ asked: { head } }) => verifyAudit(storage, head ?? null)),

    get('/audit/:id', NOTHING, async ({ params: { id } }) => {
      const act = await storage.act(idIn(id, 'an act', 'audit list'))
      if (!act) throw notFound(notFoundText('act', String(id)))
      return act
    }),
  ]
}

const SHOWN_RUNS = 20

/** `wait`: for its end (ms). */
const Run = Why.extend({ wait: z.int().min(0).max(LONGEST_WAIT).default(LONGEST_WAIT) })

export function jobRoutes({ jobs, storage, clock, logger }: AdminContext): Route[] {
  async function find(name: string | undefined): Promise<JobStatus> {
    const all = await jobs.status()
    const found = all.find((job) => job.name === name)
    if (found) return found
    const names = all.map((job) => job.name)
    throw notFound(`There is no job "${name}". ${didYouMean(String(name), names, 'Jobs')}`)
  }

  return [
    get('/jobs', NOTHING, async () => ({ jobs: await jobs.status() })),

    get('/jobs/:name', NOTHING, async ({ params }) => {
      const job = await find(params.name)
      return { ...job, runs: await storage.jobRuns(job.name, SHOWN_RUNS) }
    }),

    // 200: the run has ended, failed or not; 202: still running.
    post('/jobs/:name/run', 'run-job', Run, async ({ params, asked: { reason, wait }, note, operator, status }) => {
      const { name } = await find(params.name)
      await note({ selection: { job: name }, reason, changed: 1 })
      logger.info({ job: name, by: operator }, 'job.asked-for')
      const ended = await withTimeLimit(clock, wait, jobs.run(name))
      if (ended) return ended
      status(202)
      return await find(name)
    }),
  ]
}

export interface ShownAlarms {
  rules: readonly AlarmRule[]
  recipients: readonly AlarmRecipient[]
  active: ActiveAlarm[]
  /** Recipients that could not be notified of everything. */
  unsent: (Pick<Unsent, 'to' | 'since' | 'tries' | 'nextAt' | 'why'> & { notices: number })[]
}

export function alarmRoutes({ alarms }: AdminContext): Route[] {
  const { rules, recipients } = alarms
  return [
    get('/alarms', NOTHING, async (): Promise<ShownAlarms> => {
      const { active, unsent } = await alarms.kept()
      const counted = unsent.map(({ notices, dropped, ...one }) => ({ ...one, notices: notices.length + dropped }))
      return { rules, recipients, active: activeAlarms(active, rules), unsent: counted }
    }),

    post('/alarms/test', 'test-alarms', Why, async ({ asked: { reason }, note }) => {
      await note({ selection: {}, reason, changed: recipients.length })
      return { reported: await alarms.test() }
    }),
  ]
}

const KEY_ID = /^[0-9a-f]{16}$/

const NewKey = z.strictObject({
  system: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'lower-case letters, digits and hyphens, 40 at most')
    .refine((name) => name !== PLATFORM, `"${PLATFORM}" is the name of the platform itself`),
  may: z.string(),
})

/** The answer to a creation is the only place where a key is shown. */
export function keyRoutes({ storage, clock, logger }: AdminContext): Route[] {
  return [
    get('/keys', NOTHING, async () => ({ keys: await storage.apiKeys() })),

    post('/keys', 'create-key', NewKey, async ({ asked: { system, may }, operator: by, status }) => {
      const id = randomBytes(8).toString('hex')
      const secret = randomBytes(32).toString('base64url')
      const scopes = parseScopes(may)
      const shown = { id, system, scopes, createdAt: clock.now(), createdBy: by, lastUsedAt: null, revokedAt: null }
      await storage.createApiKey({ ...shown, secretHash: hashSecret(secret) })
      logger.warn({ id, system, scopes, by }, 'api-key.created')
      status(201)
      return { ...shown, key: writeKey(id, secret) }
    }),

    post('/keys/:id/revoke', 'revoke-key', NOTHING, async ({ params: { id = '' }, operator: by }) => {
      // It may be a whole key, pasted by mistake: never repeat it.
      const key = KEY_ID.test(id) ? await storage.revokeApiKey(id, by, clock.now()) : null
      if (!key) throw notFound('There is no key of that id. Ask "tillbridge keys list" for the ids.')
      logger.warn({ id: key.id, system: key.system, by }, 'api-key.revoked')
      return key
    }),
  ]
}

/** `products,read:stock`, in the order of SCOPES. Throws a UserError. */
export function parseScopes(text: string): Scope[] {
  const given = text.split(',').map((part) => part.trim())
  const unknown = given.find((part) => part !== '' && !isScope(part))
  if (unknown !== undefined) {
    const nearest = isScope(`read:${unknown}`) ? `read:${unknown}` : suggest(unknown, SCOPES)
    const meant = nearest === null ? `Choose from ${SCOPES.join(', ')}.` : `Did you mean ${nearest}?`
    throw new UserError(`may: there is no scope ${JSON.stringify(unknown)}. ${meant}`)
  }
  const scopes = SCOPES.filter((scope) => given.includes(scope))
  if (scopes.length === 0) throw new UserError(`may: say what the key may: ${SCOPES.join(', ')}.`)
  if (scopes.includes(ANY_ORDER) && !scopes.includes('orders'))
    throw new UserError(`may: ${ANY_ORDER} is for keys that may submit orders: say orders,${ANY_ORDER}.`)
  return scopes
}

function isScope(text: string): boolean {
  return SCOPES.some((scope) => scope === text)
}

export function hubRoutes({ reload, shownConfig, platform, storage }: AdminContext): Route[] {
  return [
    get('/config', NOTHING, async () => ({ config: shownConfig() })),

    post('/reload', 'reload', Why.extend({ dryRun }), async ({ asked: { reason, dryRun }, note, operator }) => {
      const reloaded = await reload(operator, { dryRun })
      if (dryRun) return reloaded
      const { file, changed } = reloaded
      await note({ selection: { file, keys: changed }, reason, changed: changed.length })
      return reloaded
    }),

    get('/endpoints', NOTHING, async () => {
      const kept = await storage.endpointUses()
      const endpoints = (platform?.operations.unshown() ?? []).map(({ operation, address }): UnshownEndpoint => {
        const use = kept.find((one) => one.operation === operation && one.address === address)
        const { firstAt, first, came, since } = use ?? { firstAt: 0, first: '', came: '', since: 0 }
        return { operation, address, use: use ? { firstAt, first, came, since } : null }
      })
      return { endpoints }
    }),
  ]
}

const Name = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,39}$/u, {
  error: 'a name of at most 40 letters, digits and the signs . _ @ -',
})
const Password = z.string().min(12, 'at least 12 characters').max(200, 'at most 200 characters')
const Added = z.strictObject({ name: Name, role: z.enum(ROLES), password: Password })
const Changed = z.strictObject({ password: Password })

/** The console's users. What is done is in the audit, without the password. */
export function userRoutes({ storage, clock, logger }: AdminContext): Route[] {
  const actOf = (actor: Actor, action: string, selection: object) => {
    return { ...actor, at: clock.now(), action, selection, changed: 1 }
  }

  function requireFound(isFound: boolean, name: string): void {
    if (!isFound) throw notFound(`There is no user "${name}". "tillbridge users list" shows them.`)
  }

  return [
    get('/users', NOTHING, async () => ({ users: await storage.consoleUsers() })),

    post('/users', 'add-user', Added, async ({ asked: { name, role, password }, actor, status }) => {
      const user = { name, role, createdAt: clock.now(), createdBy: actor.by, disabledAt: null, subject: null }
      const act = actOf(actor, 'add-user', { user: name, role })
      if (!(await storage.addConsoleUser({ ...user, password: await hashPassword(password) }, act)))
        throw new UserError(
          `name: there is a user "${name}". "tillbridge users password ${name}" gives a new password.`,
        )
      logger.warn({ user: name, role, by: actor.by }, 'user.added')
      status(201)
      return user
    }),

    post('/users/:name/password', 'set-password', Changed, async ({ params: { name = '' }, asked, actor }) => {
      const act = actOf(actor, 'set-password', { user: name })
      requireFound(await storage.setConsolePassword(name, await hashPassword(asked.password), act), name)
      logger.warn({ user: name, by: actor.by }, 'user.password-set')
      return { name }
    }),

    post('/users/:name/disable', 'disable-user', NOTHING, async ({ params: { name = '' }, actor }) => {
      requireFound(await storage.disableConsoleUser(name, actOf(actor, 'disable-user', { user: name })), name)
      logger.warn({ user: name, by: actor.by }, 'user.disabled')
      return { name }
    }),
  ]
}

const SHOWN = 100

/** Acts in the background, which the job `bulk-acts` does slice by slice. */
export function bulkRoutes({ storage, clock, logger }: AdminContext): Route[] {
  async function find(id: string | undefined): Promise<BulkAct> {
    const found = await storage.bulkAct(idIn(id, 'an act', 'audit list'))
    if (!found) throw notFound(notFoundText('act', String(id)))
    return found
  }

  return [
    get('/acts', NOTHING, async () => ({ acts: await storage.bulkActs(SHOWN) })),

    get('/acts/:id', NOTHING, async ({ params }) => await find(params.id)),

    // What is done stays done.
    post('/acts/:id/cancel', 'cancel', NOTHING, async ({ params, note, operator: by }) => {
      const { act } = await find(params.id)
      const isCancelled = await storage.endBulkAct(act, 'cancelled', clock.now(), null)
      await note({ selection: { act }, changed: isCancelled ? 1 : 0 })
      if (isCancelled) logger.warn({ act, by }, 'bulk-act.cancelled')
      return await find(params.id)
    }),
  ]
}
