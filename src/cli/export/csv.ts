import { stringify } from 'csv-stringify/sync'

/** Rows as CSV (RFC 4180): CRLF, quotes where they are needed. */
export function csvText(rows: readonly (readonly unknown[])[]): string {
  return stringify(
    rows.map((row) => row.map(cellOf)),
    { record_delimiter: '\r\n', quote_record_delimiter: true },
  )
}

/** A spreadsheet carries out what begins so: `=HYPERLINK(…)` in the name of an article. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const NUMBER = /^[+-]?\d+(\.\d+)?$/

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
}
