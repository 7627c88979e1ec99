import { field, text } from '../../domain/values/field.ts'
import { asRecord, isRecord, readList, UnexpectedAnswer, type WireRecord } from './read.ts'
import { unsendable } from './written.ts'

/* Records as tables of fields; types and the names of `platform.endpoints` follow from them. */

export type ReadField<T> = ((record: unknown, name: string) => T) & { names?: readonly string[] }

type Reader<S> = ((record: WireRecord) => {
  [K in keyof S]: S[K] extends (...args: never[]) => infer T ? T : never
}) & { fields: readonly string[] }

export function shape<S extends Readonly<Record<string, ReadField<unknown>>>>(readers: S): Reader<S> {
  const entries = Object.entries(readers)
  const read = (record: WireRecord) => {
    const values: Record<string, unknown> = {}
    for (const [name, one] of entries) values[name] = one(record, name)
    return values as ReturnType<Reader<S>>
  }
  return Object.assign(read, { fields: entries.flatMap(([name, one]) => one.names ?? name) })
}

/** May hold personal data. */
export const itself: ReadField<WireRecord> = Object.assign((record: unknown) => asRecord(record), { names: [] })

/** The first with a value, else null; `address.city` is nested. */
export function first<T>(read: (record: unknown, name: string) => T, ...names: string[]): ReadField<T> {
  const one = (record: unknown): T => {
    let found = null as T
    for (const name of names) {
      const path = name.split('.')
      const last = path.pop() ?? ''
      found = read(path.reduce(field, record), last)
      if (found !== null) break
    }
    return found
  }
  return Object.assign(one, { names })
}

/** Fields that the platform writes with a capital: `brand` is `Brand`. */
export function capitalized<T, Name extends string>(read: (record: unknown, name: string) => T, ...names: Name[]) {
  const entries = names.map((name) => [name, first(read, name.charAt(0).toUpperCase() + name.slice(1))])
  return Object.fromEntries(entries) as Record<Name, ReadField<T>>
}

/** By its own name, or the first of these. */
export function must<T>(
  read: (record: unknown, name: string) => T,
  ...names: string[]
): ReadField<NonNullable<T>> & ((record: unknown) => NonNullable<T>) {
  const one = (record: unknown, name = ''): NonNullable<T> => {
    const all = names.length > 0 ? names : [name]
    for (const each of all) {
      const found = read(record, each)
      if (found !== null && found !== undefined) return found
    }
    throw new UnexpectedAnswer(`has no ${all[0]}`)
  }
  return names.length > 0 ? Object.assign(one, { names: names.slice(0, 1) }) : one
}

export function rows<S>(what: string, name: string, read: Reader<S>): ReadField<ReturnType<Reader<S>>[]> {
  return nested(name, read, (record) => readList(field(record, name), what, read))
}

export function rowsIfTold<S>(what: string, name: string, read: Reader<S>): ReadField<ReturnType<Reader<S>>[] | null> {
  return nested(name, read, (record) => {
    const found = field(record, name)
    return found === undefined || found === null ? null : readList(found, what, read)
  })
}

export function part<S>(name: string, read: Reader<S>): ReadField<ReturnType<Reader<S>> | null> {
  return nested(name, read, (record) => {
    const found = field(record, name)
    return isRecord(found) ? read(found) : null
  })
}

function nested<T>(
  name: string,
  { fields }: { fields: readonly string[] },
  read: (record: unknown) => T,
): ReadField<T> {
  return Object.assign(read, { names: [name, ...fields.map((inner) => `${name}.${inner}`)] })
}

export function capitals(record: unknown, name: string): string | null {
  return text(record, name)?.toUpperCase() ?? null
}

// biome-ignore lint/suspicious/noExplicitAny: each writer takes a type of its own.
type Write = ((value: any, at: string, outer: string) => unknown) & { wire?: string; fields?: readonly string[] }
type Writers = Readonly<Record<string, Write>>
type In<W> = W extends (value: infer V, ...more: never[]) => unknown ? V : never

export type Sent<S extends Writers> = {
  [K in keyof S as undefined extends In<S[K]> ? never : K]: In<S[K]>
} & { [K in keyof S as undefined extends In<S[K]> ? K : never]?: In<S[K]> }

export interface Body<S extends Writers> {
  // biome-ignore lint/suspicious/noExplicitAny: JSON, whose fields are those of the table.
  (values: Sent<S>, where: string): Record<string, any>
  fields: readonly string[]
}

export function body<S extends Writers>(writers: S): Body<S> {
  const entries = Object.entries(writers)
  const write = (values: Sent<S>, where: string) => {
    const written: Record<string, unknown> = {}
    for (const [name, one] of entries) {
      const value = one((values as Record<string, unknown>)[name], `${where}: the ${name}`, where)
      if (value !== undefined) written[one.wire ?? name] = value
    }
    return written
  }
  return Object.assign(write, { fields: entries.flatMap(([name, one]) => [one.wire ?? name, ...(one.fields ?? [])]) })
}

export function asIs<T>() {
  return (value: T | undefined) => value
}

export function optional<T>(write: (value: T, at: string) => unknown) {
  return (value: T | undefined, at: string) => (value === undefined ? undefined : write(value, at))
}

export function named<W extends Write>(wire: string, write: W): W {
  return Object.assign(((value: unknown, at: string, outer: string) => write(value, at, outer)) as W, {
    wire,
    fields: write.fields ?? [],
  })
}

/** `noun` names each in errors: `line 2`. */
export function each<S extends Writers>(noun: string, write: Body<S>) {
  const some = eachOrNone(noun, write)
  return Object.assign(
    (values: readonly Sent<S>[], at: string, outer: string) => {
      if (values.length === 0) throw unsendable(at, 'must not be empty.')
      return some(values, at, outer)
    },
    { fields: write.fields },
  )
}

export function eachOrNone<S extends Writers>(noun: string, write: Body<S>) {
  return Object.assign(
    (values: readonly Sent<S>[] | undefined, _: string, outer: string) =>
      values?.map((one, index) => write(one, `${outer}: ${noun} ${index + 1}`)),
    { fields: write.fields },
  )
}
