import type { Instant } from './instant.ts'

interface Details {
  code?: string
  cause?: unknown
  mayBeWide?: boolean
}

export class PermanentError extends Error {
  override name = 'PermanentError'
  readonly code: string
  readonly mayBeWide: boolean

  constructor(message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.code = details.code ?? 'permanent'
    this.mayBeWide = details.mayBeWide ?? false
  }
}

export const NOT_OFFERED = 'not-offered'

export function isNotThere(error: unknown): error is PermanentError {
  return error instanceof PermanentError && (error.code === 'http-404' || error.code === NOT_OFFERED)
}

const NO_ENDPOINT: readonly string[] = ['http-404', 'http-405', 'http-501', NOT_OFFERED]

export function isNoEndpoint(error: unknown): error is PermanentError {
  return error instanceof PermanentError && isNoEndpointCode(error.code)
}

export function isNoEndpointCode(code: string): boolean {
  return NO_ENDPOINT.includes(code)
}

/** A batch refused as a whole for an unknown item, without effect: send it in halves. */
export class RefusedTogetherError extends PermanentError {
  override name = 'RefusedTogetherError'

  /** Of the refusal of one call with several things in it, which says as much or as little of what was wrong. */
  static of(refusal: PermanentError): RefusedTogetherError {
    const { code, message, mayBeWide } = refusal
    return new RefusedTogetherError(message, { code, mayBeWide, cause: refusal })
  }
}

/** The call may work later, and nothing has happened yet. */
export class RetryLaterError extends Error {
  override name = 'RetryLaterError'
  readonly code: string
  readonly scope: 'item' | 'destination'
  readonly mayBeWide: boolean
  /** The instant before which it may not be tried again, when the other side named one (Retry-After). */
  readonly notBefore: Instant | null

  constructor(message: string, details: Details & { scope?: 'item' | 'destination'; notBefore?: Instant | null } = {}) {
    super(message, { cause: details.cause })
    this.code = details.code ?? 'retry-later'
    this.scope = details.scope ?? 'item'
    this.mayBeWide = details.mayBeWide ?? false
    this.notBefore = Number.isFinite(details.notBefore) ? (details.notBefore ?? null) : null
  }
}

/** The request was on the wire and no answer tells whether it was carried out (a timeout, a cut connection). */
export class UnknownOutcomeError extends Error {
  override name = 'UnknownOutcomeError'
  readonly code: string
  readonly byHand: boolean
  readonly because: string | null
  readonly mayBeWide: boolean

  constructor(message: string, details: Details & { byHand?: boolean; because?: string } = {}) {
    super(message, { cause: details.cause })
    this.code = details.code ?? 'unknown-outcome'
    this.byHand = details.byHand ?? false
    this.because = details.because ?? null
    this.mayBeWide = details.mayBeWide ?? false
  }
}

/** A look for an earlier effect failed, and had come further than the one before: the next goes on from there, soon. */
export class UnfinishedLookError extends UnknownOutcomeError {
  override name = 'UnfinishedLookError'
}

/**
 * Nothing was sent, and nothing will be until a person looks: what it says must not go out as it is (a journal that does not
 * balance). The person lets it go as it is, or it is mended and tried again.
 */
export class HeldError extends Error {
  override name = 'HeldError'
  readonly code: string

  constructor(message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.code = details.code ?? 'held'
  }
}

/** Nothing was sent, and nothing is wrong: what must come first has not come yet. It is due again at `until`. */
export class WaitError extends Error {
  override name = 'WaitError'
  readonly code: string
  readonly until: Instant

  constructor(message: string, { code, until }: { code: string; until: Instant }) {
    super(message)
    this.code = code
    this.until = until
  }
}

/** A person gave something that cannot be used (config, command line): the message says what, where, and what to do. */
export class UserError extends Error {
  override name = 'UserError'
}

/** A run of a job is not its caller's any more: another hub has taken it over, or ended it. Nothing was kept. */
export class JobLostError extends Error {
  override name = 'JobLostError'
}

/** The store cannot write now (disk full, read-only, locked, gone). Nothing was kept; the same call may work later. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError'
  readonly code: string

  constructor(message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.code = details.code ?? 'store-unavailable'
  }
}

export interface Misfit {
  path: readonly (string | number)[]
  found?: string
  expected: string
  unsure?: true
}

export class MisfitError extends UserError {
  override name = 'MisfitError'
  readonly misfits: readonly Misfit[]

  constructor(misfits: readonly Misfit[]) {
    super(misfits.map(misfitText).join('\n'))
    this.misfits = misfits
  }
}

function misfitText({ path, found, expected }: Misfit): string {
  return `${path.join('.')}: ${found === undefined ? '' : `found ${found}, `}expected ${expected}`
}

/** Issues from a part's UserError: lines beginning with a key at or below `path` and a colon concern it, others `path`. */
export function misfitsOf(error: UserError, path: Misfit['path']): readonly Misfit[] {
  if (error instanceof MisfitError) return error.misfits
  const [, key = '', said = ''] = /^([\w-]+(?:\.[\w-]+)*): (.*)$/s.exec(error.message) ?? []
  const isBelow = key === path.join('.') || key.startsWith(`${path.join('.')}.`)
  const about = isBelow ? { path: key.split('.'), says: said } : { path, says: error.message }
  return [{ path: about.path, expected: `a value that can be used: ${about.says.replace(/\.$/, '')}` }]
}
