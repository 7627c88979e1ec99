import { NOT_OFFERED, PermanentError } from '../../domain/values/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { createHttpClient, type HttpRequest } from '../../lib/http/http.ts'
import { createJudge, type HttpVerdict } from '../../lib/http/http-verdict.ts'
import { createRateLimiter, type Rate } from '../../lib/rate-limiter.ts'
import { byRow, type RowsIn } from '../odata/body.ts'
import { inOne, readAs, readFailure, readJson, readWritten, writeFailure } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import type { OperationName } from './endpoints.ts'
import type { AsideBook, Unreadable } from './listed.ts'
import { mappedAnswer } from './mapped-answer.ts'
import { UnexpectedAnswer } from './read.ts'
import { buildRequest, type Call, checkKeysSent, type Target } from './request.ts'
import { pauseBefore, wait } from './retry.ts'
import { checkCarriedOut } from './written-id.ts'

/** Calls operations by name. Failures are the errors of domain/values/errors.ts, and hold no secret. */
export interface Client extends AsyncDisposable {
  /**
   * Reads, whatever the method, as long as nothing is changed: tried again a few times where that may help. `told`: whether what
   * was read is what was asked for; not given: anything is that is not nothing.
   */
  read<T>(
    operation: OperationName,
    call: Call,
    read: (answer: unknown) => T | Promise<T>,
    told?: (found: T) => boolean,
  ): Promise<T>
  /** Sent once. Gives what was answered: JSON, else text, else null. */
  write(operation: OperationName, call: Call): Promise<unknown>
  /** How this operation is spoken: the preset with the operator's changes. */
  endpoint(operation: OperationName): Endpoint
  /** A list was read whole: told what of it is aside. `about`: which part of the rows was asked for; empty: all. */
  aside(operation: OperationName, about: string, aside: readonly Unreadable[]): void
}

export interface ClientOptions extends Target {
  /** The values that say what an operation is about; of those in one list, a call gives one. */
  keysOf(operation: OperationName): readonly (readonly string[])[]
  endpoints: Readonly<Record<OperationName, Endpoint>>
  /** Milliseconds that one request may take. */
  timeout: number
  connections: number
  /** Bytes of an answer that are read; a longer one is an error. */
  maxAnswer: number
  /** How many requests are sent at most; undefined: no limit. */
  rate?: Rate | undefined
  /** The book of rows of lists that could not be read. */
  asides?: AsideBook | undefined
  clock: Clock
}

export function createClient(options: ClientOptions): Client {
  const { endpoints, keysOf, timeout, connections, maxAnswer, rate, asides, clock, ...target } = options
  const http = createHttpClient({ connections, timeout })
  const limit = rate && createRateLimiter(rate, clock)
  const timeoutOf = (operation: OperationName) => endpoints[operation].timeout ?? timeout
  const keys = [target.apiKey, target.subscriptionKey]

  async function send(operation: OperationName, call: Call): Promise<{ what: string; verdict: HttpVerdict }> {
    const endpoint = endpoints[operation]
    if (endpoint.absent)
      throw new PermanentError(`platform: ${operation} is not there (platform.endpoints.${operation} is null)`, {
        code: NOT_OFFERED,
      })
    checkKeysSent(operation, endpoint, keysOf(operation), call)
    const built = buildRequest(target, operation, endpoint, call)
    const kept = { keep: maxAnswer, inPieces: call.byRow !== undefined }
    const request: HttpRequest = { ...built, ...kept, timeout: timeoutOf(operation) }
    const judge = createJudge({ name: 'platform', secrets: [...keys, ...(call.secrets ?? [])] })
    const what = `platform: ${request.method} ${request.origin}${request.path.replace(/\?.*$/s, '')}`
    // When waiting is given up, sending says so: nothing leaves.
    await limit?.turn({ last: endpoint.bulk === true, signal: call.signal })
    const result = await http.send(request)
    return { what, verdict: judge(request, result) }
  }

  async function readOnce<T>(
    operation: OperationName,
    call: Call,
    read: (answer: unknown) => T | Promise<T>,
  ): Promise<T> {
    const { what, verdict } = await send(operation, call)
    if (verdict.type !== 'done') throw readFailure(verdict)
    const { answer } = verdict
    const { pieces, complete } = answer
    const where = call.byRow && rowsIn(endpoints[operation], call.byRow)
    const rows = where && pieces && complete ? await byRow(pieces, where) : null
    const raw = rows ?? readJson(inOne(answer), what)
    return await readAs(raw, { what, operation }, (value) => read(mappedAnswer(value, endpoints[operation])))
  }

  return {
    async read(operation, call, read) {
      const began = clock.now()
      for (let tries = 1; ; tries++) {
        try {
          return await readOnce(operation, call, read)
        } catch (error) {
          const now = clock.now()
          // A call that took as long as one request may take in all is not begun once more.
          const pause = now - began < timeoutOf(operation) ? pauseBefore(error, tries, now, Math.random()) : null
          if (pause === null) throw error
          await wait(clock, pause, call.signal)
          if (call.signal?.aborted) throw error
        }
      }
    },

    async write(operation, call) {
      const { what, verdict } = await send(operation, call)
      if (verdict.type !== 'done') throw writeFailure(verdict)
      const written = readWritten(verdict.answer, what)
      checkCarriedOut(written, what)
      return mappedIfPossible(written, endpoints[operation])
    },

    endpoint: (operation) => endpoints[operation],

    aside: (operation, about, aside) => asides?.listed(operation, about, aside),

    async [Symbol.asyncDispose]() {
      const closed = http[Symbol.asyncDispose]()
      limit?.[Symbol.dispose]()
      await closed
    },
  }
}

/** Where the rows of an answer stand; null: too deep in it to be read row by row. */
function rowsIn({ list }: Endpoint, documented: RowsIn): RowsIn | null {
  if (list === undefined) return documented
  return list.includes('.') ? null : { member: list }
}

/** What was carried out is no failure because its answer has another shape. */
function mappedIfPossible(written: unknown, endpoint: Endpoint): unknown {
  try {
    return mappedAnswer(written, endpoint)
  } catch (error) {
    if (error instanceof UnexpectedAnswer) return written
    throw error
  }
}
