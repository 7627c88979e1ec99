import { field } from '../../domain/values/field.ts'
import { type Decimal, parseDecimal } from '../../domain/values/money.ts'
import { UnexpectedAnswer, type WireRecord } from './read.ts'

/** A number, also as text, exact; null where there is none. Throws where there is something else. */
export function decimal(record: WireRecord, name: string): Decimal | null {
  const found = field(record, name)
  if (isNothing(found)) return null
  try {
    return parseDecimal(found)
  } catch {
    throw new UnexpectedAnswer(`has a ${name} that is not a decimal`)
  }
}

/** A decimal that must be there: throws where there is none. */
export function requiredDecimal(record: WireRecord, name: string): Decimal {
  const found = decimal(record, name)
  if (found === null) throw new UnexpectedAnswer(`has no ${name}`)
  return found
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}
