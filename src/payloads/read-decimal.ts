import { field } from '../domain/values/field.ts'
import { type Decimal, parseDecimal } from '../domain/values/money.ts'

/**
 * A field of JSON that somebody else wrote as a decimal; null where it is missing, null or empty. Throws for anything else: what
 * `refuse` throws, else a PermanentError `not-a-decimal`.
 */
export function readDecimal(value: unknown, name: string, refuse?: () => never): Decimal | null {
  const found = field(value, name)
  if (found === undefined || found === null || found === '') return null
  if (!refuse) return parseDecimal(found)
  try {
    return parseDecimal(found)
  } catch {
    return refuse()
  }
}
