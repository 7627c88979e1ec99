import type { Request } from 'express'
import type { SubmitScope } from '../../domain/access/scope.ts'
import { suggest } from '../../lib/suggest.ts'
import { packingOf } from '../body.ts'
import { ProblemError } from '../problem.ts'

export interface Asked {
  type: 'json' | 'ndjson'
  /** Empty in a dry run. */
  key: string
  dryRun: boolean
  insertOnly: boolean
  force: boolean
  directoryOnly: boolean
}

const TYPES = new Map<string, Asked['type']>([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
])

const OF_RESOURCE: Partial<Record<SubmitScope, readonly string[]>> = {
  products: ['mode', 'force'],
  customers: ['directoryOnly'],
}

const PACKINGS = ['gzip', 'deflate', 'br']

/** Throws a ProblemError. */
export function readAsked(request: Request, scope: SubmitScope): Asked {
  refuseOthers(request, ['dryRun', ...(OF_RESOURCE[scope] ?? [])])
  const dryRun = flag(request, 'dryRun')
  return {
    type: readType(request),
    key: readKey(request, dryRun),
    dryRun,
    insertOnly: readMode(request),
    force: flag(request, 'force'),
    directoryOnly: flag(request, 'directoryOnly'),
  }
}

/** Of a request on one thing: JSON, or no body (DELETE). Throws a ProblemError. */
export function readKeyOfOne(request: Request): string {
  refuseOthers(request, [])
  if (request.method !== 'DELETE' && readType(request) !== 'json') throw unsupported('Send application/json.')
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
  if (dryRun || /^[\x20-\x7e]{1,200}$/.test(key)) return key
  throw new ProblemError({
    status: 400,
    code: key === '' ? 'idempotency-key-missing' : 'idempotency-key-invalid',
    title: key === '' ? 'Idempotency-Key is missing' : 'Idempotency-Key is no key',
    detail:
      'Send the header Idempotency-Key with 1 to 200 printable ASCII characters that name this submission: sent again ' +
      'with the same key, nothing is taken twice.',
  })
}

function readMode({ query: { mode } }: Request): boolean {
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
function refuseOthers({ query }: Request, names: readonly string[]): void {
  for (const name of Object.keys(query)) {
    if (names.includes(name)) continue
    const meant = suggest(name, names)
    const known = names.length === 0 ? 'There are none here.' : `There are ${names.join(', ')}.`
    const detail = `There is no query parameter ${JSON.stringify(name.slice(0, 60))}. `
    throw badParameter(detail + (meant === null ? known : `Did you mean ${meant}?`))
  }
}

function badParameter(detail: string): ProblemError {
  return new ProblemError({ status: 400, code: 'bad-request', title: 'Bad request', detail })
}

function unsupported(detail: string): ProblemError {
  return new ProblemError({ status: 415, code: 'unsupported-media-type', title: 'Unsupported media type', detail })
}
