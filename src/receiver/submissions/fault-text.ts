import type { z } from 'zod'
import type { Disagreement } from '../../config/reading/issues.ts'
import { isMap, type Path, pathText, valueAt } from '../../config/reading/path.ts'
import { keysOf, schemasAt } from '../../config/schema/schemas-at.ts'
import { suggest } from '../../lib/suggest.ts'
import { fault, found, type IsPrivate } from './fault.ts'

/** A disagreement in words, with the value as far as it may be shown. */
export function sentence(one: Disagreement, schema: z.ZodType, value: unknown, isPrivate: IsPrivate, at: Path): string {
  if (one.about === 'unknown-key') {
    const holder = one.path.slice(0, -1)
    const known = keysOf(schemasAt([{ at: [], schema }], holder).schemas)
    const written = String(one.path.at(-1)).slice(0, 60)
    return `${pathText([...at, ...holder, written])}: no such field${meant(written, known)}`
  }
  return fault([...at, ...one.path], found(valueAt(value, one.path), isPrivate(one.path)), expectedHere(one, value))
}

/** JSON has objects where YAML has maps. */
function expectedHere({ expected, path }: Disagreement, value: unknown): string {
  if (expected === 'a map of keys and values') return 'an object'
  if (expected === 'text: put it in quotes' && !isMap(valueAt(value, path))) return 'text, in quotes'
  return expected
}

function meant(written: string, names: readonly string[]): string {
  const name = suggest(written, names)
  return name === null ? `; there are ${[...new Set(names)].join(', ')}` : `; did you mean "${name}"?`
}
