import { z } from 'zod'
import { type Disagreement, inJson, issuesOf, plainWords } from '../../config/reading/issues.ts'
import { isMap, type Path, pathText, valueAt } from '../../config/reading/path.ts'
import { noSuchField, shownKey } from '../../config/schema/schemas-at.ts'
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

/** A disagreement in words, with the value as far as it may be shown. */
function sentence(one: Disagreement, schema: z.ZodType, value: unknown, isPrivate: IsPrivate, at: Path): string {
  if (one.about === 'unknown-key') {
    const written = [...at, ...one.path.slice(0, -1), shownKey(one.path)]
    return `${pathText(written)}: ${noSuchField(schema, one.path)}`
  }
  return fault([...at, ...one.path], found(valueAt(value, one.path), isPrivate(one.path)), inJson(one.expected))
}

/** A value that a schema accepts, or everything that is wrong with it: sentences that each name a field. */
export type Checked<T> = { value: T } | { faults: string[] }

/** An item with more faults than this is not the format that it claims to be. */
export const MOST_FAULTS = 100

/** The most entries that a list of an item may have: an order, a delivery, the sizes of a product. Each is checked, which takes time. */
const MOST_ENTRIES = 5_000

/** Checks a value. `at` is where it stands, for the sentences; lists that are checked one by one elsewhere have no end here. */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  isPrivate: IsPrivate,
  at: Path = [],
  mostEntries = MOST_ENTRIES,
): Checked<z.output<S>> {
  const long = longList(value, mostEntries, at)
  if (long) return { faults: [long] }
  const parsed = schema.safeParse(value, { error: plainWords })
  if (parsed.success) return { value: parsed.data }
  const disagreements = issuesOf(parsed.error.issues).slice(0, MOST_FAULTS)
  const faults = disagreements.map((one) => sentence(one, schema, value, isPrivate, at))
  return { faults: [...new Set(faults)] }
}

/**
 * Some fields of a value whose whole is not right, where these are; null: they are not either. So what depends on them
 * alone can be checked all the same: everything that is wrong is told at once.
 */
export function partOf<S extends z.ZodRawShape, Name extends keyof S & string>(
  schema: z.ZodObject<S>,
  names: readonly Name[],
  value: unknown,
): { [K in Name]: z.output<S[K]> } | null {
  if (!isMap(value)) return null
  const part: Record<string, unknown> = {}
  for (const name of names) {
    const of = schema.shape[name]
    const parsed = of && z.safeParse(of, value[name])
    if (!parsed?.success) return null
    part[name] = parsed.data
  }
  return part as { [K in Name]: z.output<S[K]> }
}

/** The first list that has more entries than it may; null: none. An item is not nested deep, so neither is what looks at it. */
function longList(value: unknown, most: number, at: Path, depth = 0): string | null {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return null
  if (Array.isArray(value) && value.length > most)
    return fault(at, `a list of ${value.length}`, `${most} entries at most`)
  for (const [key, inner] of Object.entries(value)) {
    const found = longList(inner, most, [...at, Array.isArray(value) ? Number(key) : key], depth + 1)
    if (found) return found
  }
  return null
}

const DEEPEST = 6
