import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { UserError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Part } from '../store/screens.ts'
import type { Act, Audit, Store } from '../store/store.ts'
import { operatorOf } from './asking.ts'

interface Options {
  store: Pick<Store, 'noteAct' | 'act'>
  clock: Pick<Clock, 'now'>
  logger: Logger
}

/** An act of a person. */
interface Done extends Pick<Act, 'action'> {
  selection: object
  reason?: string | null
  changed?: number
  events?: readonly number[]
}

/** The most of a refusal that is kept. */
const LONGEST = 500

/** Acts of people, written down as they come in: who, what, why; also those that are refused. */
export function createActs({ store, clock, logger }: Options) {
  async function note(
    request: Request,
    { action, selection, reason = null, changed = 0, events = [] }: Done,
    deliveries: readonly number[] = [],
    refused: string | null = null,
  ): Promise<number> {
    const act = { at: clock.now(), by: operatorOf(request), action, reason, changed, refused }
    return await store.noteAct({ ...act, selection: JSON.stringify(selection) }, events, deliveries)
  }

  return {
    /** Writes down what was done, and to which deliveries where no verb of the store does; the act's id. */
    note: (request: Request, done: Done, deliveries?: readonly number[]) => note(request, done, deliveries),

    /** Stands before whatever does it: what is refused is in the audit under this name. */
    of(action: string): RequestHandler {
      return (request, response, next) => {
        response.once('finish', () => {
          if (response.statusCode < 400 || response.statusCode >= 500 || isDryRun(request)) return
          const refused = refusalOf(response).slice(0, LONGEST)
          note(request, { action, selection: {} }, [], refused).catch((err: unknown) =>
            logger.warn({ err, action }, 'admin.act-not-noted'),
          )
        })
        next()
      }
    },

    /**
     * The act that a part goes on with, or a new one for the first; null: a dry run, which is none. `goOn`: an act that was stopped.
     * Throws a UserError for somebody else's part or act, and for an act of something else.
     */
    async begin(
      request: Request,
      done: Done,
      { dryRun, part, goOn }: { dryRun: boolean; part: Part | undefined; goOn?: number | undefined },
    ): Promise<number | null> {
      await requireOwn(request, done.action, part)
      if (goOn !== undefined) await requireSame(request, done, goOn)
      return dryRun ? null : (goOn ?? part?.act ?? (await note(request, done)))
    },

    /** The person, for a verb of the store, which writes it down itself. Throws a UserError for somebody else's part. */
    async audit(request: Request, action: string, how: How): Promise<Audit> {
      await requireOwn(request, action, how.part ?? undefined)
      return { ...how, by: operatorOf(request), at: clock.now() }
    },
  }

  /** Throws a UserError where the part goes on with an act that is not this person's, or of another kind. */
  async function requireOwn(request: Request, action: string, part: Part | undefined): Promise<void> {
    if (part !== undefined && part.act !== null) await ownAct(request, action, part.act, 'part.act')
  }

  /** Throws a UserError where an act was of something else than what is asked for now. */
  async function requireSame(request: Request, { action, selection }: Done, act: number): Promise<void> {
    const begun = await ownAct(request, action, act, 'goOn')
    if (begun.selection !== JSON.stringify(selection))
      throw new UserError(`goOn: act ${act} was of something else: ${begun.selection}. Ask for the same as then.`)
  }

  /** An act of this person and kind, which was not refused. Throws a UserError that names the `key` where it is none. */
  async function ownAct(request: Request, action: string, id: number, key: string): Promise<Act> {
    const begun = await store.act(id)
    if (begun?.action !== action || begun.by !== operatorOf(request) || begun.refused !== null)
      throw new UserError(`${key}: ${id} is no "${action}" of ${operatorOf(request)}.`)
    return begun
  }
}

type How = Pick<Audit, 'dryRun' | 'reason' | 'part'>

export type Acts = ReturnType<typeof createActs>

/** Keeps the words of a refusal for the audit; somebody else answers. */
export const keepRefusal: ErrorRequestHandler = (error, _request, response, next) => {
  response.locals.refusal = error instanceof Error ? error.message : String(error)
  next(error)
}

function refusalOf(response: Response): string {
  return typeof response.locals.refusal === 'string' ? response.locals.refusal : `answered ${response.statusCode}`
}

function isDryRun({ body }: Request): boolean {
  return typeof body === 'object' && body !== null && 'dryRun' in body && body.dryRun === true
}
