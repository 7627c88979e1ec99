import { styleText } from 'node:util'
import { oneLine } from './harmless-text.ts'

/** A cell: text, a number, nothing. */
type Cell = string | number | null | undefined

/** By the head of each column: the field of a row that stands in it, or what is made of the row. */
export type Columns<Row> = Readonly<
  Record<string, { [Name in keyof Row]: Row[Name] extends Cell ? Name : never }[keyof Row] | ((row: Row) => Cell)>
>

/** Rows as a table by its columns. */
export function tableOf<Row>(columns: Columns<Row>, rows: readonly Row[], none: string): string {
  const cells = Object.values(columns)
  return table(
    Object.keys(columns),
    rows.map((row) => cells.map((cell) => (typeof cell === 'function' ? cell(row) : (row[cell] as Cell)))),
    none,
  )
}

/** Rows as a table for a terminal; a line that says so where there are none. */
export function table(head: string[], rows: Cell[][], none: string): string {
  if (rows.length === 0) return none
  const cells = rows.map((row) => row.map((cell) => (cell === null || cell === undefined ? '' : oneLine(String(cell)))))
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => (row[column] ?? '').length)))
  const numeric = head.map((_, column) => rows.every((row) => typeof row[column] === 'number'))
  const line = (row: string[]) =>
    row
      .map((cell, column) => (numeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return [styleText('bold', line(head)), ...cells.map(line)].join('\n')
}
