import {
  createMask,
  PermanentError,
  plainTls,
  RefusedTogetherError,
  RetryLaterError,
  refusesCertificate,
  UnknownOutcomeError,
} from 'tillbridge/adapter'
import type { SqlAddress } from './address.ts'

export interface Fault {
  kind:
    | 'unreachable'
    | 'certificate'
    | 'login'
    | 'no-database'
    | 'rights'
    /** Connections, shutdown, read-only, disk or memory. */
    | 'busy'
    | 'conflict'
    | 'missing'
    | 'exists'
    | 'data'
    | 'size'
    | 'statement'
    | 'other'
  code: string
  /** Never a value. */
  about: string | null
  words: string | null
  /** Rolled back, even in answer to a commit. */
  certain: boolean
}

export function unanswered(error: unknown): Fault {
  const first = error instanceof AggregateError ? error.errors[0] : error
  const { code, message } = first instanceof Error ? (first as Error & { code?: unknown }) : { code: '', message: '' }
  return {
    kind: refusesCertificate(message) ? 'certificate' : 'unreachable',
    code: typeof code === 'string' && code !== '' ? code : 'no-answer',
    about: null,
    words:
      plainTls(message)
        .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
        .trim()
        .slice(0, 200) || 'no answer',
    certain: false,
  }
}

export class SqlFailure extends Error {
  override name = 'SqlFailure'
  /** `before`: not begun. `work`: rolled back. `commit`: in doubt, unless certain. */
  readonly stage: 'before' | 'work' | 'commit'
  readonly aborted: boolean
  readonly fault: Fault
  constructor(stage: SqlFailure['stage'], aborted: boolean, fault: Fault) {
    super(`SQL ${fault.code}`)
    this.stage = stage
    this.aborted = aborted
    this.fault = fault
  }
}

/** Codes and messages of what concerns the whole destination. */
const MEANINGS: Readonly<Partial<Record<Fault['kind'], readonly [code: string, message: string]>>> = {
  login: ['login-refused', "refuses the user or password of this destination's url, or wants TLS"],
  'no-database': ['no-database', 'has no such database or schema'],
  rights: ['no-right', 'does not let this user do that: it lacks a right'],
  busy: ['not-now', 'cannot do it now: too many connections, no space, read-only, or going down'],
  missing: ['no-table', 'has not what the adapter needs'],
  statement: ['bad-table', 'has a table that is not as the adapter needs it'],
}

const PERMANENT: readonly Fault['kind'][] = ['missing', 'statement']

export interface Outcomes {
  ofWriting(error: unknown, records: number): Error
  ofLooking(error: unknown): Error
}

export function createOutcomes(destination: string, { server, user, password }: SqlAddress): Outcomes {
  const mask = createMask([password, user])
  const what = `${destination}: ${server}`

  function ofLooking(error: unknown): Error {
    if (!(error instanceof SqlFailure)) return error as Error
    const { fault, stage, aborted } = error
    const { kind, code } = fault
    const cause = causeOf(fault)
    const about = aboutOf(fault)
    const words = mask(fault.words ?? 'no answer')
    const isBefore = stage === 'before'
    const later = (scope: 'item' | 'destination', name: string, message: string) =>
      new RetryLaterError(`${what} ${message}`, { code: name, scope, cause, mayBeWide: name === 'refused' })

    if (aborted)
      return isBefore
        ? later('destination', 'not-sent', 'was not asked: the time was over before it could be.')
        : later('item', 'no-time', 'did not answer in time; nothing was written.')
    const known = MEANINGS[kind]
    if (known) {
      const [name, message] = known
      return PERMANENT.includes(kind)
        ? new PermanentError(`${what} ${message} (${about}).`, { code: name, mayBeWide: true, cause })
        : later('destination', name, `${message} (${about}).`)
    }
    const scope = isBefore ? 'destination' : 'item'
    if (kind === 'certificate') return later('destination', 'certificate-refused', `was not asked: ${words} (${code}).`)
    if (kind === 'conflict') return later(scope, 'in-the-way', `undid it (${code}): others stood in the way.`)
    if (kind !== 'unreachable') return later(scope, 'refused', `refused it (${about}); nothing was written.`)
    return isBefore
      ? later(
          'destination',
          code === 'ADDRESS_REFUSED' ? 'address-refused' : 'unreachable',
          `was not reached: ${words} (${code})`,
        )
      : later('destination', 'connection-lost', `was lost before anything was kept (${code}).`)
  }

  return {
    ofLooking,
    ofWriting(error, records) {
      if (!(error instanceof SqlFailure)) return error as Error
      const { fault, stage } = error
      const { kind, code, certain } = fault
      const cause = causeOf(fault)
      if (stage === 'commit' && !certain)
        return new UnknownOutcomeError(`${what} was to keep it, and gave no answer (${code}).`, {
          code: 'no-answer',
          cause,
        })
      if (stage === 'before' || (kind !== 'data' && kind !== 'size')) return ofLooking(error)
      const isTooLarge = kind === 'size'
      const refusal = isTooLarge
        ? 'takes no statement of this size'
        : `refuses ${records > 1 ? `one of ${records} records` : 'a value of this record'}`
      const Refused = records > 1 ? RefusedTogetherError : PermanentError
      const details = { code: isTooLarge ? 'too-large' : 'refused-value', cause }
      return new Refused(`${what} ${refusal} (${aboutOf(fault)}).`, details)
    },
  }
}

function aboutOf({ code, about }: Fault): string {
  return about === null ? code : `${code}, ${about}`
}

function causeOf({ code }: Fault): Error {
  return Object.assign(new Error('SQL'), { code })
}
