import { UserError } from '../../domain/values/errors.ts'
import { strangerError } from '../shared/hub-url.ts'
import type { LineFaults } from './answers.ts'

/** An answer as it came. */
export interface Answered {
  status: number
  text: string
  /** Seconds; NaN: not said. */
  retryAfter: number
}

/** Success as JSON. Lines that were all refused are an answer too; every other refusal is a UserError. */
export function readAnswer<T>(answered: Answered, url: string): T {
  const said = jsonOf(answered.text)
  if (answered.status < 300 && said !== null) return said as T
  if (said === null) throw strangerError(url, answered.status)
  const { faults, lines } = said as Problem
  if (answered.status === 422 && Array.isArray(faults) && faults.length > 0)
    return {
      id: null,
      lines: lines ?? faults.length,
      accepted: 0,
      duplicates: 0,
      refused: lines ?? faults.length,
      faults,
    } as T
  if (answered.status === 401)
    throw new UserError('The hub does not know this key. "tillbridge keys create <system> --may …" makes one.')
  throw new UserError(`The hub refuses it: ${saidBy(answered)}`)
}

/** A refusal in a line. */
export function saidBy({ status, text }: Answered): string {
  const { detail, title } = (jsonOf(text) ?? {}) as Problem
  return `${status} ${detail ?? title ?? ''}`.trim()
}

interface Problem {
  title?: string
  detail?: string
  code?: string
  faults?: LineFaults[]
  lines?: number
}

function jsonOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
