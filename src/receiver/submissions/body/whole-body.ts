import type { Request, Response } from 'express'
import type { SubmitScope } from '../../../domain/access/scope.ts'
import type { Problem, Refused } from '../../../lib/http/problem.ts'
import { beyondLimits, type JsonLimits } from '../../../lib/json.ts'
import { createSemaphore, type SlicedWork } from '../../../lib/semaphore.ts'
import { suggest } from '../../../lib/suggest.ts'
import { createRestingThread, free } from '../../../lib/thread.ts'
import { AT_ONCE, packingOf, readBody } from '../../body.ts'
import type { Budget, Share } from '../../budget.ts'
import { answerRefused } from '../../problem.ts'
import { answerTooLarge, answerTooManyValues, answerUnreadable, LARGEST_JSON } from '../take.ts'
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

/** Reads JSON bodies of any size that /v1 takes. */
interface JsonReader extends AsyncDisposable {
  /**
   * The value, with numbers that JavaScript cannot hold as InexactNumber. Throws a SyntaxError that quotes nothing of the body,
   * and a BeyondLimitsError.
   */
  read(bytes: Buffer, work: SlicedWork): Promise<unknown>
}

/** A body that would cost too much to read. */
class BeyondLimitsError extends Error {
  override name = 'BeyondLimitsError'
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
    } catch (error) {
      throw new BeyondLimitsError('it takes too long, or too much memory', { cause: error })
    }
  }

  return {
    async read(bytes, work) {
      if (bytes.byteLength <= INLINE_BYTES) {
        const beyond = beyondLimits(bytes, limits)
        if (beyond !== null) throw new BeyondLimitsError(beyond)
        return parseTyped(bytes)
      }
      const { beyond, broken, inexact } = await inspect(bytes)
      if (beyond !== null) throw new BeyondLimitsError(beyond)
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

/** How a request wants its body to be read and taken. */
export interface Asked {
  type: 'json' | 'ndjson'
  /** The Idempotency-Key; empty in a dry run, which needs none. */
  key: string
  dryRun: boolean
  /** NDJSON: all lines or none. JSON is so anyway. */
  strict: boolean
  insertOnly: boolean
  force: boolean
  directoryOnly: boolean
}

/** Why a request cannot be read at all. */
export class RequestError extends Error {
  override name = 'RequestError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

const TYPES = new Map<string, Asked['type']>([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
])

/** Parameters that only some resources have. */
const OF_RESOURCE: Partial<Record<SubmitScope, readonly string[]>> = {
  products: ['mode', 'force'],
  customers: ['directoryOnly'],
}

const PACKINGS = ['gzip', 'deflate', 'br']

/** Reads what a request asks for. Throws a RequestError. */
export function readAsked(request: Request, scope: SubmitScope): Asked {
  const names = ['dryRun', 'strict', ...(OF_RESOURCE[scope] ?? [])]
  for (const name of Object.keys(request.query)) if (!names.includes(name)) throw unknownParameter(name, names)
  const dryRun = flag(request, 'dryRun')
  return {
    type: readType(request),
    key: readKey(request, dryRun),
    dryRun,
    strict: flag(request, 'strict'),
    insertOnly: readMode(request),
    force: flag(request, 'force'),
    directoryOnly: flag(request, 'directoryOnly'),
  }
}

/** PATCH: JSON, a key, and nothing else. Throws a RequestError. */
export function readPatchKey(request: Request): string {
  for (const name of Object.keys(request.query)) throw unknownParameter(name, [])
  if (readType(request) !== 'json') throw unsupported('Send application/json.')
  return readKey(request, false)
}

export function readDeleteKey(request: Request): string {
  for (const name of Object.keys(request.query)) throw unknownParameter(name, [])
  return readKey(request, false)
}

function readType(request: Request): Asked['type'] {
  const written = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const packing = packingOf(request.headers['content-encoding'])
  const type = TYPES.get(written)
  if (!type) throw unsupported('Send application/json or application/x-ndjson, and name it in Content-Type.')
  if (packing.length > 1 || packing.some((name) => !PACKINGS.includes(name)))
    throw unsupported('Content-Encoding may be gzip, deflate or br.')
  return type
}

function readKey(request: Request, dryRun: boolean): string {
  const written = request.headers['idempotency-key'] ?? ''
  const key = (typeof written === 'string' ? written : written.join(', ')).trim()
  if (dryRun) return key
  if (/^[\x20-\x7e]{1,200}$/.test(key)) return key
  throw new RequestError({
    status: 400,
    code: key === '' ? 'idempotency-key-missing' : 'idempotency-key-invalid',
    title: key === '' ? 'Idempotency-Key is missing' : 'Idempotency-Key is no key',
    detail:
      'Send the header Idempotency-Key with 1 to 200 printable ASCII characters that name this submission: sent again ' +
      'with the same key, nothing is taken twice.',
  })
}

function readMode(request: Request): boolean {
  const mode = request.query.mode
  if (mode === undefined || mode === 'upsert') return false
  if (mode === 'insert') return true
  throw badParameter('mode may be insert (leave products alone that are there) or upsert.')
}

function flag(request: Request, name: string): boolean {
  const value = request.query[name]
  if (value === undefined || value === 'false') return false
  if (value === 'true' || value === '') return true
  throw badParameter(`${name} may be true or false.`)
}

/** A misspelt dry run must not take anything. */
function unknownParameter(name: string, names: readonly string[]): RequestError {
  const meant = suggest(name, names)
  const known = names.length === 0 ? 'There are none here.' : `There are ${names.join(', ')}.`
  const detail = `There is no query parameter ${JSON.stringify(name.slice(0, 60))}. `
  return badParameter(detail + (meant === null ? known : `Did you mean ${meant}?`))
}

function badParameter(detail: string): RequestError {
  return new RequestError({ status: 400, code: 'bad-request', title: 'Bad request', detail })
}

function unsupported(detail: string): RequestError {
  return new RequestError({ status: 415, code: 'unsupported-media-type', title: 'Unsupported media type', detail })
}
