import type { Request, Response } from 'express'
import type { Problem, Refused } from '../../../lib/http/problem.ts'
import { beyondLimits, type JsonLimits } from '../../../lib/json.ts'
import { createSemaphore, type SlicedWork } from '../../../lib/semaphore.ts'
import { createRestingThread, free } from '../../../lib/thread.ts'
import { AT_ONCE, readBody } from '../../body.ts'
import type { Budget, Share } from '../../budget.ts'
import { answerRefused, endWith, ProblemError } from '../../problem.ts'
import type { Tally } from '../take.ts'
import type { Inspected } from './json-thread.ts'
import { InexactNumber, parseTyped } from './typed-json.ts'

/** What the bodies of own systems may cost. */
export interface Room {
  budget: Budget
  limits: JsonLimits
  refused: Refused
}

/** Bodies of what is taken all or nothing. */
export interface WholeBodies extends AsyncDisposable {
  /** What `read` makes of the body as JSON. Undefined: it was refused and answered. Throws a ProblemError. */
  json<Read = unknown>(
    request: Request,
    response: Response,
    read?: (body: unknown, work: SlicedWork) => Promise<Read>,
  ): Promise<Read | undefined>
}

/** The largest JSON body, before and after decompression (bytes). NDJSON has no limit. */
const LARGEST_JSON = 8_000_000

const TOO_LARGE = tooLarge(
  `JSON is taken all or nothing, up to ${LARGEST_JSON} bytes. Send application/x-ndjson, which has no limit.`,
)

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
    else if (body.type === 'too-large') await endWith(request, response, TOO_LARGE)
    else if (body.packed !== null) throw unreadable(body.packed)
    else return body.bytes
    return null
  }

  return {
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
        if (error instanceof SyntaxError) throw unreadable(`not JSON: ${error.message}`)
        throw error
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

/** Reads JSON bodies of any size that /v1 takes. */
interface JsonReader extends AsyncDisposable {
  /**
   * The value, with numbers that JavaScript cannot hold as InexactNumber. Throws a SyntaxError that quotes nothing of the body,
   * and a ProblemError beyond the limits.
   */
  read(bytes: Buffer, work: SlicedWork): Promise<unknown>
}

/** The problem of a body that would cost too much to read: `why` names the limit. */
function beyondLimit(why: string): ProblemError {
  const detail = `The body: ${why} (server.limits). Send it in parts, or as application/x-ndjson, which has no limit.`
  return new ProblemError(tooLarge(detail))
}

/** A larger body is looked through in another thread first: parsing it with exact numbers may take the event loop for long. */
const INLINE_BYTES = 64 * 1024

/** Memory of the thread: a body within the limits needs less. */
const HEAP = { youngMb: 8, oldMb: 160 }

/** `limits`: of payloads, in server.limits; a list of /v1 may be as long as the values of a payload may be many. */
function createJsonReader({ depth, keys, values }: JsonLimits): JsonReader {
  const limits: JsonLimits = { depth, keys, values, items: values }
  const thread = createRestingThread({
    url: new URL('./json-thread.ts', import.meta.url),
    data: { limits },
    heap: HEAP,
  })

  async function inspect(bytes: Buffer): Promise<Inspected> {
    try {
      return (await thread.run(() => [{ method: 'inspect', args: [bytes] }])) as Inspected
    } catch {
      throw beyondLimit('it takes too long, or too much memory')
    }
  }

  return {
    async read(bytes, work) {
      if (bytes.byteLength <= INLINE_BYTES) {
        const beyond = beyondLimits(bytes, limits)
        if (beyond !== null) throw beyondLimit(beyond)
        return parseTyped(bytes)
      }
      const { beyond, broken, inexact } = await inspect(bytes)
      if (beyond !== null) throw beyondLimit(beyond)
      if (broken !== null) throw new SyntaxError(broken)
      await work.next()
      const root = { value: JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, '')) as unknown }
      for (const { at, typed } of inexact) place(root, ['value', ...at], new InexactNumber(typed))
      return root.value
    },
    [Symbol.asyncDispose]: thread[Symbol.asyncDispose],
  }
}

function place(root: object, at: readonly (string | number)[], value: InexactNumber): void {
  let parent = root as Record<string | number, unknown>
  for (const name of at.slice(0, -1)) parent = parent[name] as Record<string | number, unknown>
  // `__proto__` as a name is a field like others here.
  Object.defineProperty(parent, at.at(-1) ?? '', { value, writable: true, enumerable: true, configurable: true })
}

function tooLarge(detail: string): Problem {
  return { status: 413, code: 'body-too-large', title: 'Too large', detail }
}

/** The body is not what its headers say. `tally`: what was taken before that. */
export function unreadable(why: string, tally?: Tally): ProblemError {
  const kept = tally?.id == null ? {} : { submission: tally.id, lines: tally.lines, accepted: tally.accepted }
  const detail = `The body: ${why}.`
  return new ProblemError({ status: 400, code: 'unreadable', title: 'Not readable', detail, more: kept })
}
