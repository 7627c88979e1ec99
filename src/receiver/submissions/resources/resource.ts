import type { z } from 'zod'
import type { Path } from '../../../config/reading/path.ts'
import type { SubmitScope } from '../../../domain/access/scope.ts'
import type { Link } from '../../../domain/orders/link.ts'
import type { Arrival } from '../../../store/arrival.ts'
import { check, fault, type IsPrivate } from '../faults.ts'
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

/** Everything else that reading an item needs to know. */
export interface ReadingContext {
  /** The own system that submits. */
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
  /** The platform counts stock in whole numbers. */
  wholeQuantities?: boolean
}

/** Something that own systems submit. */
export interface Resource {
  scope: SubmitScope
  /** The objects that a JSON body may hold. */
  objects: readonly z.ZodType[]
  /** The schema of a line of NDJSON. */
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
