import { StorageUnavailableError } from '../../../domain/values/errors.ts'

/** SQLSTATE classes for "not now": connection, login, database, resources, operator, system, damage. */
const CLASSES = ['08', '28', '3D', '53', '57', '58', 'XX']

const CODES = [
  // A standby, or read-only by an operator.
  '25006',
  // A right was taken away; without USAGE on the schema its objects seem missing.
  ...['42501', '42P01', '42883', '42703', '3F000'],
  // Idle too long (this process was stopped), or over the role's limit.
  ...['25P03', '25P04'],
  ...['55P03', '40001', '40P01'],
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ENOENT',
  ],
]

const MESSAGES = [
  'Connection terminated',
  'Connection ended',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
  'Cannot use a pool after calling end',
  'the database system is',
]

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (CODES.includes(code) || (code.length === 5 && CLASSES.includes(code.slice(0, 2)))) return true
  return MESSAGES.some((message) => error.message.includes(message))
}

export function asStorageError(error: unknown, server: string): unknown {
  if (!isUnavailable(error)) return error
  const why = error instanceof Error ? describe(error) : String(error)
  return new StorageUnavailableError(`PostgreSQL at ${server} cannot be used now: ${why}.`, { cause: error })
}

function describe(error: Error): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  const { message, code = '' } = first as Error & { code?: string }
  if (code === '25006') return 'it takes no writes (read-only)'
  if (code.startsWith('53')) return `it is out of something (${message})`
  return message.replace(/\.$/, '')
}

export function isInTheWay(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === '40001' || code === '40P01'
}
