import { PermanentError } from '../../domain/values/errors.ts'
import { type Decimal, parseDecimal, toNumber } from '../../domain/values/money.ts'

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
