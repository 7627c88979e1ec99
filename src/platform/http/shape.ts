import { field, text } from '../../domain/values/field.ts'
import { asRecord, isRecord, readList, UnexpectedAnswer, type WireRecord } from './read.ts'
import { unsendable } from './written.ts'

/*
 * Records of the platform as tables of fields: what is read of an answer, what is sent in a body. The types follow from the tables, and
 * so do the names that `platform.endpoints` may say otherwise.
 */

/** Reads a field by its name on the wire; `names`: where that is not the name of the property, or has fields of its own. */
export type ReadField<T> = ((record: unknown, name: string) => T) & { names?: readonly string[] }

type Reader<S> = ((record: WireRecord) => {
  [K in keyof S]: S[K] extends (...args: never[]) => infer T ? T : never
}) & {
  /** The names on the wire; of a field within another with a dot between them. */
  fields: readonly string[]
}

/** Reads the fields of a record. */
export function shape<S extends Readonly<Record<string, ReadField<unknown>>>>(readers: S): Reader<S> {
  const entries = Object.entries(readers)
  const read = (record: WireRecord) => {
    const values: Record<string, unknown> = {}
    for (const [name, one] of entries) values[name] = one(record, name)
    return values as ReturnType<Reader<S>>
  }
  return Object.assign(read, { fields: entries.flatMap(([name, one]) => one.names ?? name) })
}

/** The record as the platform wrote it, fields that the hub does not know included. It may hold personal data. */
export const itself: ReadField<WireRecord> = Object.assign((record: unknown) => asRecord(record), { names: [] })

/** The first of these fields that has a value; null: none has. `address.city` is the field of a field. */
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

/** A field that must be there: by its own name, or the first of these. */
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

/** A list of records within a record. */
export function rows<S>(what: string, name: string, read: Reader<S>): ReadField<ReturnType<Reader<S>>[]> {
  return nested(name, read, (record) => readList(field(record, name), what, read))
}

/** The same; null: the record does not tell. */
export function rowsIfTold<S>(what: string, name: string, read: Reader<S>): ReadField<ReturnType<Reader<S>>[] | null> {
  return nested(name, read, (record) => {
    const found = field(record, name)
    return found === undefined || found === null ? null : readList(found, what, read)
  })
}

/** A record within a record; null: there is none. */
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

/** Text in capitals: a currency, a country. */
export function capitals(record: unknown, name: string): string | null {
  return text(record, name)?.toUpperCase() ?? null
}

/** Writes a value; `at` says for errors which it is, `outer` in what. */
// biome-ignore lint/suspicious/noExplicitAny: each writer takes a type of its own.
type Write = ((value: any, at: string, outer: string) => unknown) & { wire?: string; fields?: readonly string[] }
type Writers = Readonly<Record<string, Write>>
type In<W> = W extends (value: infer V, ...more: never[]) => unknown ? V : never

/** The values that a body is written of. */
export type Sent<S extends Writers> = {
  [K in keyof S as undefined extends In<S[K]> ? never : K]: In<S[K]>
} & { [K in keyof S as undefined extends In<S[K]> ? K : never]?: In<S[K]> }

export interface Body<S extends Writers> {
  // biome-ignore lint/suspicious/noExplicitAny: JSON, whose fields are those of the table.
  (values: Sent<S>, where: string): Record<string, any>
  fields: readonly string[]
}

/** Writes the fields of a body: a value that is undefined is not sent, nor one that is not in the table. */
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

/** A value that goes as it is. */
export function asIs<T>() {
  return (value: T | undefined) => value
}

/** A value that may be left out. */
export function optional<T>(write: (value: T, at: string) => unknown) {
  return (value: T | undefined, at: string) => (value === undefined ? undefined : write(value, at))
}

/** A field with another name on the wire. */
export function named<W extends Write>(wire: string, write: W): W {
  return Object.assign(((value: unknown, at: string, outer: string) => write(value, at, outer)) as W, {
    wire,
    fields: write.fields ?? [],
  })
}

/** A list of records, at least one; `noun` names each for errors: `line 2`. */
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
