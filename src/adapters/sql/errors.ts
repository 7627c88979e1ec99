import { plainTls, refusesCertificate } from '../../lib/http/http-verdict.ts'

export interface Trouble {
  kind: /** The other side of the wire is not there (any more). */
    | 'unreachable'
    /** Who answers has a certificate that is not trusted. */
    | 'certificate'
    | 'login'
    | 'no-database'
    | 'rights'
    /** Too many connections, shutting down, read-only, out of space or memory. */
    | 'busy'
    /** Others stand in the way: a deadlock, a lock, a statement that was ended. */
    | 'conflict'
    | 'missing'
    /** The thing that was to be made is there: somebody else was quicker. */
    | 'exists'
    | 'data'
    | 'size'
    /** A statement that cannot be carried out on tables as they are. */
    | 'statement'
    | 'other'
  /** The server's or the system's. */
  code: string
  /** The name of a column, a constraint or a table, as the server gives it. Never a value. */
  about: string | null
  /** In the words of the system or the driver, where the server did not say anything. */
  words: string | null
  /** The server tells for certain that nothing was kept, even in answer to a commit. */
  certain: boolean
}

function excerpt(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  return line.length > LONGEST_EXCERPT ? `${line.slice(0, LONGEST_EXCERPT)}…` : line
}

const LONGEST_EXCERPT = 200

/** The trouble of an error that is no answer of a server: the wire, TLS, the driver. */
export function unanswered(error: unknown): Trouble {
  const first = error instanceof AggregateError ? error.errors[0] : error
  const { code, message } = first instanceof Error ? (first as Error & { code?: unknown }) : { code: '', message: '' }
  return {
    kind: refusesCertificate(message) ? 'certificate' : 'unreachable',
    code: typeof code === 'string' && code !== '' ? code : 'no-answer',
    about: null,
    words: excerpt(plainTls(message)) || 'no answer',
    certain: false,
  }
}

/** How far a transaction came, and what went wrong. */
export class SqlFailure extends Error {
  override name = 'SqlFailure'
  /** `before`: nothing had begun. `work`: it is undone. `commit`: nobody knows, unless the trouble says so. */
  readonly stage: 'before' | 'work' | 'commit'
  readonly aborted: boolean
  readonly trouble: Trouble

  constructor(stage: SqlFailure['stage'], aborted: boolean, trouble: Trouble) {
    super(`SQL ${trouble.code}`)
    this.stage = stage
    this.aborted = aborted
    this.trouble = trouble
  }
}
