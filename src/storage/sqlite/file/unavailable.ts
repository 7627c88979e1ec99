/** Primary codes for "not now": disk full, permissions, locks, I/O. */
const CODES = [
  ...['SQLITE_FULL', 'SQLITE_READONLY', 'SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_IOERR', 'SQLITE_CANTOPEN'],
  ...['SQLITE_PROTOCOL', 'SQLITE_NOMEM', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'ENOSPC', 'EROFS', 'EACCES', 'EDQUOT'],
]

export function isUnavailable(error: unknown): boolean {
  return isUnavailableCode(codeOf(error))
}

export function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL'
}

export function isDamaged(code: string): boolean {
  return code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')
}

export function isUnavailableCode(code: string): boolean {
  return CODES.some((primary) => code === primary || code.startsWith(`${primary}_`))
}

export function noDatabaseText(path: string): string {
  return `${path} is not a database. Put a backup in its place, or have store.url name another file: one that is not there is made`
}

export function describeUnavailable(code: string, path: string): string {
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC' || code === 'EDQUOT') return `no room left for ${path}`
  if (code.startsWith('SQLITE_READONLY') || code === 'EROFS' || code === 'EACCES') return `no leave to write ${path}`
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return `another process holds the lock on ${path}`
  if (code.startsWith('SQLITE_NOTADB')) return `${path} is not a database`
  if (code.startsWith('SQLITE_CORRUPT')) return `${path} is damaged`
  if (code.startsWith('SQLITE_CANTOPEN')) return `cannot open ${path}`
  return `cannot write ${path} (${code})`
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
