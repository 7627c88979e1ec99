import { stringify } from 'csv-stringify/sync'

/** Rows as CSV (RFC 4180): CRLF, quotes where they are needed. `guards`: no text is a formula to a spreadsheet. */
export function csvText(rows: readonly (readonly unknown[])[], guards: boolean): string {
  return stringify(
    rows.map((row) => row.map((value) => cellOf(value, guards))),
    { record_delimiter: '\r\n', quote_record_delimiter: true },
  )
}

/** A spreadsheet carries out what begins so: `=HYPERLINK(…)` in the name of an article. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const NUMBER = /^[+-]?\d+(\.\d+)?$/

function cellOf(value: unknown, guards: boolean): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  return guards && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
}
