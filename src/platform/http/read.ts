import { readDecimal } from '../../domain/values/decimal-field.ts'
import { text } from '../../domain/values/field.ts'
import { idText } from '../../domain/values/id.ts'
import type { Decimal } from '../../domain/values/money.ts'

/** An answer that cannot be what was asked for. The message names where, never a value: values may be personal data. */
export class UnexpectedAnswer extends Error {
  override name = 'UnexpectedAnswer'
}

/** A record as the platform wrote it, fields that nobody here knows included. */
export type WireRecord = Readonly<Record<string, unknown>>

/** A value that must be a record. */
export function asRecord(value: unknown): WireRecord {
  if (isRecord(value)) return value
  throw new UnexpectedAnswer(`is ${kindOfValue(value)}, not an object`)
}

/** The first of these fields that has text. Throws where none has. */
export function requiredText(record: WireRecord, ...names: [string, ...string[]]): string {
  for (const name of names) {
    const found = text(record, name)
    if (found !== null) return found
  }
  throw new UnexpectedAnswer(`has no ${names[0]}`)
}

/** The first of these fields that has an id (domain/values/id.ts). Throws where none has. */
export function requiredId(record: WireRecord, ...names: [string, ...string[]]): string {
  for (const name of names) {
    const found = idText(record, name)
    if (found !== null) return found
  }
  throw new UnexpectedAnswer(`has no ${names[0]}`)
}

/** A number, also as text, exact; null where there is none. Throws where there is something else. */
export function decimal(record: WireRecord, name: string): Decimal | null {
  return readDecimal(record, name, () => {
    throw new UnexpectedAnswer(`has a ${name} that is not a decimal`)
  })
}

/** A decimal that must be there: throws where there is none. */
export function requiredDecimal(record: WireRecord, name: string): Decimal {
  const found = decimal(record, name)
  if (found === null) throw new UnexpectedAnswer(`has no ${name}`)
  return found
}

/** A whole number, also as text; null for anything else. */
export function whole(record: WireRecord, name: string): number | null {
  const found = text(record, name)
  return found !== null && /^-?\d{1,15}$/.test(found) ? Number(found) : null
}

/** An object or a list that was written as JSON within JSON is opened; anything else is as it came. */
export function opened(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

export function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The kind of a value, for messages. */
export function kindOfValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
