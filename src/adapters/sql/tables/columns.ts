import type { GoodsLine } from '../../../domain/catalogue/goods.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import type { Money } from '../../../domain/values/money.ts'
import { storableText } from '../../../domain/values/text.ts'

/** A day, perhaps a time with up to 9 decimals (the platform writes up to 7), perhaps a zone. */
const DATETIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/i

/** The day that .NET writes where nobody has set a datetime. */
const NEVER = '0001-01-01'

/** The day of a datetime of the platform. Throws PermanentError `not-a-datetime`, which does not say what is there. */
function toDay(written: string | null): string | null {
  return read(written)?.day ?? null
}

/**
 * The wall clock of a datetime of the platform: a zone is left out, parts of a millisecond are cut off (databases round them,
 * into the next day if need be). Throws PermanentError `not-a-datetime`, which does not say what is there.
 */
function toTime(written: string | null): string | null {
  const found = read(written)
  return found && `${found.day} ${found.clock}`
}

function read(written: string | null): { day: string; clock: string } | null {
  if (written === null) return null
  const [, day = '', minutes = '00:00', seconds = '00', parts = ''] = DATETIME.exec(written.trim()) ?? []
  if (day === NEVER) return null
  const clock = `${minutes}:${seconds}.${parts.slice(0, 3).padEnd(3, '0')}`
  if (!exists(day, clock))
    throw new PermanentError('not a day and time such as 2026-08-03T16:58:28', { code: 'not-a-datetime' })
  return { day, clock }
}

function exists(day: string, clock: string): boolean {
  const instant = new Date(`${day}T${clock}Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === `${day}T${clock}Z`
}

/** The sort of a column's values; each dialect has its own type for it. `note`: text that somebody wrote, of any length. */
export type ColumnType =
  | 'key'
  | 'instant'
  | 'number'
  | 'text'
  | 'note'
  | 'decimal'
  | 'currency'
  | 'day'
  | 'time'
  | 'flag'

/** A value as a driver is given it: decimals, days and times as text, so that nothing is lost on the way. */
export type Value = string | number | boolean | null

/** A column, and what a row has there. `isPersonal`: only where the destination asks for customers. */
export interface TableColumn<Row> {
  name: string
  type: ColumnType
  isPersonal: boolean
  valueOf(row: Row): Value
}

type Read<Row, Result> = (row: Row) => Result | null | undefined

export function text<Row>(name: string, read: Read<Row, string>): TableColumn<Row> {
  return column(name, 'text', read)
}

export function note<Row>(name: string, read: Read<Row, string>): TableColumn<Row> {
  return column(name, 'note', read)
}

export function personal<Row>(name: string, read: Read<Row, string>): TableColumn<Row> {
  return { ...column(name, 'text', read), isPersonal: true }
}

export function decimal<Row>(name: string, read: Read<Row, string>): TableColumn<Row> {
  return column(name, 'decimal', read)
}

/** An amount; the column that its currency stands in is made by `currency`. */
export function amount<Row>(name: string, read: Read<Row, Money>): TableColumn<Row> {
  return column(name, 'decimal', (row) => read(row)?.amount)
}

/** The currency of all the amounts of a row that it is given. Throws PermanentError `mixed-currencies`. */
export function currency<Row>(name: string, read: (row: Row) => (Money | null)[]): TableColumn<Row> {
  return column(name, 'currency', (row) => {
    const found = new Set(read(row).flatMap((money) => money?.currency ?? []))
    if (found.size > 1)
      throw new PermanentError('amounts of one row are in several currencies', { code: 'mixed-currencies' })
    return [...found][0]
  })
}

export function flag<Row>(name: string, read: (row: Row) => boolean): TableColumn<Row> {
  return column(name, 'flag', read)
}

export function day<Row>(name: string, read: Read<Row, string>): TableColumn<Row> {
  return column(name, 'day', (row) => toDay(read(row) ?? null))
}

export function time<Row>(name: string, read: Read<Row, string>): TableColumn<Row> {
  return column(name, 'time', (row) => toTime(read(row) ?? null))
}

export function column<Row>(name: string, type: ColumnType, read: Read<Row, Exclude<Value, null>>): TableColumn<Row> {
  return {
    name,
    type,
    isPersonal: false,
    valueOf(row) {
      try {
        const value = read(row) ?? null
        return typeof value === 'string' ? storableText(value) : value
      } catch (error) {
        if (error instanceof PermanentError)
          throw new PermanentError(`${name}: ${error.message}`, { code: error.code, cause: error })
        throw error
      }
    },
  }
}

export interface Table<Booking> {
  name: string
  /** Rows of a record are told apart by `line_no`, and are replaced together. */
  hasLines: boolean
  columns: readonly Pick<TableColumn<never>, 'name' | 'type'>[]
  /** Throws a PermanentError that names a column whose value cannot be read. */
  rowsOf(booking: Booking, key: string): Value[][]
}

interface PlaceOf {
  storeNo: string | null
  stockId: string | null
  day: string | null
}

interface Define<Booking> {
  /** One row a record. */
  head(name: string, columns: TableColumn<Booking>[]): Table<Booking>
  /** Any number of rows a record, numbered from 1. */
  lines<Row>(
    name: string,
    rowsOf: (booking: Booking) => readonly Row[],
  ): (columns: readonly TableColumn<Row>[]) => Table<Booking>
}

/**
 * The tables of one kind of record; each has the key, where and when. What it gives makes them with or without the columns
 * about customers.
 */
export function defineTables<Booking>(
  placeOf: (booking: Booking) => PlaceOf,
  define: (tools: Define<Booking>) => Table<Booking>[],
): (customers: boolean) => Table<Booking>[] {
  const place: TableColumn<Booking>[] = [
    text('store_no', (booking) => placeOf(booking).storeNo),
    text('stock_id', (booking) => placeOf(booking).stockId),
    day('day', (booking) => placeOf(booking).day),
  ]

  return (customers) => {
    const isKept = ({ isPersonal }: { isPersonal: boolean }) => customers || !isPersonal
    return define({
      head(name, columns) {
        const kept = [...place, ...columns].filter(isKept)
        return {
          name,
          hasLines: false,
          columns: [KEY, ...kept],
          rowsOf: (booking, key) => [[key, ...kept.map((column) => column.valueOf(booking))]],
        }
      },
      lines: (name, rowsOf) => (columns) => {
        const kept = columns.filter(isKept)
        return {
          name,
          hasLines: true,
          columns: [KEY, LINE_NO, ...place, ...kept],
          rowsOf(booking, key) {
            const where = place.map((column) => column.valueOf(booking))
            return rowsOf(booking).map((row, index) => {
              return [key, index + 1, ...where, ...kept.map((column) => column.valueOf(row))]
            })
          },
        }
      },
    })
  }
}

const KEY = { name: 'booking_key', type: 'key' } as const
const LINE_NO = { name: 'line_no', type: 'number' } as const

/** Columns of lines that name goods. */
export function goodsColumns<Line extends GoodsLine>(): TableColumn<Line>[] {
  return [
    text('gtin', ({ gtin }) => gtin),
    text('sku', ({ sku }) => sku),
    decimal('quantity', ({ quantity }) => quantity),
  ]
}
