import type { Request, Response } from 'express'
import { beyondLimits, InexactNumber, type Inspected, type JsonLimits, parseTyped } from '../../../lib/json.ts'
import { createSemaphore, type SlicedWork } from '../../../lib/semaphore.ts'
import { createRestingThread, free } from '../../../lib/thread.ts'
import { type Budget, CHUNK_BYTES, readBody, type Share } from '../../body.ts'
import { type ProblemError, problem, refusal } from '../../problem.ts'
import { answerRefused, endWith, type Refused } from '../../refusals.ts'
import type { TakeCounts } from '../take.ts'

export interface WholeBodyOptions {
  budget: Budget
  limits: JsonLimits
  refused: Refused
}

export type WholeBodies = ReturnType<typeof createWholeBodies>

/** Before and after decoding (bytes). */
const LARGEST_JSON = 8_000_000

const TOO_LARGE = problem(
  'body-too-large',
  `JSON is taken all or nothing, up to ${LARGEST_JSON} bytes. Send application/x-ndjson, which has no limit.`,
)

const LARGE_AT_ONCE = 4

/** Taken all or nothing. */
export function createWholeBodies({ budget, limits, refused }: WholeBodyOptions) {
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
    /** Undefined: refused and answered. */
    async json<Read = unknown>(
      request: Request,
      response: Response,
      read = async (body: unknown, _: SlicedWork) => body as Read,
    ): Promise<Read | undefined> {
      const bytes = await bytesOf(request, response)
      if (bytes === null) return undefined
      const work = budget.slices.begin()
      const readAll = async () => await read(await reader.read(bytes, work), work)
      try {
        return await (bytes.byteLength > CHUNK_BYTES ? inTurn(readAll) : readAll())
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

const STREAM_BYTES = 2_000_000

/** Null: no room for another stream. */
export function streamShare(budget: Budget): Share | null {
  const share = budget.open(() => {})
  share.whole()
  if (share.take(STREAM_BYTES)) return share
  share.release()
  return null
}

function beyondLimit(why: string): ProblemError {
  const detail = `The body: ${why} (server.limits). Send it in parts, or as application/x-ndjson, which has no limit.`
  return refusal('body-too-large', detail)
}

const INLINE_BYTES = 64 * 1024

const HEAP = { youngMb: 8, oldMb: 160 }

function createJsonReader({ depth, keys, values }: JsonLimits) {
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
    /** Numbers that JavaScript cannot hold become InexactNumber. Throws a SyntaxError that quotes nothing. */
    async read(bytes: Buffer, work: SlicedWork): Promise<unknown> {
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
  // `__proto__` is an ordinary field here.
  Object.defineProperty(parent, at.at(-1) ?? '', { value, writable: true, enumerable: true, configurable: true })
}

/** `reconcile`: what was taken before. */
export function unreadable(why: string, takeCounts?: TakeCounts): ProblemError {
  const kept =
    takeCounts?.id == null ? {} : { submission: takeCounts.id, lines: takeCounts.lines, accepted: takeCounts.accepted }
  const detail = `The body: ${why}.`
  return refusal('unreadable', detail, kept)
}
