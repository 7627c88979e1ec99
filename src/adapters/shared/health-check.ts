import { adviceOn, outageOf } from '../../domain/queue/outcome.ts'
import { messageOf } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { HealthFinding, Question } from '../../ports/ports.ts'
import type { AdapterInstance } from '../adapter.ts'

export async function runHealthCheck(
  instance: Pick<AdapterInstance, 'healthCheck'>,
  question: Question,
): Promise<HealthFinding[]> {
  try {
    return (await instance.healthCheck?.(question)) ?? []
  } catch (error) {
    return [failureFound(error)]
  }
}

export function failureFound(error: unknown, what = whatOf(codeOf(error))): HealthFinding {
  const { means, todo } = adviceOn(codeOf(error))
  const message = messageOf(error)
  return {
    what,
    state: 'problem',
    says: `${means.charAt(0).toUpperCase()}${means.slice(1)} (${message.replace(/\.$/, '')}).`,
    todo,
  }
}

export function isRefusal(error: unknown): boolean {
  return whatOf(codeOf(error)) !== CONNECTION
}

const CONNECTION = 'connection'

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unexpected-error'
}

function whatOf(code: string): string {
  const outage = outageOf(code)
  if (outage === 'key') return 'credentials'
  if (code === 'vendure-channel-not-found') return 'channel'
  return outage === 'rights' ? 'rights' : CONNECTION
}

/** Milliseconds; the header has whole seconds. */
const NOTHING = 60_000

/** Compares the `date` header of an answer with our clock. `most`: within which difference an order can be found again by its time (milliseconds). */
export function clockFound(header: string | string[] | undefined, now: Instant, most: number): HealthFinding[] {
  const theirs = Date.parse([header].flat().join())
  if (Number.isNaN(theirs)) return []
  const separate = Math.abs(theirs - now)
  if (separate < NOTHING) return [{ what: 'clock', state: 'ok', says: 'Its clock and ours agree.' }]
  const says = `Its clock is ${spell(separate)} ${theirs > now ? 'ahead of' : 'behind'} ours.`
  const todo = 'see which of the two is wrong, and have it set by a time server (NTP).'
  if (separate <= most) return [{ what: 'clock', state: 'note', says, todo }]
  return [{ what: 'clock', state: 'problem', says: `${says} ${HARM}`, todo }]
}

const HARM = 'An order whose answer was lost is not found again by its time, and may be placed twice.'

function spell(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000)
  if (minutes < 120) return pluralize(minutes, 'minute')
  return `${Math.round(minutes / 60)} hours`
}
