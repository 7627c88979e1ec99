import { z } from 'zod'
import { issuesOf } from '../../config/reading/issues.ts'
import { isMap, type Path } from '../../config/reading/path.ts'
import { plainWords } from '../../config/reading/plain-words.ts'
import type { IsPrivate } from './fault.ts'
import { sentence } from './fault-text.ts'
import { longList } from './long-list.ts'

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
