import { field as valueIn } from '../../domain/values/field.ts'

/**
 * Where something about the platform is known from: its specification, public documentation, its own schema (asked at run
 * time), the operator's config; or nobody shows it, and it is a guess.
 */
export type KnownFrom = WrittenFrom | 'schema' | 'config'

/** Sources that the table of kinds can name; the rest is found out at run time. */
export type WrittenFrom = 'spec' | 'public' | 'guess'

/** A field of a payload that the hub acts on. */
export interface KnownField {
  /** Where it may stand, the likeliest first. `store.posId`: the field posId of store. Of a field of a list: within a row. */
  names: readonly [string, ...string[]]
  /** `id`: domain/values/id.ts, 0 is none. `any`: whatever stands there is passed on, or is looked into by its own reader. */
  is: 'text' | 'id' | 'number' | 'currency' | 'time' | 'flag' | 'list' | 'any'
  from: WrittenFrom
  /** Names among them that the nearest public record has: a record of the API, which no document says the payload to be. */
  nearest?: readonly string[]
  /** The value that the rest of the payload tells, where none of the names has one; null: it does not. */
  otherwise?: (payload: unknown) => string | null
  /** Several of its names may stand in one payload, and the first that is there counts; else that is a doubt. */
  inTurn?: true
}

/**
 * The fields that the hub reads of a kind. They go by the hub's own names; `items.gtin` is the field gtin of each row of the list items.
 */
export interface Shape {
  /** The document that shows its payload, for people. */
  shownBy: string
  fields: Readonly<Record<string, KnownField>>
  /** Groups of fields: one of each group must be readable (in each row, of a list), or nothing is made of the event. */
  essentials: readonly (readonly string[])[]
  /** Fields that may be missing; where they are there, they must be readable, too. */
  ifThere?: readonly string[]
  /** The sign that a payload is another record, whose names mean something else. */
  misleading?: Misleading
}

/** A sign that a payload is another record: nothing is made of it, unless config says where `fields` stand. */
export interface Misleading {
  /** Where it stands: in a row of this list, or in the payload itself (null). */
  list: string | null
  name: string
  /** With this value alone; undefined: whatever its value is. */
  value?: unknown
  /** With this one beside it, it says nothing. */
  unless?: string
  /** Fields that would be read wrong. */
  fields: readonly [string, ...string[]]
  because: string
}

/** The list that a field is of, and its name in a row; of a field of the payload itself the list is null. */
export function placeOf(field: string): { list: string | null; name: string } {
  const end = field.lastIndexOf('.')
  return end < 0 ? { list: null, name: field } : { list: field.slice(0, end), name: field.slice(end + 1) }
}

/** Where one field is known from, as it is today. `named`: config names it; `inSchema`: the platform's schema has it. */
export function knownFrom({ from }: KnownField, named: boolean, inSchema: boolean): KnownFrom {
  if (named) return 'config'
  return from === 'guess' && inSchema ? 'schema' : from
}

type Names = KnownField['names']

/* Short forms for the tables of what the hub reads. */

export function text(from: WrittenFrom, ...names: Names): KnownField {
  return { names, is: 'text', from }
}

export function id(from: WrittenFrom, ...names: Names): KnownField {
  return { names, is: 'id', from }
}

export function number(from: WrittenFrom, ...names: Names): KnownField {
  return { names, is: 'number', from }
}

export function currency(from: WrittenFrom, ...names: Names): KnownField {
  return { names, is: 'currency', from }
}

export function time(from: WrittenFrom, ...names: Names): KnownField {
  return { names, is: 'time', from }
}

export function flag(from: WrittenFrom, ...names: Names): KnownField {
  return { names, is: 'flag', from }
}

export function list(from: WrittenFrom, ...names: Names): KnownField {
  return { names, is: 'list', from }
}

export function any(from: WrittenFrom, ...names: Names): KnownField {
  return { names, is: 'any', from }
}

/** The field with the names of the nearest public record; names that it has not yet come last. */
export function near(field: KnownField, ...nearest: Names): KnownField {
  const [first, ...rest] = field.names
  const more = nearest.filter((name) => !field.names.includes(name))
  return { ...field, names: [first, ...rest, ...more], nearest }
}

/** The same names, in a payload that nobody shows. */
export function guessed({ fields, ...rest }: Shape, like: string): Shape {
  return {
    ...rest,
    shownBy: `nobody; read like ${like}`,
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        { ...field, from: 'guess', ...(field.names.length > 1 && { inTurn: true }) },
      ]),
    ),
  }
}

/** The same fields, each within another one (`sendReceipt.total`); those of rows stay where they are. */
export function nestedIn(outer: string, fields: Shape['fields']): Shape['fields'] {
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) => {
      if (key.includes('.')) return [key, field]
      const [first, ...rest] = field.names.map((name) => `${outer}.${name}`)
      const { otherwise } = field
      const within = otherwise && { otherwise: (payload: unknown) => otherwise(valueIn(payload, outer)) }
      return [key, { ...field, names: [first ?? '', ...rest], ...within }]
    }),
  )
}
