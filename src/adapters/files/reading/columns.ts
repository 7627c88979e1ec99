import type { IntakeLine } from '../../../ports/intake.ts'
import { findField, missingFields, type Named, nameOf, otherFields, plain } from './fields.ts'
import { type Numbers, readValue } from './values.ts'

/** A field, and where a file has it. */
export interface ReadColumn {
  named: Named
  /** A header of CSV, or a path in an object of JSON; null: it is always the same. */
  from: string | null
  constant: unknown
}

/** A column of a file of CSV that was found in its header. */
export interface Bound extends ReadColumn {
  /** The column's place in a row; -1: the value is always the same. */
  at: number
}

/** The content of a row: fields of the whole, fields of its size or order line, and what is wrong. */
export interface Row {
  whole: Record<string, unknown>
  part: Record<string, unknown>
  faults: string[]
}

/** In a reject file: which row it was, and why it was refused. Whoever gives the file back need not remove them. */
export const LINE = 'TillbridgeLine'
export const REASON = 'TillbridgeReason'

/** Reads columns as config has them. `fault` is told what is wrong. */
export function readTemplate(
  resource: IntakeLine,
  written: Readonly<Record<string, string>>,
  fault: (path: string[], message: string) => void,
): ReadColumn[] {
  const seen = new Set<string>()
  const columns = Object.entries(written).flatMap(([name, from]): ReadColumn[] => {
    const named = findField(resource, name)
    const wrong = (message: string) => {
      fault(['columns', name], message)
      return []
    }
    if (!named) return wrong(`Is no field of ${resource}: ${otherFields(resource, name)}.`)
    if (seen.has(plain(nameOf(named)))) return wrong('Is given twice.')
    seen.add(plain(nameOf(named)))
    if (!from.startsWith('=')) return [{ named, from, constant: null }]
    const read = readValue(from.slice(1), named.field.as, { decimal: '.', commas: false })
    if (read && 'value' in read) return [{ named, from: null, constant: read.value }]
    return wrong(read ? `Is the same in all rows, but: ${read.fault}.` : 'Is empty in all rows: leave it out.')
  })
  const missing = missingFields(resource, columns)
  if (missing.length > 0) fault(['columns'], `Must have ${missing.join(', ')}.`)
  return columns
}

/** Finds columns in a header: by the template, or by the names of fields. A text says what is wrong with the header. */
export function bindHeader(
  resource: IntakeLine,
  template: readonly ReadColumn[] | null,
  header: readonly string[],
): Bound[] | string {
  const cells = header.map(plain)
  return template ? bindTemplate(template, cells, header) : bindNames(resource, cells, header)
}

function bindTemplate(
  template: readonly ReadColumn[],
  cells: readonly string[],
  header: readonly string[],
): Bound[] | string {
  const bound = template.map((column) => ({
    ...column,
    at: column.from === null ? -1 : cells.indexOf(plain(column.from)),
  }))
  const missing = bound.find(({ from, at }) => from !== null && at === -1)
  if (missing) return `There is no column "${missing.from}" in the header, which has ${listed(header)}.`
  const twice = bound.find(({ at }) => at !== -1 && at !== cells.lastIndexOf(cells[at] ?? ''))
  return twice ? `The column "${twice.from}" stands twice in the header.` : bound
}

function bindNames(resource: IntakeLine, cells: readonly string[], header: readonly string[]): Bound[] | string {
  const bound: Bound[] = []
  const names = new Set<string>()
  for (const [at, cell] of cells.entries()) {
    if (['', plain(LINE), plain(REASON)].includes(cell)) continue
    const from = header[at]?.trim() ?? ''
    const named = findField(resource, from)
    if (!named)
      return `The column "${from}" is not known: ${otherFields(resource, from)}. Other names go into columns in config.`
    const name = plain(nameOf(named))
    if (names.has(name)) return `The column "${from}" stands twice in the header.`
    names.add(name)
    bound.push({ named, from, constant: null, at })
  }
  const missing = missingFields(resource, bound)
  return missing.length > 0 ? `The header lacks ${missing.join(', ')}. It has ${listed(header)}.` : bound
}

/** Reads a row; `rawOf` gives what stands at a column. */
export function readRow<Of extends ReadColumn>(
  columns: readonly Of[],
  rawOf: (column: Of) => unknown,
  numbers: Numbers,
): Row {
  const row: Row = { whole: {}, part: {}, faults: [] }
  for (const column of columns) {
    const { named, from, constant } = column
    const read = from === null ? { value: constant } : readValue(rawOf(column), named.field.as, numbers)
    if (read === null) continue
    if ('value' in read) put(named.field.ofRow ? row.part : row.whole, named, read.value)
    else row.faults.push(`${nameOf(named)}: ${read.fault}`)
  }
  return row
}

function put(into: Record<string, unknown>, { field: { name, own: ofWhat }, own }: Named, value: unknown): void {
  if (ofWhat === null) {
    into[name] = value
    return
  }
  const one = ofWhat === 'stock' ? { stockId: own, qty: value } : { pricelistName: own, price: value }
  into[name] ??= []
  ;(into[name] as unknown[]).push(one)
}

/** The value at a path of an object; a key may have dots in it, too. */
export function at(object: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(object, path)) return object[path]
  let found: unknown = object
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

function listed(header: readonly string[]): string {
  const shown = header.slice(0, 40).map((cell) => cell.trim())
  return `${shown.join(', ').slice(0, 1_000)}${header.length > shown.length ? ' …' : ''}`
}
