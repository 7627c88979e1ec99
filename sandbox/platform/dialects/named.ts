import type { Random } from '../seed/random.ts'
import type { Dialect, DialectName } from './dialect.ts'
import { facts } from './facts.ts'
import { frontsystems } from './frontsystems.ts'
import { createSpec } from './spec.ts'

/** The dialect of this name. The same numbers draw the same names of fields. */
export function dialectNamed(name: DialectName, random: Random): Dialect {
  if (name === 'spec') return createSpec(random)
  return name === 'facts' ? facts : frontsystems
}
