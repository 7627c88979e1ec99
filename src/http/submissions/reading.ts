import { z } from 'zod'
import { flattenIssues, inJson, plainWords, type ValidationIssue } from '../../config/issues.ts'
import { noSuchField, type Path, pathText, shownKey, valueAt } from '../../config/schema.ts'
import type { Link } from '../../domain/orders/link.ts'
import type { IndexedStore } from '../../domain/stores/store-index.ts'
import { isMap } from '../../lib/collections.ts'
import { InexactNumber } from '../../lib/json.ts'
import type { Arrival } from '../../storage/arrival.ts'

/** An item that becomes an event. */
export interface Readable {
  kind: string
  /** Of domain/catalogue/submitted.ts. */
  payload: object
  links?: Omit<Link, 'destination'>[]
  acknowledges?: Arrival['acknowledges']
  /** By the sender's word, it did not begin at a POS. */
  beganOnline?: true
}

export type Checked<T> = { value: T } | { faults: string[] }

export type Reading = Readable | { faults: string[] }

/** Throws a ProblemError `stores-unknown` while no store is known. */
export interface StoreFinder {
  byNumber(number: string, at?: string): Checked<IndexedStore>
  byId(storeId: string): Checked<IndexedStore>
  ofCountry(country: string): Checked<IndexedStore>
}

export interface ReadingContext {
  system: string
  insertOnly?: boolean
  force?: boolean
  directoryOnly?: boolean
  stores: StoreFinder
  /** By stock id. */
  stockWriters?: Readonly<Record<string, string>>
  wholeQuantities?: boolean
}

export interface Resource {
  kind: string
  objects: readonly z.ZodType[]
  line: z.ZodType
  /** For /openapi.json; the last is also a line. */
  examples: readonly unknown[]
  readObject(value: unknown, context: ReadingContext): Iterable<Reading>
  readLine(value: unknown, context: ReadingContext): Reading
  asksEndlessAisle: boolean
}

/** Functions get the valid fields of a faulty item, so that all faults are reported at once. */
interface Row<Item extends z.ZodObject, Found extends object> {
  kind: string
  item: Item
  group?: Group & { join?(common: Record<string, unknown>): object }
  besides?: z.ZodType
  /** Personal fields: their values are not shown in faults. */
  people?: readonly string[] | 'all'
  /** Null: not named. */
  finds?: {
    [Name in keyof Found]: (item: Partial<z.output<Item>>, context: ReadingContext) => Checked<Found[Name]> | null
  }
  /** Faults besides those of the schema. */
  rules?: readonly ((item: Partial<z.output<Item>>, context: ReadingContext) => string[])[]
  take(item: z.output<Item>, found: Found, context: ReadingContext): Omit<Readable, 'kind'>
  examples: readonly unknown[]
  asksEndlessAisle?: true
}

export interface Group {
  list: string
  common: z.ZodObject
  each: z.ZodObject
}

export function resource<Item extends z.ZodObject, Found extends object = Record<never, never>>(
  row: Row<Item, Found>,
): Resource {
  const { kind, item, group, besides, people = [], finds, rules = [], take, examples, asksEndlessAisle = false } = row
  const isPrivate: IsPrivate = ([first]) =>
    people === 'all' || (people.length > 0 && (first === undefined || people.includes(String(first))))

  function complete(checked: Checked<z.output<Item>>, written: unknown, context: ReadingContext): Reading {
    const known: Partial<z.output<Item>> = 'value' in checked ? checked.value : rightFields(item, written)
    const faults = 'faults' in checked ? checked.faults : []
    const found: Partial<Found> = {}
    for (const name in finds) {
      const one = finds[name](known, context)
      if (one && 'faults' in one) faults.push(...one.faults)
      else if (one) found[name] = one.value
    }
    for (const rule of rules) faults.push(...rule(known, context))
    if ('faults' in checked || faults.length > 0) return { faults: [...new Set(faults)] }
    return { kind, ...take(checked.value, found as Found, context) }
  }

  function readLine(value: unknown, context: ReadingContext): Reading {
    return complete(check(item, value, isPrivate), value, context)
  }

  return {
    kind,
    objects: [...(group ? [groupSchema(group)] : []), ...(besides ? [besides] : []), item],
    line: item,
    examples,
    readLine,
    readObject(value, context) {
      if (!group || !isGroup(group, value)) return [readLine(value, context)]
      const { join = (common: object) => common } = group
      return readGroup(group, value, (common, each) => {
        const joined = { ...join(common), ...each } as z.output<Item>
        return complete({ value: joined }, joined, context)
      })
    },
    asksEndlessAisle,
  }

  function isGroup({ list, common }: Group, value: unknown): boolean {
    const names = [list, ...Object.keys(common.shape)]
    return isMap(value) && names.some((name) => name in value && !(name in item.shape))
  }
}

export function rightFields<Item extends z.ZodObject>({ shape }: Item, value: unknown): Partial<z.output<Item>> {
  const fields = isMap(value) ? Object.entries(shape) : []
  const right = fields.flatMap(([name, field]) => {
    const checked = check(field as z.ZodType, (value as Record<string, unknown>)[name])
    return 'value' in checked ? [[name, checked.value]] : []
  })
  return Object.fromEntries(right)
}

export function groupSchema({ list, common, each }: Group): z.ZodObject {
  return z.strictObject({ ...common.shape, [list]: z.array(each).min(1) })
}

/** Common faults are reported with the first item. */
export function* readGroup(
  { list, common, each }: Group,
  value: unknown,
  join: (common: Record<string, unknown>, each: object) => Reading,
): Generator<Reading, void, undefined> {
  const shell = common.safeExtend({ [list]: z.array(z.unknown()).min(1) })
  const checked = check(shell, value, nothingPrivate, [], Number.POSITIVE_INFINITY)
  let shared = 'faults' in checked ? checked.faults : []
  const { [list]: _, ...given } = 'value' in checked ? (checked.value as Record<string, unknown>) : {}
  const items: unknown[] = isMap(value) && Array.isArray(value[list]) ? value[list] : []
  if (items.length === 0) yield { faults: shared }
  for (const [index, item] of items.entries()) {
    const one = check(each, item, nothingPrivate, [list, index])
    if ('value' in checked && 'value' in one) yield join(given, one.value)
    else yield { faults: [...shared, ...('faults' in one ? one.faults : [])] }
    shared = []
  }
}

type IsPrivate = (path: Path) => boolean

const nothingPrivate: IsPrivate = () => false

export function fault(at: Path, found: string, expected: string): string {
  return `${at.length > 0 ? `${pathText(at)}: ` : ''}found ${found}, expected ${expected}`
}

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

function sentence(one: ValidationIssue, schema: z.ZodType, value: unknown, isPrivate: IsPrivate, at: Path): string {
  if (one.about === 'unknown-key') {
    const written = [...at, ...one.path.slice(0, -1), shownKey(one.path)]
    return `${pathText(written)}: ${noSuchField(schema, one.path)}`
  }
  return fault([...at, ...one.path], found(valueAt(value, one.path), isPrivate(one.path)), inJson(one.expected))
}

/** More: not the format that it claims to be. */
export const MAX_FAULTS = 100

const MAX_ENTRIES = 5_000

export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  isPrivate: IsPrivate = nothingPrivate,
  at: Path = [],
  mostEntries = MAX_ENTRIES,
): Checked<z.output<S>> {
  const long = longList(value, mostEntries, at)
  if (long) return { faults: [long] }
  const parsed = schema.safeParse(value, { error: plainWords })
  if (parsed.success) return { value: parsed.data }
  const disagreements = flattenIssues(parsed.error.issues).slice(0, MAX_FAULTS)
  const faults = disagreements.map((one) => sentence(one, schema, value, isPrivate, at))
  return { faults: [...new Set(faults)] }
}

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
