import type { Request } from 'express'
import type { SubmitScope } from '../../../domain/access/scope.ts'
import type { Problem } from '../../../lib/http/problem.ts'
import { suggest } from '../../../lib/suggest.ts'
import { packingOf } from '../../decoders.ts'

/** The largest JSON body, before and after decompression (bytes). NDJSON has no limit. */
export const LARGEST_JSON = 8_000_000

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
