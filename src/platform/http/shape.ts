import { mappingRemedy } from '../../domain/health/health.ts'
import { PermanentError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { field, flag, isId, text } from '../../domain/values/field.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { type Decimal, parseDecimal, toNumber } from '../../domain/values/money.ts'
import { hasZone, toInstant, toStoreLocal } from '../../domain/values/store-time.ts'
import type { Provenance } from './endpoint.ts'
import { asRecord, isRecord, readList, UnexpectedAnswer, type WireRecord } from './read.ts'

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

export function unsendable(where: string, why: string): PermanentError {
  return new PermanentError(`platform: ${where} ${why}`, { code: 'invalid-request' })
}

/** Whole numbers as numbers, else text. */
export function sentId(id: string, where: string): number | string {
  const trimmed = id.trim()
  if (trimmed === '') throw unsendable(where, 'is empty.')
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed
}

export function sentText(text: string, where: string): string {
  const trimmed = text.trim()
  if (trimmed === '') throw unsendable(where, 'is empty.')
  return trimmed
}

export function sentCurrency(currency: string, where: string): string {
  const code = currency.trim().toUpperCase()
  if (!/^[A-Z]{3}$/.test(code)) throw unsendable(where, 'must be three letters: NOK.')
  return code
}

/** Throws if a JSON number cannot hold its digits. */
export function sentDecimal(decimal: string, where: string): number {
  return sendable(where, () => toNumber(parseDecimal(decimal)))
}

export function sentDecimalText(decimal: string, where: string): Decimal {
  return sendable(where, () => parseDecimal(decimal))
}

function sendable<T>(where: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error
    throw unsendable(where, `cannot be sent: ${error.message}.`)
  }
}

export function given<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** Instants are sent in UTC, text as is. */
type SentTime = Instant | string

const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** The public API's "CET": local time, daylight saving included. */
const CENTRAL_EUROPE = 'Europe/Oslo'

/** Ambiguous in the repeated hour of autumn. */
export function sentCentralEuropean(time: SentTime, where: string): string {
  const sent = sentTime(time, where)
  return hasZone(sent) ? toStoreLocal(toInstant(sent, CENTRAL_EUROPE), CENTRAL_EUROPE) : sent
}

export function sentUtc(time: SentTime, where: string): string {
  const sent = sentTime(time, where)
  return hasZone(sent) ? formatInstant(toInstant(sent, 'UTC')) : sent
}

export function sentTime(time: SentTime, where: string): string {
  if (typeof time === 'number' && Math.abs(time) <= 8.64e15) return formatInstant(time)
  if (typeof time === 'string' && TIME.test(time.trim())) return time.trim()
  throw unsendable(where, 'is not a time: give an instant, or text such as 2026-11-20T08:00:00Z.')
}

/** Throws PermanentError `refused` for an id below 1, UnknownOutcomeError `no-id` without one. */
export function idOfWritten(answer: unknown, operation: string, name: string): string {
  return idOrThrow(idIn(answer, operation, name, NUMBER), operation, name)
}

function idOrThrow(id: string | null, operation: string, name: string): string {
  if (id !== null) return id
  const message = `platform: ${operation} was answered without its ${name}. If it stands elsewhere in the answer: ${mappingRemedy(operation)}.`
  throw new UnknownOutcomeError(message, { code: 'no-id' })
}

/** Null without an id. Throws an UnknownOutcomeError for a list, which is a search's answer. */
export function idIfShown(
  answer: unknown,
  operation: string,
  name: string,
  { answer: from }: Provenance,
): string | null {
  if (from === 'spec' || from === 'public') return idOfWritten(answer, operation, name)
  const id = idIn(answer, operation, name, NUMBER_OR_GUID)
  if (from === 'config') return idOrThrow(id, operation, name)
  if (id !== null) return id
  if (Array.isArray(answer)) throw noSuccess(`platform: ${operation}`, 'with a list')
  return null
}

/** Throws UnknownOutcomeError `no-success`. A record with an id is the thing written, and speaks of itself. */
export function checkExecuted(answer: unknown, what: string): void {
  if (!isRecord(answer) || !saysFailed(answer)) return
  const isThing = Object.keys(answer).some((name) => {
    const id = /id$/i.test(name) ? text(answer, name) : null
    return id !== null && NUMBER_OR_GUID.test(id) && !isNoneId(id)
  })
  if (!isThing) throw noSuccess(what, 'it says that it failed')
}

function noSuccess(what: string, but: string): UnknownOutcomeError {
  return new UnknownOutcomeError(`${what} was answered with success, but ${but}.`, { code: 'no-success' })
}

const NUMBER = /^-?\d{1,15}$/

export const NUMBER_OR_GUID = /^(-?\d{1,15}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i

function idIn(answer: unknown, operation: string, name: string, shape: RegExp): string | null {
  const record = isRecord(answer) ? answer : { id: answer }
  const id = [text(record, name), text(record, 'id')].find((one) => one !== null && shape.test(one))
  if (!id) return null
  if (!isNoneId(id)) return id
  const message = `platform: ${operation} answered the ${name} ${id}, which means that it was not executed.`
  throw new PermanentError(message, { code: 'refused' })
}

export function isNoneId(id: string): boolean {
  return Number(id) <= 0 || !isId(id)
}

function saysFailed(record: WireRecord): boolean {
  return Object.keys(record).some((name) => {
    if (/^(is)?(success(ful)?|succeeded|ok)$/i.test(name)) return flag(record, name) === false
    return /^(has)?errors?$/i.test(name) && isSomething(record[name])
  })
}

function isSomething(errors: unknown): boolean {
  if (typeof errors === 'object' && errors !== null) return Object.keys(errors).length > 0
  return Boolean(errors) && flag({ errors }, 'errors') !== false
}
