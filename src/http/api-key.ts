import { timingSafeEqual } from 'node:crypto'
import type { NextFunction, RequestHandler, Response } from 'express'
import { type ApiKey, hashSecret, hasScope, READ_METRICS, readKey, type Scope } from '../domain/scope.ts'
import { messageOf, StorageUnavailableError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { BusyError, createSemaphore, type Semaphore } from '../lib/semaphore.ts'
import type { StoredApiKey } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { answerProblem, problem, sendProblem } from './problem.ts'
import { bearerOf, createUnauthorizedHandler, markAuthenticated, type Refused } from './refusals.ts'

const READ_METHODS = ['GET', 'HEAD']

/** Of one key, so that it cannot delay webhooks. */
const READS_AT_ONCE = 8
const READS_WAITING = 120

const TOO_MANY_READS = problem(
  'too-many-reads',
  `Of one key ${READS_AT_ONCE} reads are worked on at a time, and ${READS_WAITING} more may wait.`,
)

/** Least time between two writes of the last use. */
const USE_INTERVAL_MS = 60_000

const REMEMBERED_MS = 24 * 3_600_000
const STORAGE_TIMEOUT_MS = 2_000

interface FoundKey {
  key: StoredApiKey | null
  /** False: as remembered. */
  ofNow: boolean
}

interface Options {
  storage: Pick<Storage, 'apiKey' | 'apiKeyUsed'>
  refused: Refused
  clock: Clock
  logger: Logger
}

/** Null: any key will do. One for all of /v1, as wrong keys and a key's reads are counted together. */
export function createApiKeyCheck(options: Options): (scope: Scope | null) => RequestHandler {
  const { storage, refused, clock, logger } = options
  const refuse = createUnauthorizedHandler(
    'Send Authorization: Bearer … with a key made by "tillbridge keys create".',
    refused,
  )
  const limiters = new Map<string, Semaphore>()
  const remembered = new Map<string, { key: StoredApiKey; at: number }>()

  return (scope) => async (request, response, next) => {
    const found = await find(bearerOf(request.headers.authorization), scope)
    if (!found) return await refuse(request, response)
    const { key } = found
    markAuthenticated(request, response, `key ${key.id}`)
    if (scope !== null && !hasScope(key, scope)) return answerMayNot(response, key, scope)
    if (found.ofNow) await noteUse(key)
    response.locals.apiKey = key
    if (READ_METHODS.includes(request.method)) await read(response, key, next)
    else next()
  }

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

  async function find(given = '', scope: Scope | null): Promise<{ key: ApiKey; ofNow: boolean } | null> {
    const parts = readKey(given)
    if (parts === null) return null
    const found = scope === READ_METRICS ? await orAsRemembered(ask(parts.id), parts.id) : await ask(parts.id)
    if (found.key === null || found.key.revokedAt !== null) return null
    const { secretHash, ...key } = found.key
    const right = timingSafeEqual(Buffer.from(hashSecret(parts.secret), 'hex'), Buffer.from(secretHash, 'hex'))
    return right ? { key, ofNow: found.ofNow } : null
  }

  async function ask(id: string): Promise<FoundKey> {
    const key = await storage.apiKey(id)
    if (key === null) remembered.delete(id)
    else remembered.set(id, { key, at: clock.now() })
    return { key, ofNow: true }
  }

  /** While the storage is unavailable, metrics take keys of the last day: they report the outage. */
  async function orAsRemembered(asked: Promise<FoundKey>, id: string): Promise<FoundKey> {
    const before = remembered.get(id)
    if (before === undefined || clock.now() - before.at > REMEMBERED_MS) return await asked
    const known = { key: before.key, ofNow: false }
    const late = Promise.withResolvers<FoundKey>()
    const cancel = clock.after(STORAGE_TIMEOUT_MS, () => late.resolve(known))
    const answer = asked.catch((error: unknown) => {
      if (error instanceof StorageUnavailableError) return known
      throw error
    })
    return await Promise.race([answer, late.promise]).finally(cancel)
  }

  async function noteUse({ id, lastUsedAt }: ApiKey): Promise<void> {
    if (lastUsedAt !== null && clock.now() - lastUsedAt < USE_INTERVAL_MS) return
    try {
      await storage.apiKeyUsed(id, clock.now())
    } catch (error) {
      logger.warn({ id, problem: messageOf(error) }, 'api-key.use-not-kept')
    }
  }
}

export function apiKeyOf(response: Response): ApiKey {
  return response.locals.apiKey
}

/** `what` precedes the detail. */
export function answerMayNot(response: Response, key: ApiKey, scope: Scope, what = ''): void {
  sendProblem(
    response,
    'key-may-not',
    `${what}The key ${key.id} of ${key.system} lacks the scope ${scope}; it has ${key.scopes.join(', ')}. ${makeOneWith(key, scope)}`,
  )
}

export function makeOneWith({ system, scopes }: ApiKey, scope: Scope): string {
  return `Make a key that has it with "tillbridge keys create ${system} --may ${[...scopes, scope].join(',')}".`
}
