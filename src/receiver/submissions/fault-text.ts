import type { z } from 'zod'
import type { Disagreement } from '../../config/reading/issues.ts'
import { type Path, pathText, valueAt } from '../../config/reading/path.ts'
import { inJson } from '../../config/reading/plain-words.ts'
import { noSuchField, shownKey } from '../../config/schema/no-such-field.ts'
import { fault, found, type IsPrivate } from './fault.ts'

/** A disagreement in words, with the value as far as it may be shown. */
export function sentence(one: Disagreement, schema: z.ZodType, value: unknown, isPrivate: IsPrivate, at: Path): string {
  if (one.about === 'unknown-key') {
    const written = [...at, ...one.path.slice(0, -1), shownKey(one.path)]
    return `${pathText(written)}: ${noSuchField(schema, one.path)}`
  }
  return fault([...at, ...one.path], found(valueAt(value, one.path), isPrivate(one.path)), inJson(one.expected))
}
