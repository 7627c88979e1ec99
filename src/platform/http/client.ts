import { mappingRemedy } from '../../domain/health/health.ts'
import { readDelay } from '../../domain/queue/retry.ts'
import { NOT_OFFERED, PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import { createHttpClient, type HttpAnswer, type HttpRequest } from '../../lib/http/http.ts'
import { createClassifier, type HttpVerdict } from '../../lib/http/http-verdict.ts'
import { createRateLimiter, type Rate } from '../../lib/rate-limiter.ts'
import { byRow, type RowsIn } from '../odata/body.ts'
import { applyResponseMapping, buildRequest, type Call, checkKeysSent, type Endpoint, type Target } from './endpoint.ts'
import type { OperationName } from './endpoints.ts'
import {
  isRecord,
  joined,
  type Listed,
  parsedOrText,
  type RejectedRowsLog,
  readListed,
  UnexpectedAnswer,
  type Unreadable,
  type WireRecord,
} from './read.ts'
import { checkExecuted, unsendable } from './shape.ts'

/** Calls operations by name. Failures are those of domain/values/errors.ts and hold no secret. */
export interface Client extends AsyncDisposable {
  /** Retried a few times. `isFound`: the result is what was asked for. */
  read<T>(
    operation: OperationName,
    call: Call,
    read: (answer: unknown) => T | Promise<T>,
    isFound?: (found: T) => boolean,
  ): Promise<T>
  /** Sent once. Gives JSON, else text, else null. */
  write(operation: OperationName, call: Call): Promise<unknown>
  endpoint(operation: OperationName): Endpoint
  /** `about`: part of the list; empty: all. */
  rejected(operation: OperationName, about: string, rejected: readonly Unreadable[]): void
}

export interface ClientOptions extends Target {
  /** Required values; of those in one list, one. */
  keysOf(operation: OperationName): readonly (readonly string[])[]
  endpoints: Readonly<Record<OperationName, Endpoint>>
  timeout: number
  connections: number
  allowPrivate?: boolean | undefined
  maxAnswer: number
  rate?: Rate | undefined
  rejectedRows?: RejectedRowsLog | undefined
  clock: Clock
}

export function createClient(options: ClientOptions): Client {
  const { endpoints, keysOf, timeout, connections, allowPrivate, maxAnswer, rate, rejectedRows, clock, ...target } =
    options
  const http = createHttpClient({ connections, timeout, allowPrivate })
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
    const judge = createClassifier({ name: 'platform', secrets: [...keys, ...(call.secrets ?? [])] })
    const what = `platform: ${request.method} ${request.origin}${request.path.replace(/\?.*$/s, '')}`
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
    if (verdict.type !== 'done') throw failureOf(verdict, false)
    const { pieces, ...answer } = verdict.answer
    const where = call.byRow && rowsIn(endpoints[operation], call.byRow)
    const rows = where && pieces && answer.complete ? await byRow(pieces, where) : null
    const raw = rows ?? readJson(pieces ? { ...answer, body: Buffer.concat(pieces) } : answer, what)
    try {
      return await read(applyResponseMapping(raw, endpoints[operation]))
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer)) throw error
      const message = `${what} answered something else than documented: ${error.message}. If it stands elsewhere in the answer: ${mappingRemedy(operation)}.`
      throw new PermanentError(message, { code: 'unexpected-answer' })
    }
  }

  return {
    async read(operation, call, read) {
      const began = clock.now()
      for (let tries = 1; ; tries++) {
        try {
          return await readOnce(operation, call, read)
        } catch (error) {
          const now = clock.now()
          // No retry of a call that took the whole timeout.
          const pause = now - began < timeoutOf(operation) ? pauseBefore(error, tries, now, Math.random()) : null
          if (pause === null) throw error
          await wait(clock, pause, call.signal)
          if (call.signal?.aborted) throw error
        }
      }
    },

    async write(operation, call) {
      const { what, verdict } = await send(operation, call)
      if (verdict.type !== 'done') throw failureOf(verdict, true)
      const written = readWritten(verdict.answer, what)
      checkExecuted(written, what)
      try {
        return applyResponseMapping(written, endpoints[operation])
      } catch (error) {
        if (error instanceof UnexpectedAnswer) return written
        throw error
      }
    },

    endpoint: (operation) => endpoints[operation],

    rejected: (operation, about, rejected) => rejectedRows?.listed(operation, about, rejected),

    async [Symbol.asyncDispose]() {
      const closed = http[Symbol.asyncDispose]()
      limit?.[Symbol.dispose]()
      await closed
    },
  }
}

function rowsIn({ list }: Endpoint, documented: RowsIn): RowsIn | null {
  if (list === undefined) return documented
  return list.includes('.') ? null : { member: list }
}

function failureOf(verdict: Exclude<HttpVerdict, { type: 'done' }>, isWrite: boolean): Error {
  if (verdict.type === 'permanent') return new PermanentError(verdict.message, verdict)
  const Kind = verdict.type === 'unknown' && isWrite ? UnknownOutcomeError : RetryLaterError
  return new Kind(verdict.message, verdict)
}

function readJson(answer: HttpAnswer, what: string): unknown {
  if (answer.status === 204) return null
  const markup = markupIn(answer)
  if (markup) throw new PermanentError(`${what} answered ${markup}, not JSON. ${REMEDY}`, { code: 'not-json' })
  if (!answer.complete) {
    const message = `${what} answered more than ${answer.body.length} bytes, the most that is read. Ask for less at once.`
    throw new PermanentError(message, { code: 'answer-too-large' })
  }
  try {
    return JSON.parse(withoutMark(answer))
  } catch {
    // The parser quotes the text, which may be personal.
    const { 'content-encoding': packing = 'identity' } = answer.headers
    const not = packing === 'identity' ? 'not JSON' : `packed as ${packing}, which was not asked for`
    const size = answer.body.length === 0 ? 'nothing' : `${answer.body.length} bytes that are ${not}`
    throw new PermanentError(`${what} answered ${size}. ${REMEDY}`, { code: 'not-json' })
  }
}

/** Unchecked, as answers are rarely documented, but for an id below 1 or a page of markup. */
function readWritten(answer: HttpAnswer, what: string): unknown {
  const markup = markupIn(answer)
  if (markup)
    throw new UnknownOutcomeError(`${what} answered ${markup}: it may not have come from the platform. ${REMEDY}`, {
      code: 'not-json',
    })
  if (!answer.complete) return null
  const text = withoutMark(answer)
  if (text.trim() === '') return null
  const value = parsedOrText(text)
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value.trim()))
  if (isNumber && Number(value) <= 0)
    throw new PermanentError(`${what} answered ${value}, which means that it was not executed.`, { code: 'refused' })
  return value
}

const REMEDY = 'Look at platform.baseUrl, and at what stands between here and there.'

function markupIn(answer: HttpAnswer): string | null {
  const start = withoutMark(answer, 256).trimStart().toLowerCase()
  if (!start.startsWith('<')) return null
  return /^<(!doctype html|html|head|body)/.test(start) ? 'HTML' : 'XML'
}

function withoutMark({ body }: HttpAnswer, length = body.length): string {
  return body.toString('utf8', 0, length).replace(/^\uFEFF/, '')
}

/** Longer pauses are left to the caller's own schedule (ms). */
const LONGEST_PAUSE = 5_000

export function pauseBefore(error: unknown, tries: number, now: Instant, random: number): number | null {
  const delay = readDelay(tries, random)
  if (delay === null || !(error instanceof RetryLaterError)) return null
  const asked = error.notBefore === null ? 0 : error.notBefore - now
  return asked > LONGEST_PAUSE ? null : Math.max(asked, delay)
}

/** Until then, or until it is aborted. */
export async function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  const cancel = clock.after(ms, end)
  signal?.addEventListener('abort', end)
  await promise
  cancel()
  signal?.removeEventListener('abort', end)
}

interface ListQuery<Row> {
  call: Call
  about?: string
  what: string
  read(record: WireRecord): Row
  /** The platform ignores unknown parameters. */
  isAsked?(record: unknown): boolean
}

export async function queryList<Row>(
  client: Client,
  operation: OperationName,
  { call, about = '', what, read, isAsked = () => true }: ListQuery<Row>,
): Promise<Listed<Row>> {
  const listed = await client.read(operation, call, (answer) =>
    readListed(answer, what, (record) => ({ record, row: read(record) })),
  )
  const rows = listed.rows.filter(({ record }) => isAsked(record)).map(({ row }) => row)
  const rejected = listed.rejected.filter(({ record }) => isAsked(record))
  client.rejected(operation, about, rejected)
  return { rows, rejected }
}

interface PagedList<Row> {
  operation: string
  things: string
  /** Counted before a filter is applied. */
  pageSize: number
  first?: Listed<Row>
  page(pageSkip: number): Promise<Listed<Row>>
  /** Without it, the list ends at a page without news. */
  count?(of: 'filter' | 'all'): Promise<number>
  idOf(row: Row): string
  /** Rows of an ignored filter are counted and left out. */
  isAsked?(row: Row): boolean
}

const MAX_PAGES = 1_000

/** Every row once, up to the filter's count; returns rejected rows. `pageSkip`: pages, then rows. Throws RetryLaterError `incomplete`. */
async function* allPages<Row>(list: PagedList<Row>): AsyncGenerator<Row, Unreadable[], undefined> {
  const { operation, things, pageSize, first, page, count, idOf, isAsked = () => true } = list
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw unsendable(`${operation}: the pageSize`, 'must be a whole number from 1.')
  const seen = new Set<string>()
  let rejected: Unreadable[] = []
  const come = () => seen.size + rejected.length
  yield* fresh(first ?? (await page(0)))
  const expected = (await count?.('filter')) ?? Number.POSITIVE_INFINITY
  if (come() >= expected) return rejected
  // Deleted rows included: pages count what the filter leaves out.
  const rows = count ? Math.max(await count('all'), expected) : (MAX_PAGES + 1) * pageSize
  for (const step of new Set([1, pageSize])) {
    for (let number = 1; number * pageSize < rows; number++) {
      const found = await page(number * step)
      const before = come()
      yield* fresh(found)
      const news = come() - before
      if (come() >= expected || (!count && news === 0)) return rejected
      // A page that begins one row later has one new row at most.
      if (step === 1 && number === 1 && news <= 1 && news < found.rows.length + found.rejected.length) break
    }
  }
  const now = (await count?.('filter')) ?? null
  if (now === null) throw endless(operation, `${come()} ${things}s on ${MAX_PAGES} pages`)
  if (come() >= now) return rejected
  const message = `platform: ${operation} found ${come()} ${things}s, but the platform counts ${now}. Search again later, or with a smaller pageSize.`
  throw new RetryLaterError(message, { code: 'incomplete' })

  function fresh(found: Listed<Row>): Row[] {
    rejected = joined(rejected, found.rejected)
    return found.rows.filter((each) => {
      const id = idOf(each)
      if (seen.has(id)) return false
      seen.add(id)
      return isAsked(each)
    })
  }
}

interface Search<Row> extends Pick<PagedList<Row>, 'things' | 'idOf' | 'isAsked'> {
  search: OperationName
  count: OperationName
  filter: object
  pageSize?: number | undefined
  read(record: WireRecord): Row
}

export async function* searchPages<Row>(
  client: Client,
  { search, count, filter, pageSize = 1_000, read, ...list }: Search<Row>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Row, Unreadable[], undefined> {
  const rejected = yield* allPages({
    ...list,
    operation: search,
    pageSize,
    page: (pageSkip) =>
      client.read(search, { body: { ...filter, pageSize, pageSkip }, signal }, (answer) =>
        readListed(answer, list.things, read),
      ),
    count: (of) => client.read(count, { body: of === 'all' ? {} : filter, signal }, readCount),
  })
  client.rejected(search, '', rejected)
  return rejected
}

export async function collectPages<Row>(list: PagedList<Row>): Promise<Listed<Row>> {
  const pages = allPages(list)
  const rows: Row[] = []
  for (;;) {
    const next = await pages.next()
    if (next.done) return { rows, rejected: next.value }
    rows.push(next.value)
  }
}

export function endless(operation: string, found: string): RetryLaterError {
  const message = `platform: ${operation} has found ${found}, and each has others: this list does not end. None is taken.`
  return new RetryLaterError(message, { code: 'endless' })
}

function readCount(answer: unknown): number {
  const found = text({ count: isRecord(answer) ? field(answer, 'count') : answer }, 'count')
  if (found !== null && /^\d{1,15}$/.test(found)) return Number(found)
  throw new UnexpectedAnswer('there is no count')
}
