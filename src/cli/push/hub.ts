import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { UserError } from '../../domain/values/errors.ts'
import { operator } from '../shared/client.ts'
import { strangerError, wordsOf } from '../shared/hub-url.ts'

export interface LineFaults {
  line: number
  faults: string[]
}

/** The hub's answer to what was sent; of faults and warnings, the first ones. */
interface Taken {
  /** Null: nothing was kept. */
  id: number | null
  /** Only where the whole was taken before: `duplicate`. */
  status?: string
  accepted: number
  duplicates: number
  refused: number
  faults: LineFaults[]
}

/** The same with nothing taken. A warning without a line is of the whole. */
export interface Rehearsed extends Pick<Taken, 'accepted' | 'refused' | 'faults'> {
  warnings?: { line?: number | null; sort: string; text: string }[]
  /** How many there are of each sort. */
  warningCounts?: Record<string, number>
}

/** What became of what was taken. */
export interface Submission {
  id: number
  /** By name; of each, how many are in which state. */
  destinations: Record<string, Record<string, number>>
  /** Lines that no destination wants. */
  unrouted?: number
  done: boolean
  failed: FailedLine[]
}

export interface FailedLine {
  line: number
  entity?: string | null
  state: string
  code?: string | null
  why?: string | null
}

interface Sent {
  resource: string
  query: Record<string, string>
  /** Lines of NDJSON, asked for anew at each try. */
  body: () => AsyncIterable<Buffer>
}

/** Nobody answered, or only "later", as often as it was tried. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError'
}

const LATER = new Set([408, 425, 429, 502, 503, 504])
/** As long as this nothing may move (milliseconds). */
const STANDSTILL = 300_000
/** A hub that asks for more patience is asked sooner. */
const LONGEST = 60_000

interface Access {
  url: string
  key: string
  /** After each of these, it is tried again where nobody answers or the hub says "later" (milliseconds). */
  waits: readonly number[]
  signal: AbortSignal
  /** Told each time. */
  trouble: (what: string, wait: number) => void
}

export type V1 = ReturnType<typeof createV1>

/**
 * The hub's /v1, asked by the key of an own system. Throws a UserError that says what the hub refuses; a NoAnswerError when it has tried
 * often enough.
 */
export function createV1({ url, key, waits, signal, trouble }: Access) {
  // Each piece that goes out begins the wait for an answer anew.
  const dispatcher = new Agent({ headersTimeout: STANDSTILL, bodyTimeout: STANDSTILL, connect: { timeout: 10_000 } })

  async function ask(
    path: string,
    headers: Record<string, string>,
    body?: Sent['body'],
  ): Promise<Answered | NoAnswerError> {
    try {
      const answer = await request(`${url}${path}`, {
        dispatcher,
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json',
          'x-operator': operator(),
          ...headers,
        },
        signal,
        ...(body && { body: Readable.from(body(), { objectMode: false }) }),
      })
      const text = await answer.body.text()
      return { status: answer.statusCode, text, retryAfter: Number(answer.headers['retry-after']) }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof UserError) throw error
      return new NoAnswerError(`No hub answers at ${url} (${wordsOf(error)}).`, { cause: error })
    }
  }

  async function persist<T>(path: string, headers: Record<string, string> = {}, body?: Sent['body']): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      const answer = await ask(path, headers, body)
      if (!(answer instanceof Error) && !LATER.has(answer.status)) return readAnswer<T>(answer, url)
      const problem = answer instanceof Error ? answer : new NoAnswerError(`The hub is busy: ${saidBy(answer)}.`)
      const wait = waits[tries]
      if (wait === undefined) throw problem
      const asked = answer instanceof Error ? 0 : answer.retryAfter * 1_000 || 0
      const longer = Math.min(Math.max(wait, asked), LONGEST)
      trouble(problem.message, longer)
      await pause(longer, undefined, { signal })
    }
  }

  const post = <T>({ resource, query, body }: Sent, headers: Record<string, string> = {}) => {
    const path = `/v1/${resource}?${new URLSearchParams(query)}`
    return persist<T>(path, { 'content-type': 'application/x-ndjson', ...headers }, body)
  }

  return {
    submit: (sent: Sent, idempotencyKey: string) => post<Taken>(sent, { 'idempotency-key': idempotencyKey }),
    rehearse: (sent: Sent) => post<Rehearsed>({ ...sent, query: { ...sent.query, dryRun: 'true' } }),
    /** `after`: failed lines behind this one. */
    look: (id: number, after?: number) =>
      persist<Submission>(`/v1/submissions/${id}${after === undefined ? '' : `?after=${after}`}`),
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}

export interface Answered {
  status: number
  text: string
  /** Seconds; NaN: not said. */
  retryAfter: number
}

interface Problem {
  title?: string
  detail?: string
  faults?: LineFaults[]
  lines?: number
}

/** Success as JSON. Lines that were all refused are an answer too; every other refusal is a UserError. */
function readAnswer<T>(answered: Answered, url: string): T {
  const said = jsonOf(answered.text)
  if (said === null) throw strangerError(url, answered.status)
  if (answered.status < 300) return said as T
  const { faults = [], lines = faults.length } = said
  if (answered.status === 422 && faults.length > 0)
    return { id: null, lines, accepted: 0, duplicates: 0, refused: lines, faults } as T
  if (answered.status === 401)
    throw new UserError('The hub does not know this key. "tillbridge keys create <system> --may …" makes one.')
  throw new UserError(`The hub refuses it: ${saidBy(answered)}`)
}

/** A refusal in a line. */
function saidBy({ status, text }: Pick<Answered, 'status' | 'text'>): string {
  const { detail, title } = jsonOf(text) ?? {}
  return `${status} ${detail ?? title ?? ''}`.trim()
}

function jsonOf(text: string): Problem | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
