import { PermanentError } from '../../../domain/values/errors.ts'
import { suggest } from '../../../lib/suggest.ts'
import type { Leaf, Shape } from './records.ts'

/** One column of a file, or one field of an object in it. */
export interface WrittenColumn {
  header: string
  /** `object`: something with parts, which only JSON can hold. */
  type: Leaf | 'object'
  read(row: RowView): unknown
}

/** The parts that a row is made of. */
interface RowView {
  view: unknown
  /** One of a list of the record; null: the record has no such list, or none in it. */
  row: unknown
  /** From 1, within its record. */
  number: number
}

type Parts = { readonly [Name in string]: Shape }

/** Reads columns as config has them; `rows`: the path of the list that has a row for each. `fault` is told what is wrong. */
export function readColumns(
  written: Readonly<Record<string, string>>,
  rows: string | null,
  shape: Parts,
  fault: (path: string[], message: string) => void,
): WrittenColumn[] {
  const list = rows === null ? null : listAt(rows, shape, (message) => fault(['rows'], message))
  const parts: Parts = { ...shape, rowNo: 'decimal', ...(list !== null && { row: list }) }
  return Object.entries(written).flatMap(([header, source]) => {
    const column = readColumn(header, source, parts)
    if (typeof column !== 'string') return [column]
    fault(['columns', header], column)
    return []
  })
}

/** The list at a path of a record. */
export function rowsAt(view: unknown, path: string): unknown[] {
  const found = valueAt(view, path.split('.'))
  if (found === null) return []
  if (Array.isArray(found)) return found
  throw new PermanentError(`${path} is no list`, { code: 'bad-record' })
}

/** A text: what is wrong with it. */
function readColumn(header: string, source: string, parts: Parts): WrittenColumn | string {
  if (source.startsWith('=')) {
    const constant = source.slice(1)
    return { header, type: 'text', read: () => constant }
  }
  const names = source.split('.')
  const found = shapeAt(names, parts)
  if ('fault' in found) return found.fault
  const type = typeof found.shape === 'string' ? found.shape : 'object'
  if (source === 'rowNo') return { header, type, read: ({ number }) => String(number) }
  const [first, ...rest] = names
  if (first === 'row') return { header, type, read: ({ row }) => valueAt(row, rest) }
  return { header, type, read: ({ view }) => valueAt(view, names) }
}

function listAt(path: string, shape: Parts, fault: (message: string) => void): Shape | null {
  const found = shapeAt(path.split('.'), shape)
  if ('fault' in found) fault(found.fault)
  else if (isList(found.shape)) return found.shape[0]
  else fault('Is no list.')
  return null
}

/** Follows a path; a number is a place in a list, from 0. */
function shapeAt(names: readonly string[], parts: Parts): { shape: Shape } | { fault: string } {
  let shape: Shape = parts
  for (const [index, name] of names.entries()) {
    const found: Shape | undefined = isList(shape)
      ? /^\d{1,3}$/.test(name)
        ? shape[0]
        : undefined
      : typeof shape === 'object' && Object.hasOwn(shape, name)
        ? shape[name]
        : undefined
    if (found === undefined) return { fault: missing(names.slice(0, index).join('.'), name, shape) }
    shape = found
  }
  return { shape }
}

function missing(before: string, name: string, shape: Shape): string {
  const of = before === '' ? 'The record' : before
  if (typeof shape === 'string') return `${of} has no parts.`
  if (isList(shape)) return `${of} is a list: give it as rows and begin here with row, or give a place in it, from 0.`
  const names = Object.keys(shape)
  const near = suggest(name, names)
  const has = near === null ? `it has ${names.join(', ')}` : `did you mean ${near}?`
  return `${of} has no ${name}: ${has}.`
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}

/** The value at a path; null where nothing is there. */
function valueAt(value: unknown, names: readonly string[]): unknown {
  let found = value
  for (const name of names) {
    if (typeof found !== 'object' || found === null) return null
    found = (found as Record<string, unknown>)[name]
  }
  return found ?? null
}
