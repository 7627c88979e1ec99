import { UserError } from '../../domain/values/errors.ts'
import { text } from '../../domain/values/field.ts'
import type { WireRecord } from '../http/read.ts'

/** Values that columns must have, by the name of the column; `SaleDate` is a day, `yyyy-mm-dd`, the others are ids. */
export type OdataFilter = Readonly<Record<string, string>>

/** The rest are joined for display: to filter by one of them gives no row, and no error. */
const FILTERABLE = ['STOCKID_FK', 'STOREID_FK', 'PRODUCTID_FK', 'SaleDate']

/**
 * A `$filter`; undefined where nothing is to be filtered. Throws a UserError that names a column that cannot be filtered by,
 * or a value that is none: whatever else stood in it would become part of the expression.
 */
export function writeFilter(filter: OdataFilter): string | undefined {
  const conditions = Object.entries(filter).map(([column, value]) => `${column} eq ${literal(column, value)}`)
  return conditions.length === 0 ? undefined : conditions.join(' and ')
}

/** Whether a row is what was asked for: a filter that the platform does not understand may be ignored in silence. */
export function fits(row: WireRecord, filter: OdataFilter): boolean {
  return Object.entries(filter).every(([column, value]) => {
    const found = text(row, column)
    // A row that does not say is left to the platform's filter.
    if (found === null) return true
    return (column === 'SaleDate' ? found.slice(0, 10) : found) === value
  })
}

function literal(column: string, value: string): string {
  if (!FILTERABLE.includes(column))
    throw new UserError(`filter: the platform cannot filter by ${column}, only by ${FILTERABLE.join(', ')}.`)
  // The literals of odata version 3: a number as it is, a datetime with its type.
  if (column === 'SaleDate' && /^\d{4}-\d\d-\d\d$/.test(value)) return `datetime'${value}T00:00:00'`
  if (column !== 'SaleDate' && /^(0|[1-9]\d{0,14})$/.test(value)) return value
  const expected = column === 'SaleDate' ? 'a day such as 2026-07-31' : 'a number'
  throw new UserError(`filter: ${column} must be ${expected}, not ${JSON.stringify(value)}.`)
}
