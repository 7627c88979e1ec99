import { StoreUnavailableError } from '../../../domain/values/errors.ts'

/** Classes of SQLSTATE that say "not now": connection, login, database, resources, operator, system, damaged files. */
const CLASSES = ['08', '28', '3D', '53', '57', '58', 'XX']

const CODES = [
  // The server, or the database, takes no writes: a standby, or an operator's switch.
  '25006',
  // An operator has taken a right away; without the one to use the schema, nothing of it is there (a table, a function, a column).
  '42501',
  '42P01',
  '42883',
  '42703',
  '3F000',
  // The transaction stood idle for too long: this process was stopped meanwhile. Or it took longer than the role's may.
  '25P03',
  '25P04',
  // Somebody else's lock, for too long; or a transaction that others stood in the way of again and again.
  '55P03',
  '40001',
  '40P01',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]

/** The messages of node-postgres that come without a code. */
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

/** Whether an error says that the server cannot be reached or cannot write now, rather than that the caller was wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (CODES.includes(code) || (code.length === 5 && CLASSES.includes(code.slice(0, 2)))) return true
  return MESSAGES.some((message) => error.message.includes(message))
}

/** The error in the store's words, where it is one of those; any other as it is. `server`: host and database. */
export function asStoreError(error: unknown, server: string): unknown {
  if (!isUnavailable(error)) return error
  const why = error instanceof Error ? describe(error) : String(error)
  return new StoreUnavailableError(`PostgreSQL at ${server} cannot be used now: ${why}.`, { cause: error })
}

function describe(error: Error): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  const { message, code = '' } = first as Error & { code?: string }
  if (code === '25006') return 'it takes no writes (read-only)'
  if (code.startsWith('53')) return `it is out of something (${message})`
  return message.replace(/\.$/, '')
}

/** The error says that others stood in the way; the same again may go through at once. */
export function isInTheWay(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === '40001' || code === '40P01'
}
