import { parseExact } from '../../../lib/exact-json.ts'
import type { Source } from '../read-options.ts'
import { at, type Bound, bindHeader, LINE, REASON, readRow } from './columns.ts'
import { cellsOf, csvEnd, type Dialect, delimiterOf } from './csv.ts'
import { SHAPES } from './fields.ts'
import { createGrouping, type Entry, type Line } from './grouping.ts'
import { elementIn, type JsonPlace, jsonEnd } from './json.ts'
import { createSplitter, type EndOf, type FilePosition } from './splitting.ts'
import { breaksIn, decode, LF, withoutBreak } from './text.ts'
import { UnreadableFileError } from './unreadable-file.ts'

const BLANK = Uint8Array.of(0x20)

/** The header of a file of CSV, as it was understood. */
export interface Header {
  delimiter: string
  columns: readonly Bound[]
  /** How many cells it has. */
  cells: number
  /** As it stands there, without the end of its line. */
  raw: Buffer
  lineEnd: string
}

/** Where reading begins, and what is known of the file by then. */
export interface Start {
  place: FilePosition
  /** Null: it is yet to come. */
  header: Header | null
  json: JsonPlace
}

/**
 * The lines of a file, from a place on, wherever its chunks end. Throws an UnreadableFileError where it cannot be read as
 * what it should be.
 */
export function createLines(source: Source, start: Start) {
  const { resource, format, encoding, columns: template } = source
  let { header, json } = start
  /** After the header, or before everything where there is none. */
  let begin = start.place
  const dialect: Dialect = { delimiter: header?.delimiter ?? source.csv.delimiter, quote: source.csv.quote }
  const splitter = createSplitter(endOf(), start.place)
  const grouping = createGrouping(format === 'csv' || template ? SHAPES[resource].group : null)
  let isFirst = start.json === 'start'

  function endOf(): EndOf {
    if (format === 'csv') return csvEnd(dialect)
    if (format === 'ndjson') return (bytes, from, isLast) => bytes.indexOf(LF, from) + 1 || (isLast ? bytes.length : -1)
    return jsonEnd(json, (place) => {
      json = place
    })
  }

  function textOf(bytes: Buffer, line: number): string {
    const text = decode(bytes, encoding)
    if (text !== null) return text
    throw new UnreadableFileError(
      `Line ${line}: this is not UTF-8. If the file is Windows-1252, as spreadsheets save it: encoding: windows-1252 in config.`,
    )
  }

  function readHeader(text: string, raw: Buffer, bytes: Buffer, line: number): Header {
    const delimiter = dialect.delimiter ?? delimiterOf(text)
    dialect.delimiter = delimiter
    const cells = cellsOf(text, delimiter, dialect.quote)
    const columns = bindHeader(resource, template, cells)
    if (typeof columns === 'string') throw new UnreadableFileError(`Line ${line}: ${columns}`)
    const lineEnd = bytes.subarray(raw.length).toString('latin1') || '\n'
    return { delimiter, columns, cells: cells.length, raw, lineEnd }
  }

  /** Null: a row without anything in it, or the header. */
  function readCsv(bytes: Buffer, from: FilePosition, end: FilePosition): Entry | null {
    const raw = withoutBreak(bytes)
    const text = textOf(raw, from.line)
    if (text.trim() === '') return null
    if (header === null) {
      header = readHeader(text, raw, bytes, from.line)
      begin = end
      return null
    }
    const { delimiter, columns, cells: expected } = header
    const cells = cellsOf(text, delimiter, dialect.quote)
    if (cells.every((cell) => cell.trim() === '')) return null
    const numbers = { decimal: source.csv.decimal, commas: delimiter === ';' }
    const row = readRow(columns, (column) => cells[column.at], numbers)
    if (cells.length < expected || cells.slice(expected).some((cell) => cell.trim() !== ''))
      row.faults.push(`the row has ${cells.length} cells, the header has ${expected}`)
    return { raw: { line: from.line, bytes: raw }, end, content: row }
  }

  function readJson(bytes: Buffer, line: number, end: FilePosition): Entry | null {
    const text = textOf(bytes, line).trim()
    return text === '' ? null : { raw: { line, bytes: Buffer.from(bytes) }, end, content: contentOf(text) }
  }

  function contentOf(text: string): Entry['content'] {
    let value: unknown
    try {
      // Digits that a number cannot hold stay, as text.
      value = parseExact(text, (typed) => typed)
    } catch {
      return { faults: ['this is not JSON'] }
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { faults: ['this is no object {…}'] }
    const { [LINE]: _, [REASON]: __, ...object } = value as Record<string, unknown>
    if (!template) return { value: object }
    const numbers = { decimal: null, commas: false }
    return readRow(template, ({ from }) => (from === null ? undefined : at(object, from)), numbers)
  }

  function entryOf({
    begin: from,
    end,
    bytes,
  }: {
    begin: FilePosition
    end: FilePosition
    bytes: Buffer
  }): Entry | null {
    if (format === 'csv') return readCsv(bytes, from, end)
    if (format === 'ndjson') return readJson(withoutBreak(bytes), from.line, end)
    const element = elementIn(bytes, isFirst)
    isFirst = false
    return element && readJson(element.bytes, from.line + breaksIn(bytes.subarray(0, element.at)), end)
  }

  return {
    /** The lines that are over with this chunk. */
    *add(chunk: Uint8Array): Generator<Line> {
      yield* take(chunk, false)
    },
    /** The rest. */
    *end(): Generator<Line> {
      // Whether an array is cut off shows at what comes after its last element.
      yield* take(format === 'json' ? BLANK : new Uint8Array(), true)
      yield* grouping.end()
    },
    /** To begin there anew. */
    known: (): { begin: FilePosition; header: Header | null; json: JsonPlace } => ({ begin, header, json }),
  }

  function* take(chunk: Uint8Array, isLast: boolean): Generator<Line> {
    for (const piece of splitter.add(chunk, isLast)) {
      const entry = entryOf(piece)
      if (entry) yield* grouping.add(entry)
    }
  }
}
