import type { Found, PushColumn } from './columns.ts'
import { type DecimalSign, readNumber } from './decimal.ts'

/** How the cells of a file are written. */
export interface Writing {
  sign: DecimalSign | null
  /** Semicolons stand between cells, so commas may stand in numbers. */
  commas: boolean
}

/** Values of a row by field name; what the cell left empty is not there. */
type Fields = Record<string, unknown>

/** A row, read: fields of the thing, fields of its size, and what is wrong. */
export interface ReadRow {
  fields: Fields
  size: Fields
  faults: string[]
}

/** Reads the cells of a row by the columns of its file. */
export function readCells(cells: readonly string[], columns: readonly Found[], writing: Writing): ReadRow {
  const row: ReadRow = { fields: {}, size: {}, faults: [] }
  const surplus = cells.slice(columns.length).some((cell) => cell.trim() !== '')
  if (cells.length < columns.length || surplus)
    row.faults.push(`The row has ${cells.length} cells, the header has ${columns.length}.`)
  for (const [index, found] of columns.entries()) {
    const cell = cells[index]?.trim() ?? ''
    if (!found || cell === '') continue
    const { column, own } = found
    const value = readCell(cell, column, writing)
    if ('fault' in value) row.faults.push(`${column.name}${own ?? ''}: ${value.fault}`)
    else put(column.of === 'size' ? row.size : row.fields, found, value.value)
  }
  return row
}

function put(into: Fields, { column, own }: NonNullable<Found>, value: unknown): void {
  if (own === null || !column.own) {
    into[column.name] = value
    return
  }
  const name = column.name.slice(0, -1)
  const one = column.own.of === 'list' ? { pricelistName: own, price: value } : { stockId: own, qty: value }
  into[name] = [...((into[name] as unknown[] | undefined) ?? []), one]
}

function readCell(cell: string, { as }: PushColumn, { sign, commas }: Writing): { value: unknown } | { fault: string } {
  if (as === 'decimal') {
    const read = readNumber(cell, { sign, commas })
    return 'fault' in read ? read : { value: read.decimal }
  }
  if (as === 'boolean') {
    if (/^(true|yes|1)$/i.test(cell)) return { value: true }
    if (/^(false|no|0)$/i.test(cell)) return { value: false }
    return { fault: `"${cell.slice(0, 60)}" is neither true nor false.` }
  }
  if (as === 'whole')
    return /^\d{1,15}$/.test(cell) ? { value: Number(cell) } : { fault: `"${cell.slice(0, 60)}" is no whole number.` }
  if (as === 'urls') return { value: cell.split(/[\s|]+/).filter((url) => url !== '') }
  // 7.04E+12: the last digits of a GTIN are lost for good.
  if (as === 'code' && /^\d([.,]\d+)?E\+\d+$/i.test(cell))
    return { fault: `"${cell}" was a long number until a spreadsheet shortened it. Format its column as text there.` }
  return { value: cell }
}
