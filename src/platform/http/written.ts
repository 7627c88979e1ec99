import { PermanentError } from '../../domain/values/errors.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { type Decimal, parseDecimal, toNumber } from '../../domain/values/money.ts'
import { hasZone, toInstant, toStoreLocal } from '../../domain/values/store-time.ts'

/**
 * A time that is sent: an instant is written as ISO 8601 in UTC. Text goes as it is (`2026-11-20`,
 * `2026-11-20T08:00:00`): what a time without zone means is the platform's to say.
 */
export type SentTime = Instant | string

const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/

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

/** The zone that the public API calls CET: taken for the clock on the wall in Central Europe, summer time included. */
const CENTRAL_EUROPE = 'Europe/Oslo'

/**
 * As sentTime, but an instant, as a number or as text with an offset or Z, becomes what clocks in Central Europe show then,
 * without a zone. In the hour that comes twice in autumn the text does not tell which of the two it was.
 */
export function sentCentralEuropean(time: SentTime | undefined, where: string): string | undefined {
  const sent = sentTime(time, where)
  return sent !== undefined && hasZone(sent) ? toStoreLocal(toInstant(sent, CENTRAL_EUROPE), CENTRAL_EUROPE) : sent
}

/** As sentTime, but text with an offset becomes UTC, too: `2026-11-20T00:30:00+01:00` is `2026-11-19T23:30:00.000Z`. */
export function sentUtc(time: SentTime | undefined, where: string): string | undefined {
  const sent = sentTime(time, where)
  return sent !== undefined && hasZone(sent) ? formatInstant(toInstant(sent, 'UTC')) : sent
}

/** See SentTime; undefined stays undefined. */
export function sentTime(time: SentTime | undefined, where: string): string | undefined {
  if (time === undefined) return undefined
  if (typeof time === 'number' && Math.abs(time) <= 8.64e15) return formatInstant(time)
  if (typeof time === 'string' && TIME.test(time.trim())) return time.trim()
  throw unsendable(where, 'is not a time: give an instant, or text such as 2026-11-20T08:00:00Z.')
}

/** The object without what is undefined: a field that is not sent is left as it is, or has its default. */
export function given<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}
