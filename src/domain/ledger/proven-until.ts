import type { Instant } from '../values/instant.ts'
import { coveredUntil, type Range } from './covered.ts'
import { merged } from './merged.ts'

/** The proofs that a watermark rests on. */
export interface Proof {
  /** Where it begins: before that nobody has looked. */
  from: Instant
  /** What was looked through, in order. */
  covered: readonly Range[]
  /** Stretches that were not, and that a person has explained or another road has proven. */
  excused: readonly Range[]
  /** The instant of the oldest open gap; null: none is open. */
  oldestGap: Instant | null
}

/** Up to where nothing is missing: neither past time that nobody has looked through, nor past an open gap. */
export function provenUntil({ from, covered, excused, oldestGap }: Proof): Instant {
  const until = coveredUntil(merged([...covered, ...excused]), from)
  return oldestGap === null ? until : Math.max(from, Math.min(until, oldestGap))
}
