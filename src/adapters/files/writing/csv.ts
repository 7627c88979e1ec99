import { stringify } from 'csv-stringify/sync'
import type { WrittenColumn } from './columns.ts'
import type { CsvOptions } from './write-options.ts'

/** A number that begins with a minus: no formula, though it looks like one to a spreadsheet. */
interface BelowZero {
  belowZero: string
}

type Cell = string | BelowZero | null

const DECIMAL = /^-?\d+(\.\d+)?$/

/** Rows as CSV. In files for people, texts that a spreadsheet would calculate get an apostrophe; decimals stay as they are. */
export function csvOf(
  columns: readonly WrittenColumn[],
  rows: readonly (readonly unknown[])[],
  options: CsvOptions,
): Buffer {
  const { delimiter, quote, bom, header, decimal, lineEnd, guardFormulas = bom } = options
  const cells = rows.map((row) => row.map((value, index) => cellOf(value, columns[index]?.type === 'decimal', decimal)))
  const text = stringify(header ? [columns.map((column) => column.header), ...cells] : cells, {
    delimiter,
    record_delimiter: lineEnd === 'crlf' ? '\r\n' : '\n',
    quoted: quote === 'always',
    quoted_empty: quote === 'always',
    escape_formulas: guardFormulas,
    cast: { object: (value) => ({ value: (value as unknown as BelowZero).belowZero, escape_formulas: false }) },
  })
  return Buffer.from(bom ? `\ufeff${text}` : text)
}

function cellOf(value: unknown, isDecimal: boolean, point: CsvOptions['decimal']): Cell {
  if (value === null || value === undefined) return null
  const text = String(value)
  if (!isDecimal || !DECIMAL.test(text)) return text
  const number = point === ',' ? text.replace('.', ',') : text
  return number.startsWith('-') ? { belowZero: number } : number
}
