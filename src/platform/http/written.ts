import { mappingRemedy } from '../../domain/health/health.ts'
import { PermanentError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { flag, isId, text } from '../../domain/values/field.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { type Decimal, parseDecimal, toNumber } from '../../domain/values/money.ts'
import { hasZone, toInstant, toStoreLocal } from '../../domain/values/store-time.ts'
import type { Known } from './endpoint.ts'
import { isRecord, type WireRecord } from './read.ts'

/** The error for a value that cannot be sent as it is given. `where` says which call and which of its values. */
export function unsendable(where: string, why: string): PermanentError {
  return new PermanentError(`platform: ${where} ${why}`, { code: 'invalid-request' })
}

/** An id as the platform has it: a whole number goes as a number, any other text as it is. */
export function sentId(id: string, where: string): number | string {
  const trimmed = id.trim()
  if (trimmed === '') throw unsendable(where, 'is empty.')
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed
}

/** Text that must be there: a key or a name. */
export function sentText(text: string, where: string): string {
  const trimmed = text.trim()
  if (trimmed === '') throw unsendable(where, 'is empty.')
  return trimmed
}

/** A currency: three letters, in any case. */
export function sentCurrency(currency: string, where: string): string {
  const code = currency.trim().toUpperCase()
  if (!/^[A-Z]{3}$/.test(code)) throw unsendable(where, 'must be three letters: NOK.')
  return code
}

/** A decimal as the JSON number that reads back as the same decimal. Throws where a number cannot hold its digits. */
export function sentDecimal(decimal: string, where: string): number {
  try {
    return toNumber(parseDecimal(decimal))
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error
    throw unsendable(where, `cannot be sent: ${error.message}.`)
  }
}

/** A decimal as text, exact and without closing zeros: `1399.5`. */
export function sentDecimalText(decimal: string, where: string): Decimal {
  try {
    return parseDecimal(decimal)
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error
    throw unsendable(where, `cannot be sent: ${error.message}.`)
  }
}

/** The object without what is undefined: a field that is not sent is left as it is, or has its default. */
export function given<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}

/**
 * A time that is sent: an instant is written as ISO 8601 in UTC. Text goes as it is (`2026-11-20`,
 * `2026-11-20T08:00:00`): what a time without zone means is the platform's to say.
 */
export type SentTime = Instant | string

const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** The zone that the public API calls CET: taken for the clock on the wall in Central Europe, summer time included. */
const CENTRAL_EUROPE = 'Europe/Oslo'

/**
 * As sentTime, but an instant, as a number or as text with an offset or Z, becomes what clocks in Central Europe show then,
 * without a zone. In the hour that comes twice in autumn the text does not tell which of the two it was.
 */
export function sentCentralEuropean(time: SentTime, where: string): string {
  const sent = sentTime(time, where)
  return hasZone(sent) ? toStoreLocal(toInstant(sent, CENTRAL_EUROPE), CENTRAL_EUROPE) : sent
}

/** As sentTime, but text with an offset becomes UTC, too: `2026-11-20T00:30:00+01:00` is `2026-11-19T23:30:00.000Z`. */
export function sentUtc(time: SentTime, where: string): string {
  const sent = sentTime(time, where)
  return hasZone(sent) ? formatInstant(toInstant(sent, 'UTC')) : sent
}

export function sentTime(time: SentTime, where: string): string {
  if (typeof time === 'number' && Math.abs(time) <= 8.64e15) return formatInstant(time)
  if (typeof time === 'string' && TIME.test(time.trim())) return time.trim()
  throw unsendable(where, 'is not a time: give an instant, or text such as 2026-11-20T08:00:00Z.')
}

/**
 * The id that a write answered, where it is known that it answers one: alone, as number or text, or in a record as the field
 * `name` or `id`. The client has refused an id alone that is 0 or below (PermanentError `refused`); here the one in a record
 * is. Without an id it is an UnknownOutcomeError `no-id`: it was sent, and nothing says what came of it. It may even be
 * another endpoint that answered.
 */
export function idOfWritten(answer: unknown, operation: string, name: string): string {
  return idOrThrow(idIn(answer, operation, name, NUMBER), operation, name)
}

function idOrThrow(id: string | null, operation: string, name: string): string {
  if (id !== null) return id
  const message = `platform: ${operation} was answered without its ${name}. If it stands elsewhere in the answer: ${mappingRemedy(operation)}.`
  throw new UnknownOutcomeError(message, { code: 'no-id' })
}

/**
 * The same where nobody may have shown the answer: then a success is one whatever stands in it, and without an id it gives
 * null. But a list is what a search answers: that is an UnknownOutcomeError, as is a record that says that it failed.
 */
export function idIfShown(answer: unknown, operation: string, name: string, { answer: from }: Known): string | null {
  if (from === 'spec' || from === 'public') return idOfWritten(answer, operation, name)
  const id = idIn(answer, operation, name, NUMBER_OR_GUID)
  if (from === 'config') return idOrThrow(id, operation, name)
  if (id !== null) return id
  if (Array.isArray(answer)) throw noSuccess(`platform: ${operation}`, 'with a list')
  return null
}

/**
 * Throws an UnknownOutcomeError `no-success` where the answer to a write says that it failed, whatever its status says. A record with
 * an id is what was written or asked for, and speaks of itself: an event of the log says whether it came through.
 */
export function checkCarriedOut(answer: unknown, what: string): void {
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

/** Some records of the platform have a GUID for an id (spec, "Omnichannel order update webhook payload"). */
export const NUMBER_OR_GUID = /^(-?\d{1,15}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i

function idIn(answer: unknown, operation: string, name: string, shape: RegExp): string | null {
  const record = isRecord(answer) ? answer : { id: answer }
  const id = [text(record, name), text(record, 'id')].find((one) => one !== null && shape.test(one))
  if (!id) return null
  if (!isNoneId(id)) return id
  const message = `platform: ${operation} answered the ${name} ${id}, which means that it was not carried out.`
  throw new PermanentError(message, { code: 'refused' })
}

/** 0 or below, or a GUID of zeros. */
export function isNoneId(id: string): boolean {
  return Number(id) <= 0 || !isId(id)
}

/** As programs write it: `success: false`, an `error`, some `errors`. */
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
