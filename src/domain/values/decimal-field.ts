import { field } from './field.ts'
import { type Decimal, parseDecimal } from './money.ts'

/**
 * A field of JSON that somebody else wrote as a decimal; null where it is missing, null or blank. Throws for anything else: what
 * `refuse` throws, else a PermanentError `not-a-decimal`.
 */
export function readDecimal(value: unknown, name: string, refuse?: () => never): Decimal | null {
  const found = field(value, name)
  if (found === undefined || found === null || (typeof found === 'string' && found.trim() === '')) return null
  if (!refuse) return parseDecimal(found)
  try {
    return parseDecimal(found)
  } catch {
    return refuse()
  }
}
