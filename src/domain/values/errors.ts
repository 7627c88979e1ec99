import type { Instant } from './instant.ts'

interface Details {
  code?: string
  cause?: unknown
  mayBeWide?: boolean
}

class CodedError extends Error {
  readonly code: string
  /** It may concern everything sent to that system. */
  readonly mayBeWide: boolean

  constructor(message: string, { code, cause, mayBeWide = false }: Details & { code: string }) {
    super(message, { cause })
    this.code = code
    this.mayBeWide = mayBeWide
  }
}

/** It never works as it is. */
export class PermanentError extends CodedError {
  override name = 'PermanentError'

  constructor(message: string, details: Details = {}) {
    super(message, { ...details, code: details.code ?? 'permanent' })
  }
}

export const NOT_OFFERED = 'not-offered'
const NO_ENDPOINT: readonly string[] = ['http-404', 'http-405', 'http-501', NOT_OFFERED]

export function isNotFound(error: unknown): error is PermanentError {
  return error instanceof PermanentError && (error.code === 'http-404' || error.code === NOT_OFFERED)
}

export function isNoEndpoint(error: unknown): error is PermanentError {
  return error instanceof PermanentError && isNoEndpointCode(error.code)
}

export function isNoEndpointCode(code: string): boolean {
  return NO_ENDPOINT.includes(code)
}

/** A batch refused as a whole for an unknown item, without effect: send it in halves. */
export class RefusedTogetherError extends PermanentError {
  override name = 'RefusedTogetherError'

  static of(refusal: PermanentError): RefusedTogetherError {
    const { code, message, mayBeWide } = refusal
    return new RefusedTogetherError(message, { code, mayBeWide, cause: refusal })
  }
}

/** Nothing has happened, and it may work later. */
export class RetryLaterError extends CodedError {
  override name = 'RetryLaterError'
  readonly scope: 'item' | 'destination'
  /** Of the other side (Retry-After). */
  readonly notBefore: Instant | null

  constructor(message: string, details: Details & { scope?: 'item' | 'destination'; notBefore?: Instant | null } = {}) {
    super(message, { ...details, code: details.code ?? 'retry-later' })
    this.scope = details.scope ?? 'item'
    this.notBefore = Number.isFinite(details.notBefore) ? (details.notBefore ?? null) : null
  }
}

/** Sent, outcome unknown. `byHand`: only an operator can find out. */
export class UnknownOutcomeError extends CodedError {
  override name = 'UnknownOutcomeError'
  readonly byHand: boolean
  readonly because: string | null

  constructor(message: string, details: Details & { byHand?: boolean; because?: string } = {}) {
    super(message, { ...details, code: details.code ?? 'unknown-outcome' })
    this.byHand = details.byHand ?? false
    this.because = details.because ?? null
  }
}

/** A lookup of an earlier effect failed after progress: the next one continues there, soon. */
export class UnfinishedLookError extends UnknownOutcomeError {
  override name = 'UnfinishedLookError'
}

/** Nothing was sent: an operator must decide. */
export class HeldError extends CodedError {
  override name = 'HeldError'

  constructor(message: string, details: Details = {}) {
    super(message, { ...details, code: details.code ?? 'held' })
  }
}

export class WaitError extends CodedError {
  override name = 'WaitError'
  readonly until: Instant

  constructor(message: string, { code, until }: { code: string; until: Instant }) {
    super(message, { code })
    this.until = until
  }
}

/** Unusable input (config, command line): the message says what, where, and what to do. */
export class UserError extends Error {
  override name = 'UserError'
}

/** Another hub has taken over the run of a job; nothing of it was stored. */
export class JobLostError extends Error {
  override name = 'JobLostError'
}

/** The storage cannot write (disk full, read-only, locked, gone); nothing was stored. */
export class StorageUnavailableError extends CodedError {
  override name = 'StorageUnavailableError'

  constructor(message: string, details: Details = {}) {
    super(message, { ...details, code: details.code ?? 'store-unavailable' })
  }
}

export interface ConfigIssue {
  path: readonly (string | number)[]
  found?: string
  expected: string
}

export class ConfigIssueError extends UserError {
  override name = 'ConfigIssueError'
  readonly configIssues: readonly ConfigIssue[]

  constructor(configIssues: readonly ConfigIssue[]) {
    const texts = configIssues.map(({ path, found, expected }) => {
      return `${path.join('.')}: ${found === undefined ? '' : `found ${found}, `}expected ${expected}`
    })
    super(texts.join('\n'))
    this.configIssues = configIssues
  }
}

/** Config issues of a UserError; a message that begins with a key below `path` concerns that key. */
export function configIssuesOf(error: UserError, path: ConfigIssue['path']): readonly ConfigIssue[] {
  if (error instanceof ConfigIssueError) return error.configIssues
  const [, key = '', said = ''] = /^([\w-]+(?:\.[\w-]+)*): (.*)$/s.exec(error.message) ?? []
  const isBelow = key === path.join('.') || key.startsWith(`${path.join('.')}.`)
  const about = isBelow ? { path: key.split('.'), says: said } : { path, says: error.message }
  return [{ path: about.path, expected: `a value that can be used: ${about.says.replace(/\.$/, '')}` }]
}

/** Refused credentials are refused for everything that is asked. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof PermanentError && (error.code === 'http-401' || error.code === 'http-403')
}

export function isItemError(error: unknown): error is PermanentError | HeldError {
  return (error instanceof PermanentError && !isUnauthorized(error)) || error instanceof HeldError
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new TypeError(String(error))
}
