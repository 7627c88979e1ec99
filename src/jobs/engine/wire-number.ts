import { PermanentError } from '../../domain/values/errors.ts'
import { type Decimal, toNumber } from '../../domain/values/money.ts'

/** A decimal as the platform writes it: a JSON number, or text where that would lose digits. */
export function wireNumber(decimal: Decimal): number | Decimal {
  try {
    return toNumber(decimal)
  } catch (error) {
    if (error instanceof PermanentError) return decimal
    throw error
  }
}
