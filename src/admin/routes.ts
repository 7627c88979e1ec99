import { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { BOOKING, HELPING, OPERATING, ROLES, type Role, RULING } from '../domain/role.ts'
import { actorOf } from '../domain/scope.ts'
import { UserError } from '../domain/values/errors.ts'
import { ProblemError, refusal, sendProblem } from '../http/problem.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { ActDetail, Audit, Changed, CommandSlice, NewAuditRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import {
  background,
  type Hinted,
  hintOf,
  type Names,
  type Parsed,
  parse,
  partly,
  refuseEverything,
  requireReason,
} from './asked.ts'

export interface Route {
  method: 'get' | 'post'
  /** `/deliveries/:id`. */
  path: string
  /** Its name in the audit; null: a read. */
  action: string | null
  asked: z.ZodType
  // biome-ignore lint/suspicious/noExplicitAny: what the schema makes; `get` and `post` hold the two together.
  answer(call: Call<any>): Promise<unknown>
}

/** Who asks, in which role (null: with a token that may do all), and from where. */
export interface Actor {
  by: string
  role: Role | null
  address: string | null
}

export interface Call<Asked = unknown> {
  /** Query of a GET, body of a POST. */
  asked: Asked
  params: Readonly<Record<string, string>>
  operator: string
  actor: Actor
  status(code: number): void
  /** Writes an audit entry, with deliveries that no storage command links; returns its id. */
  note(done: Done, deliveries?: readonly number[]): Promise<number>
  /** The act of a part, new for the first one; null: a dry run. Throws a UserError for another operator's act, or one of something else. */
  begin(done: Done, how: { dryRun: boolean; part?: CommandSlice; goOn?: number }): Promise<number | null>
  /** Writes the entry of an act in the background, and has it begin; returns its id. */
  enqueue(done: Done, matched: number): Promise<number>
  /** For a storage command, which writes the entry itself. Throws a UserError for another operator's part. */
  audit(how: How, action?: string): Promise<Audit>
}

type How = Pick<Audit, 'dryRun' | 'reason' | 'part'>

interface Done extends Partial<Pick<NewAuditRow, 'action' | 'reason' | 'changed'>> {
  selection: object
}

type Answer<Schema extends z.ZodType> = (call: Call<Parsed<Schema>>) => Promise<unknown>

export function get<Schema extends z.ZodType>(path: string, asked: Schema, answer: Answer<Schema>): Route {
  return { method: 'get', path, action: null, asked, answer }
}

export function post<Schema extends z.ZodType>(
  path: string,
  action: string | null,
  asked: Schema,
  answer: Answer<Schema>,
): Route {
  return { method: 'post', path, action, asked, answer }
}

export const NOTHING = z.unknown()

/** A command with a reason on all that a filter selects. `which`: its fields, as the command line calls them. */
export function change<Filter extends z.ZodType<object>, Row>(
  names: Names,
  path: string,
  action: string,
  { selection, which, meant = (filter) => filter }: Selecting<Filter>,
  run: (filter: Parsed<Filter>, audit: Audit) => Promise<Changed<Row>>,
): Route {
  const asked = z.strictObject({ filter: selection, background, ...partly })
  return post(path, action, asked, async (call): Promise<Changed<Row> & Hinted> => {
    const given = call.asked as unknown as { filter: Parsed<Filter>; background: boolean } & How
    const { background: isLong, filter: written, ...how } = given
    const filter = meant(written)
    refuseEverything(written, which)
    requireReason(how)
    const audited = (one: How) => call.audit(one)
    const done = isLong
      ? await inBackground(
          call,
          { action, filter, reason: how.reason },
          run(filter, await audited({ ...how, dryRun: true })),
        )
      : await run(filter, await audited(how))
    return { ...done, hint: done.matched === 0 ? hintOf(filter, names) : null }
  })
}

interface Selecting<Filter extends z.ZodType<object>> {
  selection: Filter
  which: readonly string[]
  /** Those that the filter stands for. */
  meant?(filter: Parsed<Filter>): Parsed<Filter>
}

/** Enqueues an act on all that a dry run has matched. */
export async function inBackground<Row>(
  call: Pick<Call, 'enqueue'>,
  { action, filter, reason }: { action: string; filter: object; reason: string | null },
  dryRun: Promise<Changed<Row>>,
): Promise<Changed<Row>> {
  const matched = await dryRun
  return { ...matched, act: await call.enqueue({ action, selection: filter, reason }, matched.matched ?? 0) }
}

export function notFound(detail: string): ProblemError {
  return refusal('not-found', detail)
}

interface Serving {
  storage: Pick<Storage, 'noteAct' | 'act' | 'beginBulkAct'>
  jobs: { run(name: string): Promise<unknown> }
  clock: Pick<Clock, 'now'>
  logger: Logger
}

/** Each act is audited, also a refused one. */
export function serve(routes: readonly Route[], serving: Serving): Router {
  const router = Router()
  for (const route of routes) router[route.method](route.path, handlerOf(route, serving))
  router.use(({ method, baseUrl, path }, response) =>
    sendProblem(response, 'not-found', `There is no ${method} ${baseUrl}${path} here.`),
  )
  return router
}

/** Asks as the command line does, without HTTP: `GET /events/:id`. Rejects with a UserError or a ProblemError. */
export type Ask = <Answer>(
  what: `${'GET' | 'POST'} /${string}`,
  actor: Actor,
  given?: { params?: Readonly<Record<string, string>>; asked?: unknown },
) => Promise<Answer>

export function createAsk(routes: readonly Route[], serving: Serving): Ask {
  const byName = new Map(routes.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route]))
  return async <Answer>(...[what, actor, { params = {}, asked = {} } = {}]: Parameters<Ask>) => {
    const route = byName.get(what)
    if (route === undefined) throw new Error(`There is no ${what}.`)
    return (await perform(route, { actor, params, given: asked, status: () => {} }, serving)) as Answer
  }
}

/** Characters in the audit. */
const LONGEST_REFUSAL = 500

interface Performing extends Pick<Call, 'actor' | 'params' | 'status'> {
  given: unknown
  /** Why this actor may not. */
  refused?: ProblemError | null
}

async function perform(
  { action, asked: schema, answer }: Route,
  { actor, params, given, status, refused = null }: Performing,
  serving: Serving,
) {
  const call = callOf(actor, action ?? '', serving)
  try {
    if (refused !== null) throw refused
    return await answer({ ...call, asked: parse(schema, given), params, actor, operator: actor.by, status })
  } catch (error) {
    const isRefusal = error instanceof UserError || (error instanceof ProblemError && error.problem.status < 500)
    if (action !== null && !isDryRun(given) && isRefusal)
      await call
        .note({ selection: {} }, [], error.message.slice(0, LONGEST_REFUSAL))
        .catch((err: unknown) => serving.logger.warn({ err, action }, 'admin.act-not-noted'))
    throw error
  }
}

function handlerOf(route: Route, serving: Serving): RequestHandler {
  return async (request, response) => {
    const role = (response.locals.role ?? null) as Role | null
    const actor = {
      by: actorOf(response.locals.operator ?? 'unknown', request.get('x-operator')),
      role,
      address: request.ip ?? null,
    }
    const given: unknown = route.method === 'get' ? request.query : (request.body ?? {})
    const params = request.params as Record<string, string>
    const status = (code: number) => void response.status(code)
    const refused = role === null ? null : refusalOf(route, role, given)
    const said = await perform(route, { actor, params, given, status, refused }, serving)
    if (said === undefined) response.status(204).end()
    else response.json(said)
  }
}

function callOf(actor: Actor, own: string, { storage, jobs, clock, logger }: Serving) {
  const { by } = actor

  async function note(done: Done, deliveries: readonly number[] = [], refused: string | null = null): Promise<number> {
    return await storage.noteAct({ action: own, ...actor, at: clock.now(), ...done, refused }, [], deliveries)
  }

  /** Throws a UserError unless it is an accepted act of this operator and action. */
  async function ownAct(action: string, id: number, key: string): Promise<ActDetail> {
    const begun = await storage.act(id)
    if (begun?.action !== action || begun.by !== by || begun.refused !== null)
      throw new UserError(`${key}: ${id} is no "${action}" of ${by}.`)
    return begun
  }

  async function requireOwn(action: string, part: CommandSlice | null | undefined): Promise<void> {
    if (part?.act != null) await ownAct(action, part.act, 'part.act')
  }

  return {
    note,

    async enqueue(done: Done, matched: number): Promise<number> {
      const id = await storage.beginBulkAct({ action: own, ...actor, at: clock.now(), ...done }, matched)
      // Another run may be under way, here or at another hub: the next one takes it.
      jobs.run('bulk-acts').catch((err: unknown) => logger.info({ err, act: id }, 'bulk-act.waits'))
      return id
    },

    async begin(done: Done, { dryRun, part, goOn }: { dryRun: boolean; part?: CommandSlice; goOn?: number }) {
      await requireOwn(own, part)
      if (goOn !== undefined) {
        const { selection } = await ownAct(own, goOn, 'goOn')
        if (selection !== JSON.stringify(done.selection))
          throw new UserError(`goOn: act ${goOn} was of something else: ${selection}. Ask for the same as then.`)
      }
      return dryRun ? null : (goOn ?? part?.act ?? (await note(done)))
    },

    async audit(how: How, action = own): Promise<Audit> {
      await requireOwn(action, how.part)
      return { ...how, ...actor, at: clock.now() }
    },
  }
}

function isDryRun(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'dryRun' in body && body.dryRun === true
}

/** Below /admin, where it is not as usual: all may read, operators may act. */
const OTHERWISE: Readonly<Record<string, readonly Role[]>> = {
  // Payloads and what is said of people.
  'GET /events/:id': HELPING,
  'GET /orders/:number': HELPING,
  'GET /submissions/:id': HELPING,
  'POST /people/find': HELPING,
  'GET /settlements/:delivery/posting': BOOKING,
  'POST /deliveries/retry': HELPING,
  'POST /deliveries/:id/send-again': HELPING,
  'POST /acts/:id/cancel': HELPING,
  'GET /audit': OPERATING,
  'GET /audit/:id': OPERATING,
  'GET /audit/verify': OPERATING,
  'GET /config': OPERATING,
  'GET /subscriptions': OPERATING,
  'POST /people/export': RULING,
  'POST /people/erase': RULING,
  'POST /people/repeat': RULING,
  'POST /people/archived': RULING,
  'GET /keys': RULING,
  'POST /keys': RULING,
  'POST /keys/:id/revoke': RULING,
  'GET /users': RULING,
  'POST /users': RULING,
  'POST /users/:name/password': RULING,
  'POST /users/:name/disable': RULING,
}

/** Who may ask it with a token of theirs. */
export function rolesOf({ method, path }: Pick<Route, 'method' | 'path'>): readonly Role[] {
  return OTHERWISE[`${method.toUpperCase()} ${path}`] ?? (method === 'get' ? ROLES : OPERATING)
}

/** Null: this role may. `given`: query or body. */
function refusalOf(route: Route, role: Role, given: unknown): ProblemError | null {
  const reveals = typeof given === 'object' && given !== null && 'reveal' in given && given.reveal !== undefined
  const may = rolesOf(route).filter((one) => !reveals || HELPING.includes(one))
  if (may.includes(role)) return null
  const what = `${route.method.toUpperCase()} /admin${route.path}${reveals ? ' with personal data' : ''}`
  return refusal(
    'role-may-not',
    `A token of the role ${role} may not ask ${what}: ${may.join(', ')} may (server.admins).`,
  )
}
