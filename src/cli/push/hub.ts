import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { UserError } from '../../domain/values/errors.ts'
import { operator } from '../shared/client.ts'
import { wordsOf } from '../shared/words-of.ts'
import type { Rehearsed, Submission, Taken } from './answers.ts'
import { type Answered, readAnswer, saidBy } from './read-answer.ts'

/** The hub's /v1, asked by the key of an own system. */
export interface V1 extends AsyncDisposable {
  /** Sends lines of NDJSON; `body` is asked for them anew at each try. */
  submit(options: Sent & { idempotencyKey: string }): Promise<Taken>
  /** The same with nothing taken. */
  rehearse(options: Sent): Promise<Rehearsed>
  /** `after`: failed lines behind this one. */
  look(id: number, after?: number): Promise<Submission>
}

interface Sent {
  /** `products`, `prices`, `stock-adjustments`. */
  resource: string
  query: Record<string, string>
  body: () => AsyncIterable<Buffer>
}

/**
 * A client of /v1. Where nobody answers, or the hub says "later", it tries again after `waits` (milliseconds) and tells
 * `trouble` each time.
 *
 * Throws a UserError that says what the hub refuses; a NoAnswerError when it has tried often enough.
 */
export function createV1({
  url,
  key,
  waits,
  signal,
  trouble,
}: {
  url: string
  key: string
  waits: readonly number[]
  signal: AbortSignal
  trouble: (what: string, wait: number) => void
}): V1 {
  // A large file takes its time; what stands still is noticed by `watched`.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: STANDSTILL, connect: { timeout: 10_000 } })

  async function ask(path: string, options: Asked, body: () => AsyncIterable<Buffer>): Promise<Answered> {
    const watch = watched(signal)
    try {
      const headers = {
        authorization: `Bearer ${key}`,
        accept: 'application/json',
        'x-operator': operator(),
        ...options.headers,
      }
      const { method } = options
      const answer = await request(`${url}${path}`, {
        dispatcher,
        method,
        headers,
        signal: watch.signal,
        ...(method === 'POST' && { body: Readable.from(watch.moving(body()), { objectMode: false }) }),
      })
      const text = await answer.body.text()
      return { status: answer.statusCode, text, retryAfter: Number(answer.headers['retry-after']) }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof UserError) throw error
      throw new NoAnswerError(`No hub answers at ${url} (${wordsOf(error)}).`, { cause: error })
    } finally {
      watch.end()
    }
  }

  async function persist<T>(path: string, options: Asked, body: Sent['body'] = nothing): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      const outcome = await ask(path, options, body).catch((error: unknown) => {
        if (error instanceof NoAnswerError) return error
        throw error
      })
      if (!(outcome instanceof NoAnswerError) && !LATER.has(outcome.status)) return readAnswer<T>(outcome, url)
      const problem =
        outcome instanceof NoAnswerError ? outcome : new NoAnswerError(`The hub is busy: ${saidBy(outcome)}.`)
      const wait = waits[tries]
      if (wait === undefined) throw problem
      const asked = outcome instanceof NoAnswerError ? 0 : outcome.retryAfter * 1_000 || 0
      const longer = Math.min(Math.max(wait, asked), LONGEST)
      trouble(problem.message, longer)
      await pause(longer, undefined, { signal })
    }
  }

  const post = <T>({ resource, query, body }: Sent, headers: Record<string, string> = {}) =>
    persist<T>(
      `/v1/${resource}?${new URLSearchParams(query)}`,
      { method: 'POST', headers: { 'content-type': 'application/x-ndjson', ...headers } },
      body,
    )

  return {
    submit: ({ idempotencyKey, ...sent }) => post<Taken>(sent, { 'idempotency-key': idempotencyKey }),
    rehearse: (sent) => post<Rehearsed>({ ...sent, query: { ...sent.query, dryRun: 'true' } }),
    look: (id, after) => persist(`/v1/submissions/${id}${after === undefined ? '' : `?after=${after}`}`, GET),
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}

/** Nobody answered, or only "later", as often as it was tried. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError'
}

interface Asked {
  method: Dispatcher.HttpMethod
  headers?: Record<string, string>
}

const GET: Asked = { method: 'GET' }
const LATER = new Set([408, 425, 429, 502, 503, 504])
/** As long as this nothing may move (milliseconds). */
const STANDSTILL = 300_000
/** A hub that asks for more patience is asked sooner. */
const LONGEST = 60_000

async function* nothing(): AsyncGenerator<Buffer> {}

/** Aborts when nothing moves for long. */
function watched(outer: AbortSignal) {
  const own = new AbortController()
  const stop = () => own.abort(new NoAnswerError(`nothing moved for ${STANDSTILL / 1_000} s`))
  let timer = setTimeout(stop, STANDSTILL)
  let ended = false
  return {
    signal: AbortSignal.any([outer, own.signal]),
    async *moving(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const piece of body) {
        // The answer may come before the body has gone.
        if (ended) return
        clearTimeout(timer)
        timer = setTimeout(stop, STANDSTILL)
        yield piece
      }
    },
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}
