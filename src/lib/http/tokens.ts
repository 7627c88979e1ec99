import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { free } from '../thread.ts'
import { answerProblem, credentialOf, type Refused } from './problem.ts'

/** Whether a text is one of the tokens, in a time that does not tell how much of it was right. */
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

/** Who has a token, by name; null: nobody. It takes a time that does not tell how much of it was right. */
export function createTokenHolders(holders: Readonly<Record<string, string>>): (given: unknown) => string | null {
  const checks = Object.entries(holders).map(([name, token]) => ({ name, isTheirs: createTokenCheck([token]) }))
  return (given) => checks.filter(({ isTheirs }) => isTheirs(given)).at(0)?.name ?? null
}

/** The token of an `Authorization: Bearer …` header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** Wrong tokens a minute and address before the answer is 429. Right tokens are never counted. */
const MAX_WRONG_TOKENS = 30

/** The interfaces that take a token. */
const INTERFACES = new Set(['webhooks', 'intake', 'v1', 'api', 'admin', 'metrics'])

function interfaceOf({ originalUrl }: Request): string | undefined {
  const [first = ''] = originalUrl.slice(1).split(/[/?]/, 1)
  return INTERFACES.has(first) ? `/${first}` : undefined
}

/** Answers a request whose token was wrong: 401 with what to do, and 429 to who goes on guessing. The connection ends with it. */
export function createWrongTokenAnswer(detail: string, refused: Refused) {
  const limiter = rateLimit({
    windowMs: 60_000,
    limit: MAX_WRONG_TOKENS,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // The library would write warnings about proxies to the output, each with a stack trace; server.trustProxy says what it asks for.
    validate: false,
    // A caller who has hung up has no address any more.
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

/** How much is read away of what is refused (bytes), and for how long (milliseconds). */
interface Bounds {
  bytes: number
  ms: number
}

/** Bounds of reading on. A sender with a credential is worth a moment; a stranger is not worth the work of reading. */
const OF_KNOWN: Bounds = { bytes: 4 * 1024 * 1024, ms: 2_000 }
const OF_STRANGERS: Bounds = { bytes: 16 * 1024, ms: 200 }

/** A sender that says nothing for so long is waiting for its answer (milliseconds). */
const QUIET = 100

/** Makes the answer to a refused request the last one of its connection, once it can be heard. False: nobody is there any more. */
export async function prepareToClose(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  await drain(request)
  if (response.destroyed) return false
  response.setHeader('Connection', 'close')
  return true
}

/**
 * Reads away what is still coming of a request that is refused, within bounds: a connection that is closed while its sender
 * still writes loses the answer.
 */
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
