import { z } from 'zod'
import { flattenIssues, inJson, plainWords, type ValidationIssue } from '../config/issues.ts'
import { noSuchField, pathText, shownKey } from '../config/schema.ts'
import { type IndexedStore, storesNumbered } from '../domain/stores/store-index.ts'
import { UserError } from '../domain/values/errors.ts'
import { readInstant } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import { oneOf, suggest } from '../lib/suggest.ts'
import { KIND_NAMES } from '../platform/payloads/kinds.ts'
import type { ListPage } from '../storage/rows.ts'

const NO_NUMBER = 'expected a whole number, such as 1042'

/** In a query string or in JSON. */
export const whole = z.coerce
  .number({ error: ({ code }) => (code === 'invalid_type' ? NO_NUMBER : undefined) })
  .int(NO_NUMBER)
  .min(0, NO_NUMBER)

const PAGE = 'expected a whole number from 1 to 500'

export const limit = z.coerce.number(PAGE).int(PAGE).min(1, PAGE).max(500, PAGE)

/** Throws a UserError. */
export function idIn(text: string | undefined, what: string, command: string): number {
  const wrong = `${what} has a whole number as its id, such as 1042; "tillbridge ${command}" shows them`
  return parse(z.coerce.number(wrong).int(wrong).positive(wrong), text)
}

/** ISO 8601, or how long ago (`2h`, `3d`). */
export const when = z.string().transform((text, context) => {
  const instant = readInstant(text, Date.now())
  if (instant !== null) return instant
  context.addIssue('expected an instant, such as 2026-11-20T08:00Z, or how long ago, such as 2h or 3d')
  return z.NEVER
})

/** Refuses `since` after `until`: an empty answer would hide the mistake. */
export function inOrder<Filter extends z.ZodType<{ since?: number | undefined; until?: number | undefined }>>(
  filter: Filter,
): Filter {
  return filter.refine(({ since, until }) => since === undefined || until === undefined || since <= until, {
    path: ['since'],
    error: 'it is after until',
  })
}

/** In a query string or in JSON. */
const yesNo = z.union([z.stringbool(), z.boolean()], 'expected true or false')
const text = z.string().optional()
const times = { since: when.optional(), until: when.optional() }
/** Newest first. */
export const page = { before: whole.optional(), limit: limit.default(50) }

export const EventFilter = z.strictObject({
  id: whole.optional(),
  kind: text,
  state: z.enum(['routed', 'unrouted', 'quarantined']).optional(),
  conflict: yesNo.optional(),
  reusedKey: yesNo.optional(),
  dismissed: yesNo.optional(),
  entity: text,
  ...times,
})

export const DeliveryFilter = z.strictObject({
  id: whole.optional(),
  event: whole.optional(),
  destination: text,
  flow: text,
  kind: text,
  state: z.enum(['waiting', 'claimed', 'held', 'delivered', 'dead', 'skipped', 'superseded']).optional(),
  entity: text,
  code: text,
  ...times,
})

export const ActFilter = inOrder(z.strictObject({ by: text, action: text, ...times, limit: limit.optional() }))

export const EventSelection = inOrder(EventFilter)
export const DeliverySelection = inOrder(DeliveryFilter)

export const Reason = z.string().trim().max(500).nullable().default(null)
export const dryRun = z.boolean().default(false)

export const Why = z.strictObject({ reason: Reason })

export const Day = z.iso.date('expected a day, such as 2026-11-16')

/** Long acts are done in parts: progress so far, and the size of the next part. */
const Part = z.strictObject({
  act: whole.nullable().default(null),
  after: whole.default(0),
  most: whole.min(1).max(10_000).default(1_000),
})

export const partly = { dryRun, reason: Reason, part: Part.optional() }

/** As an act that goes on after the answer. */
export const background = z.boolean().default(false)

/** Throws a UserError. */
export function requireInOrder({ from, to }: { from: string; to: string }): void {
  if (from > to) throw new UserError('from: it is after to.')
}

/** A dry run needs no reason. Throws a UserError. */
export function requireReason({ dryRun, reason }: { dryRun: boolean; reason: string | null }): void {
  if (!dryRun && !reason) throw new UserError('reason: say why (--reason); the audit keeps it.')
}

/** Throws a UserError for an empty filter (`dismissed: false` alone counts as empty). */
export function refuseEverything(filter: object, which: readonly string[]): void {
  if (Object.values(filter).every((value) => value === false))
    throw new UserError(`filter: say which: an id, or at least one of ${which.join(', ')}.`)
}

/** `unrouted` excludes conflicts, unless asked for. */
export function meantBy<Filter extends z.output<typeof EventFilter>>(filter: Filter): Filter {
  const { id, state, conflict } = filter
  return id === undefined && state === 'unrouted' && conflict === undefined ? { ...filter, conflict: false } : filter
}

/** Rows scanned for a filter: about half a second. */
export const MAX_LOOKED = 100_000

/** `limit` + 1 rows were read. */
export function pageOf<Row extends { id: number }>({ rows, next }: ListPage<Row>, limit: number): ListPage<Row> {
  if (rows.length <= limit) return { rows, next }
  const shown = rows.slice(0, limit)
  return { rows: shown, next: shown.at(-1)?.id ?? null }
}

/** A schema's output; optional keys are absent, never undefined. */
export type Parsed<Schema extends z.ZodType> = Defined<z.output<Schema>>
type Defined<T> = { [K in keyof T]: T[K] extends object ? Defined<T[K]> : Exclude<T[K], undefined> }

/** Throws a UserError naming every issue. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): Parsed<Schema> {
  const result = schema.safeParse(value, { error: expectedOf })
  if (result.success) return result.data as Parsed<Schema>
  throw new UserError(
    flattenIssues(result.error.issues)
      .map((one) => wrong(one, schema))
      .join('; '),
  )
}

/** Empty where a branch of a union says it better. */
function expectedOf(issue: z.core.$ZodRawIssue): string {
  const words = inJson(plainWords(issue))
  return words === '' ? '' : `expected ${words}`
}

function wrong({ path, about, expected }: ValidationIssue, schema: z.ZodType): string {
  if (about !== 'unknown-key') return `${pathText(path) || 'request'}: ${expected}`
  return `${pathText([...path.slice(0, -1), shownKey(path)])}: ${noSuchField(schema, path)}`
}

export interface Hinted {
  hint: string | null
}

export interface Names {
  flows: readonly Pick<Flow, 'name'>[]
  /** Of config. */
  destinations: readonly string[]
}

/** Suggests a name for a mistyped kind, flow or destination. No refusal: the platform adds kinds, and deliveries outlive destinations. */
export function hintOf(filter: object, { flows, destinations }: Names): string | null {
  const known = { kind: KIND_NAMES, flow: flows.map(({ name }) => name), destination: destinations }
  for (const [what, names] of Object.entries(known)) {
    const name: unknown = Reflect.get(filter, what)
    if (typeof name !== 'string' || names.includes(name)) continue
    const near = suggest(name, names)
    return `The hub knows no ${what} "${name}".${near === null ? '' : ` Did you mean "${near}"?`}`
  }
  return null
}

export function didYouMean(name: string, names: readonly string[], what: string): string {
  const near = suggest(name, names)
  return near === null ? `${what}: ${names.join(', ') || 'none'}.` : `Did you mean "${near}"?`
}

/** By number, or the platform's id. Throws a UserError for none or several. */
export function askedStore<Known extends IndexedStore>(asked: string, stores: readonly Known[]): Known {
  const [store, ...others] = askedStores(asked, stores)
  if (others.length > 0)
    throw new UserError(
      `store: several stores have the number ${JSON.stringify(asked)}; their ids are ${[store, ...others].map(({ storeId }) => storeId).join(', ')}.`,
    )
  return store
}

/** Several where countries reuse a number. */
export function askedStores<Known extends IndexedStore>(asked: string, stores: readonly Known[]): [Known, ...Known[]] {
  const numbered = storesNumbered(stores, asked)
  const [store, ...others] = numbered.length > 0 ? numbered : stores.filter(({ storeId }) => storeId === asked)
  if (store !== undefined) return [store, ...others]
  const names = stores.map(({ number, storeId }) => number ?? storeId)
  throw new UserError(
    `store: no store ${JSON.stringify(asked)} is known, by its number or the platform's id: ${knownText(asked, names)}`,
  )
}

/** Throws a UserError. */
export function requireStoreId(asked: string, stores: readonly IndexedStore[]): void {
  const ids = stores.map(({ storeId }) => storeId)
  if (ids.includes(asked)) return
  const [numbered] = storesNumbered(stores, asked)
  const instead =
    numbered === undefined ? knownText(asked, ids) : `the store with that number has the id ${numbered.storeId}.`
  throw new UserError(`storeId: no store is known that has the id ${JSON.stringify(asked)} at the platform: ${instead}`)
}

function knownText(asked: string, names: readonly string[]): string {
  return names.length === 0
    ? 'none has been read yet (tillbridge jobs run stores).'
    : `expected ${oneOf(asked, names)}`.replace(/(?<!\?)$/, '.')
}
