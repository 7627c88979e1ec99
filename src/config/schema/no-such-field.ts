import type { z } from 'zod'
import { suggest } from '../../lib/suggest.ts'
import type { Path } from '../reading/path.ts'
import { keysOf, schemasAt } from './schemas-at.ts'

/** The words on a key that nobody knows: the one that was probably meant, or those that there are where it stands. */
export function noSuchField(schema: z.ZodType, path: Path): string {
  const names = keysOf(schemasAt([{ at: [], schema }], path.slice(0, -1)).schemas)
  const meant = suggest(shownKey(path), names)
  if (meant !== null) return `no such field; did you mean "${meant}"?`
  return names.length === 0 ? 'no such field' : `no such field; there are ${[...new Set(names)].join(', ')}`
}

/** The key, as far as it is repeated: what somebody else wrote may be endless. */
export function shownKey(path: Path): string {
  return String(path.at(-1)).slice(0, 60)
}
