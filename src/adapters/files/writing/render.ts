import type { BookingName, Bookings } from '../../../domain/books/bookings.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { rowsAt } from './columns.ts'
import { csvOf } from './csv.ts'
import { viewOf } from './view.ts'
import type { Layout } from './write-options.ts'

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
