import { z } from 'zod'
import { type Disagreement, inJson, issuesOf, plainWords } from '../config/reading/issues.ts'
import { noSuchField, pathText, shownKey } from '../config/schema/schemas-at.ts'
import { UserError } from '../domain/values/errors.ts'
import { readInstant } from '../domain/values/instant.ts'

const NO_NUMBER = 'expected a whole number, such as 1042'

/** A number in a query string or in JSON. */
export const whole = z.coerce
  .number({ error: ({ code }) => (code === 'invalid_type' ? NO_NUMBER : undefined) })
  .int(NO_NUMBER)
  .min(0, NO_NUMBER)

const PAGE = 'expected a whole number from 1 to 500'

/** How many rows a list has at most. */
export const limit = z.coerce.number(PAGE).int(PAGE).min(1, PAGE).max(500, PAGE)

/** An id in a path; `what` it is of, and which command lists them. */
export function wholeId(what: string, command: string) {
  const wrong = `${what} has a whole number as its id, such as 1042; "tillbridge ${command}" shows them`
  return z.coerce.number(wrong).int(wrong).positive(wrong)
}

/** An instant: ISO 8601, or how long ago (`2h`, `3d`). */
export const when = z.string().transform((text, context) => {
  const instant = readInstant(text, Date.now())
  if (instant !== null) return instant
  context.addIssue('expected an instant, such as 2026-11-20T08:00Z, or how long ago, such as 2h or 3d')
  return z.NEVER
})

/** Nothing is between two times that stand the wrong way round: who asks for that has mistyped one of them. */
export function inOrder<Filter extends z.ZodType<{ since?: number | undefined; until?: number | undefined }>>(
  filter: Filter,
): Filter {
  return filter.refine(({ since, until }) => since === undefined || until === undefined || since <= until, {
    path: ['since'],
    error: 'it is after until',
  })
}

/** True or false, in a query string or in JSON. */
const yesNo = z.union([z.stringbool(), z.boolean()], 'expected true or false')

export const EventFilter = z.strictObject({
  id: whole.optional(),
  kind: z.string().optional(),
  state: z.enum(['routed', 'unrouted', 'quarantined']).optional(),
  conflict: yesNo.optional(),
  reusedKey: yesNo.optional(),
  dismissed: yesNo.optional(),
  entity: z.string().optional(),
  since: when.optional(),
  until: when.optional(),
  before: whole.optional(),
  limit: limit.optional(),
})

export const DeliveryFilter = z.strictObject({
  id: whole.optional(),
  event: whole.optional(),
  destination: z.string().optional(),
  flow: z.string().optional(),
  kind: z.string().optional(),
  state: z.enum(['waiting', 'claimed', 'held', 'delivered', 'dead', 'skipped', 'superseded']).optional(),
  entity: z.string().optional(),
  code: z.string().optional(),
  since: when.optional(),
  until: when.optional(),
  before: whole.optional(),
  limit: limit.optional(),
})

export const ActFilter = inOrder(
  z.strictObject({
    by: z.string().optional(),
    action: z.string().optional(),
    since: when.optional(),
    until: when.optional(),
    limit: limit.optional(),
  }),
)

/** Why a person does it, for the audit. */
export const Reason = z.string().trim().max(500).nullable().default(null)

/** The body of an act that is told nothing but why. */
export const Told = z.strictObject({ reason: Reason })

/** A business day in JSON or a query. */
export const Day = z.iso.date('expected a day, such as 2026-11-16')

/** Throws a UserError where the first day comes after the last. */
export function requireInOrder({ from, to }: { from: string; to: string }): void {
  if (from > to) throw new UserError('from: it is after to.')
}

/** A reason is required of an act; to count what it would touch is no more than a look. Throws a UserError. */
export function requireReason({ dryRun, reason }: { dryRun: boolean; reason: string | null }): void {
  if (!dryRun && !reason) throw new UserError('reason: say why (--reason); the audit keeps it.')
}

/** A part of a selection: how far whoever asks has come, and how much is to be done before the answer. */
const Part = z.strictObject({
  act: whole.nullable().default(null),
  after: whole.default(0),
  most: whole.min(1).max(10_000).default(1_000),
})

/** How a verb is carried out on a selection. */
export const partly = { dryRun: z.boolean().default(false), reason: Reason, part: Part.optional() }

/** A verb on everything is a slip, also on all but what is out of the way. `which`: what selects. Throws a UserError. */
export function refuseEverything(filter: object, which: readonly string[]): void {
  if (Object.values(filter).every((value) => value === false))
    throw new UserError(`filter: say which: an id, or at least one of ${which.join(', ')}.`)
}

/** The events that a verb applies to: a page of a list is no selection. */
export const EventSelection = inOrder(EventFilter.omit({ before: true, limit: true }))
export const DeliverySelection = inOrder(DeliveryFilter.omit({ before: true, limit: true }))

/**
 * A filter as it is meant: an event in conflict has gone nowhere either, but is counted, told and decided on apart from what nobody
 * wanted.
 */
export function meantBy<Filter extends z.output<typeof EventFilter>>(filter: Filter): Filter {
  const { id, state, conflict } = filter
  return id === undefined && state === 'unrouted' && conflict === undefined ? { ...filter, conflict: false } : filter
}

/** Reads what a person asked for. Throws a UserError that names every key that is wrong. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): Defined<z.output<Schema>> {
  const result = schema.safeParse(value, { error: expectedOf })
  if (result.success) return result.data as Defined<z.output<Schema>>
  throw new UserError(
    issuesOf(result.error.issues)
      .map((one) => wrong(one, schema))
      .join('; '),
  )
}

/** Where a schema has no words of its own. Empty where its branches say it better. */
function expectedOf(issue: z.core.$ZodRawIssue): string {
  const words = inJson(plainWords(issue))
  return words === '' ? '' : `expected ${words}`
}

function wrong({ path, about, expected }: Disagreement, schema: z.ZodType): string {
  if (about !== 'unknown-key') return `${pathText(path) || 'request'}: ${expected}`
  return `${pathText([...path.slice(0, -1), shownKey(path)])}: ${noSuchField(schema, path)}`
}

/** zod adds `| undefined` to what is optional; a key that was not given is not there. */
type Defined<T> = { [K in keyof T]: T[K] extends object ? Defined<T[K]> : Exclude<T[K], undefined> }
