import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { free } from '../thread.ts'
import { answerProblem, credentialOf, type Refused } from './problem.ts'

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
const INTERFACES = new Set(['webhooks', 'intake', 'v1', 'api', 'admin', 'metrics'])

function interfaceOf({ originalUrl }: Request): string | undefined {
  const [first = ''] = originalUrl.slice(1).split(/[/?]/, 1)
  return INTERFACES.has(first) ? `/${first}` : undefined
}

/** 401 for a wrong token, 429 for guessing; the connection closes. */
export function createWrongTokenAnswer(detail: string, refused: Refused) {
  const limiter = rateLimit({
    windowMs: 60_000,
    limit: MAX_WRONG_TOKENS,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // The library's proxy warnings would flood the output; server.trustProxy documents it.
    validate: false,
    keyGenerator: ({ ip }) => (ip === undefined ? 'unknown' : ipKeyGenerator(ip)),
    handler: (_, response) =>
      answerProblem(response, {
        status: 429,
        code: 'too-many-wrong-tokens',
        title: 'Too many wrong tokens',
        retryAfter: 60,
      }),
  })
  return async (request: Request, response: Response): Promise<void> => {
    refused('wrong-token', request.ip, interfaceOf(request))
    if (!(await prepareToClose(request, response))) return
    await limiter(request, response, () =>
      answerProblem(response, { status: 401, code: 'wrong-token', title: 'Wrong token', detail }),
    )
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
export async function prepareToClose(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
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
