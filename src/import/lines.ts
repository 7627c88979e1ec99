import { parseExact } from '../lib/json.ts'
import { type Group, SHAPES } from './fields.ts'
import {
  cellsOf,
  createSplitter,
  decode,
  delimiterOf,
  type Encoding,
  type FilePosition,
  type Format,
  LONGEST,
  markOf,
  UnreadableFileError,
  withoutBreak,
} from './pieces.ts'
import { at, type Bound, bindHeader, type HeaderForm, LINE, REASON, type Row, readRow } from './rows.ts'

export interface Header {
  delimiter: string
  columns: readonly Bound[]
  cells: number
  raw: Buffer
  lineEnd: string
}

export interface FileForm extends HeaderForm {
  format: Format
  encoding: Encoding
  csv: { delimiter: string | null; quote: string | null; decimal: '.' | ',' | null }
}

interface Start {
  place: FilePosition
  header: Header | null
}

/** Lines from a position on, however chunked. Throws an UnreadableFileError. */
export function createLines(form: FileForm, start: Start) {
  const { resource, format, encoding, columns: template, csv, hints } = form
  let { header } = start
  let begin = start.place
  const splitter = createSplitter(format === 'csv' ? csv.quote : null, start.place)
  const grouping = createGrouping(format === 'csv' || template ? SHAPES[resource].group : null)

  function textOf(bytes: Buffer, line: number): string {
    const text = decode(bytes, encoding)
    if (text !== null) return text
    throw new UnreadableFileError(line, `this is not UTF-8. ${hints.notUtf8}`)
  }

  function readHeader(text: string, raw: Buffer, bytes: Buffer, line: number): Header {
    const delimiter = csv.delimiter ?? delimiterOf(text)
    const cells = cellsOf(text, delimiter, csv.quote, line)
    const columns = bindHeader(form, cells)
    if (typeof columns === 'string') throw new UnreadableFileError(line, columns)
    const lineEnd = bytes.subarray(raw.length).toString('latin1') || '\n'
    return { delimiter, columns, cells: cells.length, raw, lineEnd }
  }

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
    const cells = cellsOf(text, delimiter, csv.quote, from.line)
    if (cells.every((cell) => cell.trim() === '')) return null
    const numbers = { decimal: csv.decimal, commas: delimiter === ';', saidBy: hints.decimal }
    const row = readRow(columns, (column) => cells[column.at], numbers)
    if (cells.length < expected || cells.slice(expected).some((cell) => cell.trim() !== ''))
      row.faults.push(`the row has ${cells.length} cells, the header has ${expected}`)
    return { raw: { line: from.line, bytes: raw }, end, content: row }
  }

  function readJson(bytes: Buffer, from: FilePosition, end: FilePosition): Entry | null {
    const raw = withoutBreak(bytes)
    const text = textOf(raw, from.line).trim()
    return text === '' ? null : { raw: { line: from.line, bytes: Buffer.from(raw) }, end, content: contentOf(text) }
  }

  function contentOf(text: string): Entry['content'] {
    let value: unknown
    try {
      // Longer numbers stay text.
      value = parseExact(text, (typed) => typed)
    } catch {
      return { faults: ['this is not JSON'] }
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { faults: ['this is no object {…}'] }
    const { [LINE]: _, [REASON]: __, ...object } = value as Record<string, unknown>
    if (!template) return { value: object }
    const numbers = { decimal: null, commas: false, saidBy: hints.decimal }
    return readRow(template, ({ from }) => (from === null ? undefined : at(object, from)), numbers)
  }

  const entryOf = format === 'csv' ? readCsv : readJson

  return {
    *add(chunk: Uint8Array): Generator<Line> {
      yield* take(chunk, false)
    },
    *end(): Generator<Line> {
      yield* take(new Uint8Array(), true)
      yield* grouping.end()
    },
    known: (): { begin: FilePosition; header: Header | null } => ({ begin, header }),
  }

  function* take(chunk: Uint8Array, isLast: boolean): Generator<Line> {
    for (const piece of splitter.add(chunk, isLast)) {
      const entry = entryOf(piece.bytes, piece.begin, piece.end)
      if (entry) yield* grouping.add(entry)
    }
  }
}

const MAX_APART = 1_000

/** A complete file. Rows of one key that are not adjacent are faults: a product would lose sizes. */
export function createFileReader(form: FileForm) {
  const begun = new Map<string, number>()
  const separate = new Map<number, number>()
  let mark = 0
  let lines: ReturnType<typeof createLines> | null = null

  function begin(first: Uint8Array): ReturnType<typeof createLines> {
    mark = markOf(first, form.encoding)
    lines = createLines(form, { place: { offset: mark, line: 1 }, header: null })
    return lines
  }

  function* numbered(all: Iterable<Line>): Generator<Line> {
    for (const one of all) {
      const before = one.key === null ? undefined : begun.get(one.key)
      if (before !== undefined) {
        separate.set(one.line, before)
        one.faults.push(apartFault(one, before))
      } else if (one.key !== null) begun.set(one.key, one.line)
      if (separate.size > MAX_APART)
        throw new UnreadableFileError(
          one.line,
          `${one.key} stood on line ${before} already, and more than ${MAX_APART} lines are like this. Rows that belong together stand together: sort the file.`,
        )
      yield one
    }
  }

  return {
    *add(chunk: Uint8Array): Generator<Line> {
      if (lines) yield* numbered(lines.add(chunk))
      else yield* numbered(begin(chunk).add(chunk.subarray(mark)))
    },
    *end(): Generator<Line> {
      const reading = lines ?? begin(new Uint8Array())
      yield* numbered(reading.end())
      begun.clear()
    },
    known() {
      return { ...(lines ?? begin(new Uint8Array())).known(), isMarked: mark > 0, separate }
    },
  }
}

export function apartFault({ key }: Line, before: number): string {
  return `${key} stood on line ${before} already: rows that belong together stand together`
}

export interface Raw {
  line: number
  bytes: Buffer
}

export interface Line {
  line: number
  key: string | null
  value: Record<string, unknown>
  faults: string[]
  raws: Raw[]
  end: FilePosition
}

interface Entry {
  raw: Raw
  end: FilePosition
  content: Row | { value: Record<string, unknown> } | { faults: string[] }
}

function createGrouping(group: Group | null) {
  let open: Line | null = null
  let bytes = 0

  function close(): Line[] {
    const closed = open
    open = null
    return closed ? [closed] : []
  }

  function begin({ raw, end, content }: Entry): Line {
    const common = { line: raw.line, key: null, value: {}, faults: [], raws: [raw], end }
    if ('value' in content) return { ...common, value: content.value }
    if (!('whole' in content)) return { ...common, faults: content.faults }
    const { whole, part, faults } = content
    if (!group) return { ...common, value: { ...whole, ...part }, faults }
    const key = whole[group.key]
    if (key === undefined) faults.push(`${group.key}: each row must have it`)
    const rows = Object.keys(part).length > 0 ? { [group.rows]: [part] } : {}
    return { ...common, key: typeof key === 'string' ? key : null, value: { ...whole, ...rows }, faults }
  }

  function extend(into: Line, { raw, end, content }: Entry & { content: Row }, { key, rows }: Group): void {
    const { whole, part, faults } = content
    for (const [name, value] of Object.entries(whole)) {
      const known = into.value[name]
      if (known === undefined) into.value[name] = value
      else if (JSON.stringify(known) !== JSON.stringify(value))
        into.faults.push(`line ${raw.line}: it has another ${name} than the rows of ${into.value[key]} before it`)
    }
    into.faults.push(...faults.map((fault) => `line ${raw.line}: ${fault}`))
    if (Object.keys(part).length > 0) {
      into.value[rows] ??= []
      ;(into.value[rows] as object[]).push(part)
    }
    into.raws.push(raw)
    into.end = end
    bytes += raw.bytes.length
    if (bytes > LONGEST)
      throw new UnreadableFileError(
        into.line,
        `more than ${LONGEST / 1e6} MB of rows of one ${key} begin here; it is taken in one piece.`,
      )
  }

  return {
    add(entry: Entry): Line[] {
      const { content } = entry
      if (group && open && open.key !== null && 'whole' in content && content.whole[group.key] === open.key) {
        extend(open, { ...entry, content }, group)
        return []
      }
      const before = close()
      open = begin(entry)
      bytes = entry.raw.bytes.length
      return before
    },
    end: close,
  }
}
