import { OdataRefusal } from './query.ts'

/** The values of a row by column; decimals and datetimes are texts. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

/** A set of rows, and what is known of its columns. */
export interface RowSet {
  name: string
  columns: readonly string[]
  /** A filter over any other column finds nothing, and nobody says so (facts, §5 trap 3). */
  filterable: readonly string[]
  /** `$top` counts the rows that are looked at, not those that are found (facts, §5 trap 1). */
  topBeforeFilter: boolean
}

const CONDITION = /^(\w+) (eq|ne|gt|ge|lt|le) (-?\d+(?:\.\d+)?|true|false|(?:datetime)?'(?:[^']|'')*')$/

/** Whether a row passes a `$filter`: conditions with `and`, without functions and brackets (facts, §5 trap 4). */
export function readFilter(filter: unknown, set: RowSet): (row: Row) => boolean {
  if (filter === undefined) return () => true
  if (typeof filter !== 'string') throw new OdataRefusal(400, '$filter must be given once.')
  const conditions = conditionsOf(filter).map((part) => readCondition(part.trim(), set))
  return (row) => conditions.every((passes) => passes(row))
}

/** Text between quotes stays text, whatever words are in it. */
function conditionsOf(filter: string): string[] {
  const marked = filter.split("'").map((piece, index) => (index % 2 === 0 ? piece.replaceAll(' and ', '\n') : piece))
  return marked.join("'").split('\n')
}

function readCondition(text: string, { columns, filterable }: RowSet): (row: Row) => boolean {
  const [, column = '', operator = '', literal = ''] = CONDITION.exec(text) ?? []
  if (column === '') throw new OdataRefusal(400, `$filter: "${text}" is not supported.`)
  if (!columns.includes(column)) throw new OdataRefusal(400, `$filter: there is no column ${column}.`)
  if (!filterable.includes(column)) return () => false
  const wanted = meant(literal)
  return (row) => {
    const found = row[column] ?? null
    if (typeof found !== typeof wanted) throw new OdataRefusal(400, `$filter: ${column} is no ${typeof wanted}.`)
    const order = found === wanted ? 0 : (found as string | number) < (wanted as string | number) ? -1 : 1
    return ORDERS[operator]?.(order) ?? false
  }
}

const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
}

function meant(literal: string): string | number | boolean {
  if (literal === 'true' || literal === 'false') return literal === 'true'
  const quoted = /^(?:datetime)?'(.*)'$/.exec(literal)?.[1]
  return quoted === undefined ? Number(literal) : quoted.replaceAll("''", "'")
}
