import type { Request } from 'express'
import { z } from 'zod'
import type { SubmitScope } from '../../domain/scope.ts'
import { packingOf } from '../body.ts'
import { type ProblemError, refusal } from '../problem.ts'
import { flag, readQuery } from '../query.ts'

export interface SubmitOptions {
  type: 'json' | 'ndjson'
  key: string
  dryRun: boolean
  insertOnly: boolean
  force: boolean
  directoryOnly: boolean
}

const TYPES = new Map<string, SubmitOptions['type']>([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
])

const PACKINGS = ['gzip', 'deflate', 'br']

/** `?dryRun` alone means true. */
const NAMED_ALONE = ['']

const PARAMETERS = {
  dryRun: flag('true: nothing is taken; the answer says what would be, and warns.', NAMED_ALONE),
  mode: {
    about: 'insert: products that are there already stay as they are.',
    schema: { enum: ['upsert', 'insert'] },
    value: z.enum(['upsert', 'insert'], { error: 'expected insert (leave products alone that are there) or upsert' }),
  },
  force: flag('true: sent even if it is what the platform acknowledged last.', NAMED_ALONE),
  directoryOnly: flag("true: for the hub's own customer directory, not for the platform.", NAMED_ALONE),
}

export function submitParameters(scope: SubmitScope): Partial<typeof PARAMETERS> {
  const { dryRun, mode, force, directoryOnly } = PARAMETERS
  if (scope === 'products') return { dryRun, mode, force }
  return scope === 'customers' ? { dryRun, directoryOnly } : { dryRun }
}

export const STATUS_PARAMETERS = {
  after: {
    about: 'The line after which `failed` goes on.',
    schema: { type: 'integer' },
    value: z
      .string()
      .regex(/^\d{1,15}$/, { error: 'expected the number of a line' })
      .transform(Number),
  },
}

export function parseSubmitOptions(request: Request, scope: SubmitScope): SubmitOptions {
  const values = readQuery<typeof PARAMETERS>(request, submitParameters(scope))
  const { dryRun = false, mode, force = false, directoryOnly = false } = values
  const [type, key] = [readType(request), readKey(request, dryRun)]
  return { type, key, dryRun, insertOnly: mode === 'insert', force, directoryOnly }
}

/** JSON, or no body (DELETE). */
export function readKeyOfOne(request: Request): string {
  readQuery(request, {})
  if (request.method !== 'DELETE' && readType(request) !== 'json') throw unsupported('Send application/json.')
  return readKey(request, false)
}

function readType(request: Request): SubmitOptions['type'] {
  const written = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const packing = packingOf(request.headers['content-encoding'])
  const type = TYPES.get(written)
  if (!type) throw unsupported('Send application/json or application/x-ndjson, and name it in Content-Type.')
  if (packing.length > 1 || packing.some((name) => !PACKINGS.includes(name)))
    throw unsupported('Content-Encoding may be gzip, deflate or br.')
  return type
}

function readKey(request: Request, dryRun: boolean): string {
  const key = (request.get('idempotency-key') ?? '').trim()
  if (dryRun || /^[\x20-\x7e]{1,200}$/.test(key)) return key
  throw refusal(
    key === '' ? 'idempotency-key-missing' : 'idempotency-key-invalid',
    'Send the header Idempotency-Key with 1 to 200 printable ASCII characters that name this submission: sent again ' +
      'with the same key, nothing is taken twice.',
  )
}

function unsupported(detail: string): ProblemError {
  return refusal('unsupported-media-type', detail)
}
