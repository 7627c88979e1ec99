import { stringify } from 'csv-stringify/sync'
import type { BookingName, Bookings, SettlementBooking } from '../../../domain/books/bookings.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import { rowsAt, type WrittenColumn } from './columns.ts'
import type { CsvOptions, Layout } from './write-options.ts'

/** The content of a file for one record: rows of cells, or the record itself. */
export type Rows = unknown[][] | { whole: Record<string, unknown> }

/** Throws a PermanentError for a record that cannot be written as config says. */
export function rowsOf(layout: Layout, method: BookingName, record: Bookings[BookingName], key: string): Rows {
  const { columns, rows } = layout
  if (!columns) return { whole: { key, ...record } }
  const view = viewOf(method, record, key)
  const list = rows === null ? [null] : rowsAt(view, rows)
  // A record without lines is told of all the same.
  const each = list.length === 0 ? [null] : list
  return each.map((row, index) => columns.map((column) => column.read({ view, row, number: index + 1 })))
}

/** A record as paths see it: with its key, and a settlement with its `entries`. */
function viewOf(method: BookingName, record: Bookings[BookingName], key: string): Record<string, unknown> {
  const view = { key, ...record }
  return method === 'bookSettlement' ? { ...view, entries: entriesOf(record as SettlementBooking) } : view
}

/** The journal, debit and credit beside each other, neither below 0; without accounts, what was paid by each means. */
function entriesOf({ journal, settlement }: SettlementBooking): Record<string, string | null>[] {
  if (journal)
    return journal.lines.map(({ amount, ...line }) => ({
      ...line,
      ...bothSides(amount.amount),
      currency: amount.currency,
    }))
  return (settlement.payments ?? []).map(({ type, subType, amount: { amount, currency } }) => ({
    account: null,
    text: [type, subType].filter(Boolean).join(' '),
    ...bothSides(amount),
    currency,
    vatRate: null,
  }))
}

function bothSides(amount: Decimal) {
  return amount.startsWith('-')
    ? { amount, debit: null, credit: amount.slice(1) }
    : { amount, debit: amount, credit: null }
}

/** The content of a file. */
export function contentOf({ format, columns, csv }: Layout, records: readonly Rows[]): Buffer {
  if (format === 'csv') return csvOf(columns ?? [], records.flatMap(cells), csv)
  const objects = records.flatMap((rows) => {
    if ('whole' in rows) return [rows.whole]
    return rows.map((row) => Object.fromEntries((columns ?? []).map(({ header }, index) => [header, row[index]])))
  })
  const lines = objects.map((object) => JSON.stringify(object))
  return Buffer.from(format === 'ndjson' ? lines.map((line) => `${line}\n`).join('') : `[\n${lines.join(',\n')}\n]\n`)
}

function cells(rows: Rows): unknown[][] {
  if ('whole' in rows) throw new PermanentError('a whole record is no row', { code: 'bad-record' })
  return rows
}

/** A number that begins with a minus: no formula, though it looks like one to a spreadsheet. */
interface BelowZero {
  belowZero: string
}

const DECIMAL = /^-?\d+(\.\d+)?$/

/** In files for people, texts that a spreadsheet would calculate get an apostrophe; decimals stay as they are. */
function csvOf(columns: readonly WrittenColumn[], rows: readonly (readonly unknown[])[], options: CsvOptions): Buffer {
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

function cellOf(value: unknown, isDecimal: boolean, point: CsvOptions['decimal']): string | BelowZero | null {
  if (value === null || value === undefined) return null
  const text = String(value)
  if (!isDecimal || !DECIMAL.test(text)) return text
  const number = point === ',' ? text.replace('.', ',') : text
  return number.startsWith('-') ? { belowZero: number } : number
}
