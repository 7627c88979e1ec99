import { adviceOn } from '../../domain/queue/advice.ts'
import type { Question } from '../../ports/attempt.ts'
import type { Examined } from '../../ports/examined.ts'
import type { AdapterInstance } from '../adapter.ts'

/**
 * Findings of an adapter in its system; nothing: it has no way to look. It never rejects: what kept the adapter from looking is
 * what it found.
 */
export async function lookAt(instance: Pick<AdapterInstance, 'examine'>, question: Question): Promise<Examined[]> {
  try {
    return (await instance.examine?.(question)) ?? []
  } catch (error) {
    return [troubleFound(error)]
  }
}

/** The end of a call, as something found: in the words that status and alarms have for its code. */
export function troubleFound(error: unknown, what = whatOf(codeOf(error))): Examined {
  const { means, todo } = adviceOn(codeOf(error))
  const message = error instanceof Error ? error.message : String(error)
  return { what, state: 'problem', says: `${capitalised(means)} (${message.replace(/\.$/, '')}).`, todo }
}

/** Whether it refuses us or what we may, so that it was reached. */
export function isRefusal(error: unknown): boolean {
  return whatOf(codeOf(error)) !== CONNECTION
}

const CONNECTION = 'connection'

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unexpected-error'
}

/** The subject that a code is about. */
function whatOf(code: string): string {
  if (/^(http-401|http-407|login-refused|login-without-token|vendure-unauthorized|no-token|files-login)$/.test(code))
    return 'credentials'
  if (code === 'vendure-channel-not-found') return 'channel'
  return /^(http-403|vendure-forbidden|no-right)$/.test(code) ? 'rights' : CONNECTION
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
