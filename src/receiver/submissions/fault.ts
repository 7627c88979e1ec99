import { type Path, pathText } from '../../config/reading/path.ts'
import { InexactNumber } from './body/typed-json.ts'

/** Fields that hold people: their faults name the field, and show nothing of what is in it. */
export type IsPrivate = (path: Path) => boolean

/** No field is private: none is about a person or money. */
export const nothingPrivate: IsPrivate = () => false

/** A fault, in words: where it is, what was found there, and what is expected. */
export function fault(at: Path, found: string, expected: string): string {
  return `${at.length > 0 ? `${pathText(at)}: ` : ''}found ${found}, expected ${expected}`
}

/** The value that was written, as far as it may be shown. */
export function found(value: unknown, hidden = false): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (value instanceof InexactNumber) return hidden ? 'a number' : value.typed.slice(0, 60)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'an object'
  if (value === '') return 'empty text'
  if (hidden) return typeof value === 'string' ? 'text' : `a ${typeof value}`
  if (typeof value !== 'string') return String(value)
  return value.length > 60 ? `${JSON.stringify(value.slice(0, 57))}…` : JSON.stringify(value)
}
