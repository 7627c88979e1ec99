import type { Limits, Named } from './dialect.ts'
import type { Value } from './tables/columns.ts'

/**
 * The part of a row that the columns have no room for, in words without the value; null: it fits. Databases round off what follows
 * the last digit that they keep, and say nothing.
 */
export function misfit(
  { name, columns }: Named,
  row: readonly Value[],
  limits: ReadonlyMap<string, Limits>,
): string | null {
  for (const [index, column] of columns.entries()) {
    const value = row[index]
    const limit = limits.get(column.name)
    if (typeof value !== 'string' || !limit) continue
    const fault = column.type === 'decimal' ? digitsFault(value, limit) : lengthFault(value, limit)
    if (fault) return `${name}.${column.name} ${fault}`
  }
  return null
}

function digitsFault(value: string, { digits }: Limits): string | null {
  if (!digits) return null
  const [before = '', after = ''] = value.replace('-', '').split('.')
  if (after.length > digits.after) return `keeps ${digits.after} decimals, and this has ${after.length}`
  const whole = before.replace(/^0+/, '').length
  return whole > digits.before ? `has room for ${digits.before} digits before the point, and this has ${whole}` : null
}

function lengthFault(value: string, { characters, bytes }: Limits): string | null {
  if (characters !== null && value.length > characters) {
    const length = [...value].length
    if (length > characters) return `has room for ${characters} characters, and this has ${length}`
  }
  if (bytes !== null && value.length * 4 > bytes) {
    const length = Buffer.byteLength(value)
    if (length > bytes) return `has room for ${bytes} bytes, and this has ${length}`
  }
  return null
}
