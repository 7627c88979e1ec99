import { timingSafeEqual } from 'node:crypto'
import type { NextFunction, RequestHandler, Response } from 'express'
import { type ApiKey, hashSecret, mayDo, READ_METRICS, readKey, type Scope } from '../domain/access/scope.ts'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import { answerProblem, type Problem, type Refused, recognise } from '../lib/http/problem.ts'
import { bearerOf, createWrongTokenAnswer } from '../lib/http/tokens.ts'
import type { Logger } from '../lib/logger.ts'
import { BusyError, createSemaphore, type Semaphore } from '../lib/semaphore.ts'
import type { KeptApiKey } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

const READ_METHODS = ['GET', 'HEAD']

/** Of one key, so that it cannot delay webhooks. */
const READS_AT_ONCE = 8
const READS_WAITING = 120

const TOO_MANY_READS: Problem = {
  status: 429,
  code: 'too-many-reads',
  title: 'Too many reads at a time',
  detail: `Of one key ${READS_AT_ONCE} reads are worked on at a time, and ${READS_WAITING} more may wait.`,
  retryAfter: 1,
}

/** Least time between two writes of the last use (ms). */
const USES_APART = 60_000

interface Options {
  store: Pick<Store, 'apiKey' | 'apiKeyUsed'>
  refused: Refused
  clock: Clock
  logger: Logger
}

/**
 * Makes checks of a scope (null: any key): 401 for an unknown or revoked key, 403 without the scope; `apiKeyOf` then
 * gives the key. One for all of /v1, as wrong keys and a key's reads are counted together. For metrics, a key valid
 * within a day is accepted while the storage is unavailable.
 */
export function createApiKeyCheck({ store, refused, clock, logger }: Options): (scope: Scope | null) => RequestHandler {
  const refuse = createWrongTokenAnswer(
    'Send Authorization: Bearer … with a key made by "tillbridge keys create".',
    refused,
  )
  const limiters = new Map<string, Semaphore>()
  const remembered = createRememberedKeys({ store, clock })
  const ofNow = async (id: string) => ({ key: await store.apiKey(id), ofNow: true })

  return (scope) => async (request, response, next) => {
    const found = await find(bearerOf(request.headers.authorization), scope)
    if (!found) return await refuse(request, response)
    const { key } = found
    recognise(request, response, `key ${key.id}`)
    if (scope !== null && !mayDo(key, scope)) return answerMayNot(response, key, scope)
    if (found.ofNow) await noteUse(key)
    response.locals.apiKey = key
    if (READ_METHODS.includes(request.method)) await read(response, key, next)
    else next()
  }

  /** Waits for the read's turn among those of its key, until it is answered. */
  async function read(response: Response, { id }: ApiKey, next: NextFunction): Promise<void> {
    const limiter = limiters.get(id) ?? createSemaphore(READS_AT_ONCE, READS_WAITING)
    limiters.set(id, limiter)
    const closed = new AbortController()
    const answered = new Promise<void>((resolve) => {
      response.once('close', () => {
        closed.abort()
        resolve()
      })
    })
    try {
      await limiter(() => {
        next()
        return answered
      }, closed.signal)
    } catch (error) {
      if (error instanceof BusyError) answerProblem(response, TOO_MANY_READS)
      else if (!closed.signal.aborted) throw error
    }
  }

  /** `ofNow`: the storage was asked. */
  async function find(given = '', scope: Scope | null): Promise<{ key: ApiKey; ofNow: boolean } | null> {
    const parts = readKey(given)
    if (parts === null) return null
    const found = await (scope === READ_METRICS ? remembered.find : ofNow)(parts.id)
    if (found.key === null || found.key.revokedAt !== null) return null
    const { secretHash, ...key } = found.key
    const right = timingSafeEqual(Buffer.from(hashSecret(parts.secret), 'hex'), Buffer.from(secretHash, 'hex'))
    return right ? { key, ofNow: found.ofNow } : null
  }

  /** Informational: a failure is only logged. */
  async function noteUse({ id, lastUsedAt }: ApiKey): Promise<void> {
    if (lastUsedAt !== null && clock.now() - lastUsedAt < USES_APART) return
    try {
      await store.apiKeyUsed(id, clock.now())
    } catch (error) {
      logger.warn({ id, problem: error instanceof Error ? error.message : String(error) }, 'api-key.use-not-kept')
    }
  }
}

export function apiKeyOf(response: Response): ApiKey {
  return response.locals.apiKey
}

/** `what` precedes the answer where another thing than the path needs the scope. */
export function answerMayNot(response: Response, key: ApiKey, scope: Scope, what = ''): void {
  answerProblem(response, {
    status: 403,
    code: 'key-may-not',
    title: 'This key may not',
    detail: `${what}The key ${key.id} of ${key.system} lacks the scope ${scope}; it has ${key.scopes.join(', ')}. ${makeOneWith(key, scope)}`,
  })
}

/** The command that makes a key with the scope added. */
export function makeOneWith({ system, scopes }: ApiKey, scope: Scope): string {
  return `Make a key that has it with "tillbridge keys create ${system} --may ${[...scopes, scope].join(',')}".`
}

/** Milliseconds. */
const REMEMBERED = 24 * 3_600_000

/** Time for the storage to answer of a remembered key (ms). */
const PATIENCE = 2_000

interface FoundKey {
  key: KeptApiKey | null
  /** False: as remembered. */
  ofNow: boolean
}

/** Keys of the storage, or as they were within a day while it is unavailable, so that metrics can report the outage. */
function createRememberedKeys({ store, clock }: { store: Pick<Store, 'apiKey'>; clock: Clock }) {
  const known = new Map<string, { key: KeptApiKey; at: number }>()

  async function ask(id: string): Promise<FoundKey> {
    const key = await store.apiKey(id)
    if (key === null) known.delete(id)
    else known.set(id, { key, at: clock.now() })
    return { key, ofNow: true }
  }

  return {
    /** Rejects with a StoreUnavailableError without a remembered key. */
    async find(id: string): Promise<FoundKey> {
      const before = known.get(id)
      const asked = ask(id)
      if (before === undefined || clock.now() - before.at > REMEMBERED) return await asked
      const remembered: FoundKey = { key: before.key, ofNow: false }
      const late = Promise.withResolvers<FoundKey>()
      const cancel = clock.after(PATIENCE, () => late.resolve(remembered))
      const answer = asked.catch((error: unknown) => {
        if (error instanceof StoreUnavailableError) return remembered
        throw error
      })
      return await Promise.race([answer, late.promise]).finally(cancel)
    },
  }
}
