import type { Request, Response } from 'express'
import type { Refused } from '../../../lib/http/problem.ts'
import type { JsonLimits } from '../../../lib/json.ts'
import { createSemaphore, type SlicedWork } from '../../../lib/semaphore.ts'
import { free } from '../../../lib/thread.ts'
import { AT_ONCE, readBody } from '../../body.ts'
import type { Budget, Share } from '../../budget.ts'
import { answerRefused } from '../../problem.ts'
import { answerTooLarge, answerTooManyValues, answerUnreadable } from '../answers.ts'
import { BeyondLimitsError, createJsonReader } from './json-reader.ts'
import { LARGEST_JSON } from './request.ts'

/** What the bodies of own systems may cost. */
export interface Room {
  budget: Budget
  limits: JsonLimits
  refused: Refused
}

/** Bodies of what is taken all or nothing. */
export interface WholeBodies extends AsyncDisposable {
  /** The bytes, which count as in hand until the request is answered. Null: it was answered already, or nobody is there to be answered. */
  bytes(request: Request, response: Response): Promise<Buffer | null>
  /** What `read` makes of the body as JSON. Undefined: it is none, and that was answered. */
  json<Read = unknown>(
    request: Request,
    response: Response,
    read?: (body: unknown, work: SlicedWork) => Promise<Read>,
  ): Promise<Read | undefined>
}

/** So many large bodies are read at a time: each is many times its size while it is. */
const LARGE_AT_ONCE = 4

export function createWholeBodies({ budget, limits, refused }: Room): WholeBodies {
  const reader = createJsonReader(limits)
  const inTurn = createSemaphore(LARGE_AT_ONCE)

  async function bytesOf(request: Request, response: Response): Promise<Buffer | null> {
    const body = await readBody(request, { limit: LARGEST_JSON, budget }).catch(() => null)
    if (body?.type === 'read') response.once('close', body.share.release)
    if (body === null) response.destroy()
    else if (body.type === 'refused') await answerRefused(request, response, body.why, refused)
    else if (body.type === 'too-large') await answerTooLarge(request, response)
    else if (body.packed !== null) answerUnreadable(response, body.packed)
    else return body.bytes
    return null
  }

  return {
    bytes: bytesOf,
    async json<Read>(
      request: Request,
      response: Response,
      read = async (body: unknown, _: SlicedWork) => body as Read,
    ) {
      const bytes = await bytesOf(request, response)
      if (bytes === null) return undefined
      const work = budget.slices.begin()
      const readAll = async () => await read(await reader.read(bytes, work), work)
      try {
        return await (bytes.byteLength > AT_ONCE ? inTurn(readAll) : readAll())
      } catch (error) {
        if (error instanceof BeyondLimitsError) answerTooManyValues(response, error.message)
        else if (error instanceof SyntaxError) answerUnreadable(response, `not JSON: ${error.message}`)
        else throw error
        return undefined
      } finally {
        free(bytes)
      }
    },
    [Symbol.asyncDispose]: reader[Symbol.asyncDispose],
  }
}

/** Bytes of an NDJSON stream held in memory. */
const HELD = 2_000_000

/** The share of a stream of lines, taken at its beginning. Null: so many are under way that there is no room for it. */
export function streamShare(budget: Budget): Share | null {
  const share = budget.open(() => {})
  // A stream holds less than it sends: it is not cut off for coming slowly, but for saying nothing (see ndjson.ts).
  share.whole()
  if (share.take(HELD)) return share
  share.release()
  return null
}
