import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Request, RequestHandler, Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { INTERFACES } from '../config/sections.ts'
import type { Clock } from '../lib/clock.ts'
import { createAddressList } from '../lib/http/address-list.ts'
import type { Logger } from '../lib/logger.ts'
import { free } from '../lib/thread.ts'
import { answerProblem, type Problem, problem, sendProblem } from './problem.ts'

/** Why a body is not read to its end. */
export type Refusal = 'over-budget' | 'too-slow' | 'inflated' | 'wrong-signature'

/** Reason, address and interface (`/admin`), never the path, which may hold a token. */
export type Refused = (why: string, address: string | undefined, at?: string) => void

const CREDENTIAL = Symbol('the credential that was shown')
const WOULD_KEEP = Symbol('would be kept')

interface Marked extends Socket {
  [CREDENTIAL]?: string
}

interface Unconfirmed extends ServerResponse {
  [WOULD_KEEP]?: true
}

export function credentialOf(socket: Marked): string | null {
  return socket[CREDENTIAL] ?? null
}

export function closeUnlessAuthenticated({ socket }: IncomingMessage, response: Unconfirmed): void {
  if (credentialOf(socket) !== null || !response.shouldKeepAlive) return
  response.shouldKeepAlive = false
  response[WOULD_KEEP] = true
}

/** `credential` is its name, not its secret. */
export function markAuthenticated({ socket }: IncomingMessage, response: Unconfirmed, credential: string): void {
  if (credentialOf(socket) !== null) return
  ;(socket as Marked)[CREDENTIAL] = credential
  if (response[WOULD_KEEP]) response.shouldKeepAlive = true
}

/** Constant-time check. */
export function createTokenCheck(tokens: readonly string[]): (given: unknown) => boolean {
  const wanted = tokens.map(digest)
  return (given) => {
    if (typeof given !== 'string' || given.length > 1_024) return false
    const found = digest(given)
    let match = false
    for (const one of wanted) match = timingSafeEqual(one, found) || match
    return match
  }
}

/** The holder's name; null: none. Constant time. */
export function createTokenHolders(holders: Readonly<Record<string, string>>): (given: unknown) => string | null {
  const checks = Object.entries(holders).map(([name, token]) => ({ name, isTheirs: createTokenCheck([token]) }))
  return (given) => checks.filter(({ isTheirs }) => isTheirs(given)).at(0)?.name ?? null
}

export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

const MAX_WRONG_TOKENS = 30

function interfaceOf({ originalUrl }: Request): string | undefined {
  const [first = ''] = originalUrl.slice(1).split(/[/?]/, 1)
  return INTERFACES.some((one) => one === first) ? `/${first}` : undefined
}

/** 401 for a wrong token, 429 for guessing; the connection closes. */
export function createUnauthorizedHandler(detail: string, refused: Refused) {
  const limiter = rateLimit({
    windowMs: 60_000,
    limit: MAX_WRONG_TOKENS,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // The library's proxy warnings would flood the output; server.trustProxy documents it.
    validate: false,
    keyGenerator: ({ ip }) => (ip === undefined ? 'unknown' : ipKeyGenerator(ip)),
    handler: (_, response) => sendProblem(response, 'too-many-wrong-tokens'),
  })
  return async (request: Request, response: Response): Promise<void> => {
    refused('wrong-token', request.ip, interfaceOf(request))
    if (!(await prepareToClose(request, response))) return
    await limiter(request, response, () => sendProblem(response, 'wrong-token', detail))
  }
}

/** 403 for all but these addresses and ranges; the connection closes. */
export function createAllowList(ranges: readonly string[], refused: Refused): RequestHandler {
  const isAllowed = createAddressList(ranges)
  return async (request, response, next) => {
    if (isAllowed(request.ip)) return next()
    refused('address-not-allowed', request.ip, interfaceOf(request))
    await endWith(request, response, problem('address-not-allowed', `server.allow does not have ${request.ip}.`))
  }
}

interface Bounds {
  bytes: number
  ms: number
}

/** Strangers get little reading; known senders a moment. */
const OF_KNOWN: Bounds = { bytes: 4 * 1024 * 1024, ms: 2_000 }
const OF_STRANGERS: Bounds = { bytes: 16 * 1024, ms: 200 }

/** (ms) */
const QUIET = 100

/** Closes the connection after the answer. False: already gone. */
async function prepareToClose(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  await drain(request)
  if (response.destroyed) return false
  response.setHeader('Connection', 'close')
  return true
}

/** Closing while the sender writes would lose the answer. */
async function drain(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return
  const { bytes, ms } = credentialOf(request.socket) !== null ? OF_KNOWN : OF_STRANGERS
  await new Promise<void>((resolve) => {
    let size = 0
    let quiet = setTimeout(finish, QUIET)
    const longest = setTimeout(finish, ms)
    function read(chunk: Buffer) {
      size += chunk.byteLength
      free(chunk)
      clearTimeout(quiet)
      if (size > bytes) finish()
      else quiet = setTimeout(finish, QUIET)
    }
    function finish() {
      clearTimeout(quiet)
      clearTimeout(longest)
      request.off('data', read).pause()
      resolve()
    }
    request.on('data', read).once('end', finish).once('close', finish).once('error', finish)
    request.resume()
  })
}

const REFUSALS: Record<Refusal, string> = {
  'over-budget': 'More is arriving at once than server.limits.inFlightBytes allows. Send it again.',
  inflated: 'By decompression the bodies of this minute become more than server.limits.inflated allows. Send it again.',
  'too-slow': 'The body took longer than server.timeouts.body.',
  'wrong-signature':
    'The header that platform.webhooks.signature names must be the HMAC-SHA256 of the body, made with one of its secrets.',
}

/** The connection is closed. */
export async function answerRefused(request: Request, response: Response, why: Refusal, refused: Refused) {
  refused(why, request.ip)
  await endWith(request, response, problem(why, REFUSALS[why]))
}

export async function endWith(request: Request, response: Response, problem: Problem): Promise<void> {
  if (await prepareToClose(request, response)) answerProblem(response, problem)
}

export type Refusals = ReturnType<typeof createRefusals>

const MINUTE_MS = 60_000

const MAX_ADDRESSES = 1_000

const NAMED = 3

interface RefusalCount {
  count: number
  byAddress: Map<string, number>
}

/** The first of a reason is logged at once, later ones once a minute. */
export function createRefusals(clock: Clock, logger: Logger) {
  const counts: Record<string, number> = {}
  const places: Record<string, Record<string, number>> = {}
  const minute = new Map<string, RefusalCount>()
  let cancel: (() => void) | null = null

  function say(): void {
    cancel = null
    for (const [why, refusalCount] of minute)
      if (refusalCount.count > 0) logger.warn({ why, ...summary(refusalCount) }, 'request.refused')
    const isOver = [...minute.values()].every(({ count }) => count === 0)
    for (const [why, { count }] of minute) {
      if (count === 0) minute.delete(why)
      else minute.set(why, { count: 0, byAddress: new Map() })
    }
    if (!isOver) cancel = clock.after(MINUTE_MS, say)
  }

  return {
    note(why: string, address = 'unknown', at?: string) {
      counts[why] = (counts[why] ?? 0) + 1
      if (at !== undefined) {
        places[why] = { ...places[why], [at]: (places[why]?.[at] ?? 0) + 1 }
      }
      const refusalCount = minute.get(why)
      if (refusalCount) return count(refusalCount, address)
      minute.set(why, { count: 0, byAddress: new Map() })
      logger.warn({ why, ...(at && { at }), count: 1, from: [{ address, count: 1 }] }, 'request.refused')
      cancel ??= clock.after(MINUTE_MS, say)
    },
    counts: () => ({ ...counts }),
    places: () => structuredClone(places),
    [Symbol.dispose]() {
      cancel?.()
    },
  }
}

function count(refusalCount: RefusalCount, address: string): void {
  refusalCount.count += 1
  const before = refusalCount.byAddress.get(address)
  if (before !== undefined || refusalCount.byAddress.size < MAX_ADDRESSES)
    refusalCount.byAddress.set(address, (before ?? 0) + 1)
}

function summary({ count, byAddress }: RefusalCount) {
  const most = [...byAddress].sort(([, a], [, b]) => b - a).slice(0, NAMED)
  return { count, addresses: byAddress.size, from: most.map(([address, times]) => ({ address, count: times })) }
}
