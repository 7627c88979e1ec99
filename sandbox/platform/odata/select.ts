import type { RowSet } from './filter.ts'
import { OdataRefusal } from './query.ts'

/** The columns that `$select` names, or all. */
export function readSelect(select: unknown, { columns }: RowSet): readonly string[] {
  if (select === undefined || select === '*') return columns
  const chosen = typeof select === 'string' ? select.split(',').map((name) => name.trim()) : []
  const unknown = chosen.find((name) => !columns.includes(name))
  if (unknown !== undefined || chosen.length === 0)
    throw new OdataRefusal(400, `$select: there is no column ${unknown ?? ''}.`)
  return chosen
}
