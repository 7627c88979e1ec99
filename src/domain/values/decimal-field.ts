import { field } from './field.ts'
import { type Decimal, parseDecimal } from './money.ts'

/** Null: missing, null or blank. Otherwise throws what `refuse` throws, or a PermanentError `not-a-decimal`. */
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
