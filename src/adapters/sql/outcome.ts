import {
  PermanentError,
  RefusedTogetherError,
  RetryLaterError,
  UnknownOutcomeError,
} from '../../domain/values/errors.ts'
import { createMask } from '../../lib/http/http-verdict.ts'
import type { SqlAddress } from './address.ts'
import { SqlFailure, type Trouble } from './errors.ts'

/** Turns what a database said, or did not say, into what is done about it: design §6 for SQL, as a table. */
export interface Outcomes {
  ofWriting(error: unknown, records: number): Error
  ofLooking(error: unknown): Error
}

export function createOutcomes(destination: string, { server, user, password }: SqlAddress): Outcomes {
  const mask = createMask([password, user])
  const what = `${destination}: ${server}`

  function ofLooking(error: unknown): Error {
    if (!(error instanceof SqlFailure)) return error as Error
    const { trouble, stage, aborted } = error
    const { kind, code } = trouble
    const cause = Object.assign(new Error('SQL'), { code })
    const about = trouble.about === null ? code : `${code}, ${trouble.about}`
    const later = (scope: 'item' | 'destination', name: string, words: string) =>
      new RetryLaterError(`${what} ${words}`, { code: name, scope, cause, mayBeWide: name === 'refused' })
    // Nothing was said of any record yet.
    const whose = stage === 'before' ? 'destination' : 'item'

    if (aborted && stage === 'before')
      return later('destination', 'not-sent', 'was not asked: the time was over before it could be.')
    if (aborted) return later('item', 'no-time', 'did not answer in time; nothing was written.')
    switch (kind) {
      case 'login':
        return later(
          'destination',
          'login-refused',
          `refuses the user or password of this destination's url, or wants TLS (${code}).`,
        )
      case 'no-database':
        return later('destination', 'no-database', `has no such database or schema (${code}).`)
      case 'rights':
        return later('destination', 'no-right', `does not let this user do that (${about}): it lacks a right.`)
      case 'busy':
        return later('destination', 'not-now', `cannot do it now (${code}): ${BUSY}.`)
      case 'conflict':
        return later(whose, 'in-the-way', `undid it (${code}): others stood in the way.`)
      case 'unreachable':
        return stage === 'before'
          ? later('destination', 'unreachable', `was not reached: ${mask(trouble.words ?? 'no answer')} (${code})`)
          : later('destination', 'connection-lost', `was lost before anything was kept (${code}).`)
      case 'certificate':
        return later('destination', 'certificate-refused', `was not asked: ${mask(trouble.words ?? '')} (${code}).`)
      case 'missing':
        return new PermanentError(`${what} has not what the adapter needs (${about}).`, {
          code: 'no-table',
          mayBeWide: true,
          cause,
        })
      case 'statement':
        return new PermanentError(`${what} has a table that is not as the adapter needs it (${about}).`, {
          code: 'bad-table',
          mayBeWide: true,
          cause,
        })
      default:
        return later(whose, 'refused', `refused it (${about}); nothing was written.`)
    }
  }

  return {
    ofLooking,
    ofWriting(error, records) {
      if (!(error instanceof SqlFailure)) return error as Error
      const { trouble, stage } = error
      const { kind, code, about, certain } = trouble
      const cause = Object.assign(new Error('SQL'), { code })
      if (stage === 'commit' && !certain)
        return new UnknownOutcomeError(`${what} was to keep it, and gave no answer (${code}).`, {
          code: 'no-answer',
          cause,
        })
      if (stage === 'before' || (kind !== 'data' && kind !== 'size')) return ofLooking(error)
      const Refused = records > 1 ? RefusedTogetherError : PermanentError
      return new Refused(`${what} ${refusal(trouble, records)} (${about === null ? code : `${code}, ${about}`}).`, {
        code: kind === 'size' ? 'too-large' : 'refused-value',
        cause,
      })
    },
  }
}

const BUSY = 'too many connections, no space, read-only, or going down'

function refusal({ kind }: Trouble, records: number): string {
  if (kind === 'size') return 'takes no statement of this size'
  return records > 1 ? `refuses one of ${records} records` : 'refuses a value of this record'
}
