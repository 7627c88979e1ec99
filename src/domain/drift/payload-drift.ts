import type { Instant } from '../values/instant.ts'
import type { ValueType } from './learned.ts'

/** Something in a payload that was not so in any before. */
export interface PayloadDrift {
  kind: string
  path: string
  /** A field that is new, that is null, of another type, or has a word that it never had. */
  what: 'field' | 'null' | 'type' | 'word'
  /** What it was until now, in words. */
  was: string
  /** What it is: never a value of people, and a word only of a field of words. */
  sample: string
  /** The type that it has now. */
  type: ValueType
  /** The first event that has it. */
  event: number
  /** When that came. */
  at: Instant
  /** When it was found to be new. */
  foundAt: Instant
}

/** Names a drift for ever: whoever finds it, it is one. */
export function driftKey({ kind, path, what, sample, type }: PayloadDrift): string {
  const which = what === 'word' ? sample : what === 'type' ? type : ''
  return [kind, what, path, which].map(encodeURIComponent).join('/')
}
