import { z } from 'zod'
import { isMap, type Path } from '../../../config/schema/schemas-at.ts'
import type { SubmitScope } from '../../../domain/access/scope.ts'
import type { Link } from '../../../domain/orders/link.ts'
import type { Arrival } from '../../../store/arrival.ts'
import { check, fault, type IsPrivate, nothingPrivate } from '../fields.ts'
import type { StoreFinder } from '../store-finder.ts'

/** An item that can be taken: an event to be. */
export interface Readable {
  kind: string
  /** The payload, of domain/catalogue/submitted.ts. */
  payload: object
  /** Ids that the submitting system says are the same thing. */
  links?: Omit<Link, 'destination'>[]
  /** See Arrival. */
  acknowledges?: Arrival['acknowledges']
  /** The sender of a sale says that its order did not begin at a till. */
  beganOnline?: true
}

/** An item as it was read: it can be taken, or everything that is wrong with it. */
export type Reading = Readable | { faults: string[] }

export interface ReadingContext {
  system: string
  /** Products that the platform has already are left alone (`mode=insert`). */
  insertOnly: boolean
  /** Products are sent even if they are what the platform acknowledged last (`force=true`). */
  force: boolean
  /** Customers are for the hub's own directory alone (`directoryOnly=true`). */
  directoryOnly?: boolean
  stores: StoreFinder
  /** The system that alone writes the levels of a stock, by the stock's id; a stock that is not named, any may write. */
  stockWriters?: Readonly<Record<string, string>>
  wholeQuantities?: boolean
}

export interface Resource {
  scope: SubmitScope
  /** The objects that a JSON body may hold. */
  objects: readonly z.ZodType[]
  line: z.ZodType
  /** An object of a JSON body: one item, or several that are written together. */
  readObject(value: unknown, context: ReadingContext): Iterable<Reading>
  readLine(value: unknown, context: ReadingContext): Reading
  /** Reading needs to know which orders began at a till. */
  asksEndlessAisle?: true
}

/** Turns what is right into an event, what is wrong into its faults. */
export function readingOf<T>(checked: { value: T } | { faults: string[] }, take: (value: T) => Reading): Reading {
  return 'faults' in checked ? checked : take(checked.value)
}

/** A resource of one schema, an object or a line an item. */
export function single(
  scope: Resource['scope'],
  schema: z.ZodType,
  read: (value: unknown, context: ReadingContext) => Reading,
): Resource {
  return {
    scope,
    objects: [schema],
    line: schema,
    readObject: (value, context) => [read(value, context)],
    readLine: read,
  }
}

/** The same, where its fields alone say all. `isPrivate`: whose values are not shown in faults. */
export function resourceOf<Schema extends z.ZodType>(
  scope: Resource['scope'],
  schema: Schema,
  isPrivate: IsPrivate,
  take: (value: z.output<Schema>, context: ReadingContext) => Reading,
): Resource {
  return single(scope, schema, (value, context) =>
    readingOf(check(schema, value, isPrivate), (checked) => take(checked, context)),
  )
}

/** The fault of a quantity that is no whole number. A platform that counts in them would refuse all that goes out with it. */
export function inPieces({ wholeQuantities }: ReadingContext, quantity: string, at: Path): string[] {
  return wholeQuantities && quantity.includes('.') ? [fault(at, quantity, 'a whole number')] : []
}

/** Items written together: what they have in common, once, and a list of the rest of each. */
export interface Group<Common extends z.ZodObject, Each extends z.ZodType> {
  list: string
  common: Common
  each: Each
}

/** A group without a limit: its items are read one by one. */
const ANY = Number.POSITIVE_INFINITY

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
