import { field as valueIn } from '../../domain/values/field.ts'

/** Source of knowledge about a field; `guess`: undocumented. */
export type KnownFrom = WrittenFrom | 'schema' | 'config'

export type WrittenFrom = 'spec' | 'public' | 'guess'

export interface KnownField {
  /** Likeliest first; `store.posId` is nested; in lists relative to the row. */
  names: readonly [string, ...string[]]
  /** `id`: domain/values/id.ts, 0 is none. `any`: passed on or read elsewhere. */
  is: 'text' | 'id' | 'number' | 'currency' | 'time' | 'flag' | 'list' | 'any'
  from: WrittenFrom
  nearest?: readonly string[]
  otherwise?: (payload: unknown) => string | null
  /** Several names may be present: the first counts; otherwise ambiguous. */
  inTurn?: true
}

/** Fields read of a kind by the hub's names; `items.gtin` is a field of each row. */
export interface Shape {
  shownBy: string
  fields: Readonly<Record<string, KnownField>>
  /** One of each group must be readable (per row), else nothing is made of the event. */
  essentials: readonly (readonly string[])[]
  ifThere?: readonly string[]
  misleading?: Misleading
}

/** Nothing is made of such a payload unless config maps `fields`. */
export interface Misleading {
  list: string | null
  name: string
  value?: unknown
  unless?: string
  fields: readonly [string, ...string[]]
  because: string
}

export function placeOf(field: string): { list: string | null; name: string } {
  const end = field.lastIndexOf('.')
  return end < 0 ? { list: null, name: field } : { list: field.slice(0, end), name: field.slice(end + 1) }
}

/** `named`: mapped by config; `inSchema`: in the platform's schema. */
export function knownFrom({ from }: KnownField, named: boolean, inSchema: boolean): KnownFrom {
  if (named) return 'config'
  return from === 'guess' && inSchema ? 'schema' : from
}

type Names = KnownField['names']

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

export function near(field: KnownField, ...nearest: Names): KnownField {
  const [first, ...rest] = field.names
  const more = nearest.filter((name) => !field.names.includes(name))
  return { ...field, names: [first, ...rest, ...more], nearest }
}

/** The same names in an undocumented payload. */
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
