import { z } from 'zod'
import { isMap } from '../../config/reading/path.ts'
import { check } from './faults.ts'
import type { Reading } from './resources/resource.ts'

/** Items written together: what they have in common, once, and a list of the rest of each. */
export interface Group<Common extends z.ZodObject, Each extends z.ZodType> {
  /** The name of the list. */
  list: string
  common: Common
  each: Each
}

/** A group without a limit: its items are read one by one. */
const ANY = Number.POSITIVE_INFINITY

/** The schema of the whole group. */
export function groupSchema({ list, common, each }: Group<z.ZodObject, z.ZodType>): z.ZodObject {
  return common.extend({ [list]: z.array(each).min(1) }).strict()
}

/**
 * Reads each item of a group. What is wrong with what they have in common is told with the first, and the others are
 * checked all the same: everything that is wrong is told at once.
 */
export function* readGroup<Common extends z.ZodObject, Each extends z.ZodType>(
  { list, common, each }: Group<Common, Each>,
  value: unknown,
  join: (common: z.output<Common>, each: z.output<Each>) => Reading,
): Generator<Reading, void, undefined> {
  const whole = check(common.extend({ [list]: z.array(z.unknown()).min(1) }).strict(), value, nothingPrivate, [], ANY)
  const shell = 'value' in whole ? withoutList<z.output<Common>>(whole.value, list) : null
  let shared = 'faults' in whole ? whole.faults : []
  const items: unknown[] = isMap(value) && Array.isArray(value[list]) ? value[list] : []
  if (items.length === 0) yield { faults: shared }
  for (const [index, item] of items.entries()) {
    const checked = check(each, item, nothingPrivate, [list, index])
    const own = 'faults' in checked ? checked.faults : []
    if (shell && 'value' in checked) yield join(shell, checked.value)
    else yield { faults: [...shared, ...own] }
    shared = []
  }
}

function withoutList<Common>(whole: Record<string, unknown>, list: string): Common {
  const { [list]: _, ...common } = whole
  return common as Common
}

function nothingPrivate(): boolean {
  return false
}
