import { isUtf8 } from 'node:buffer'
import { parseExact } from '../lib/json.ts'
import {
  at,
  type Bound,
  bindHeader,
  type Group,
  type HeaderForm,
  LINE,
  REASON,
  type Row,
  readRow,
  SHAPES,
} from './rows.ts'

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

/** Lines from a position on, however chunked. Throws an UnreadableFileError. */
export function createLines(form: FileForm, start: { place: FilePosition; header: Header | null }) {
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

const LF = 0x0a
const CR = 0x0d

/** Nothing of the file is taken. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError'
  /** Null: the whole file. */
  readonly line: number | null
  readonly fault: string
  constructor(line: number | null, fault: string) {
    super(line === null ? fault : `Line ${line}: ${fault}`)
    this.line = line
    this.fault = fault
  }
}

export const FORMATS = ['csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

export function formatOf(name: string): Format | null {
  if (/\.(csv|tsv|txt)$/i.test(name)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(name) ? 'ndjson' : null
}

/** Bytes of a row, or of the rows of one key. */
const LONGEST = 4_000_000
export const ENCODINGS = ['utf-8', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]
const WINDOWS = new TextDecoder('windows-1252')

export function decode(bytes: Uint8Array, encoding: Encoding): string | null {
  if (encoding === 'windows-1252') return WINDOWS.decode(bytes)
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : null
}

/** Unknown characters become question marks. */
export function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  return Buffer.from(Array.from(text, (char) => windowsBytes().get(char) ?? 0x3f))
}

let known: Map<string, number> | null = null

/** Node only decodes Windows-1252. */
function windowsBytes(): Map<string, number> {
  known ??= new Map(Array.from({ length: 256 }, (_, byte) => [WINDOWS.decode(Uint8Array.of(byte)), byte]))
  return known
}

function breaksIn(bytes: Uint8Array): number {
  let count = 0
  for (let at = 0; at < bytes.length; at += 1)
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) count += 1
  return count
}

function withoutBreak(bytes: Buffer): Buffer {
  let end = bytes.length
  if (bytes[end - 1] === LF) end -= 1
  if (bytes[end - 1] === CR) end -= 1
  return bytes.subarray(0, end)
}

function markOf(first: Uint8Array, encoding: Encoding): number {
  const [a, b, c] = first
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))
    throw new UnreadableFileError(null, 'It is UTF-16: have it saved as UTF-8.')
  if (a !== 0xef || b !== 0xbb || c !== 0xbf) return 0
  if (encoding === 'utf-8') return 3
  throw new UnreadableFileError(null, `It begins with the mark of UTF-8, and config says encoding: ${encoding}.`)
}

export interface FilePosition {
  offset: number
  line: number
}

interface Piece {
  begin: FilePosition
  end: FilePosition
  bytes: Buffer
}

/** Cuts chunks into rows, at line ends (LF, CRLF, CR) outside of quotes. Throws an UnreadableFileError. */
function createSplitter(quote: string | null, from: FilePosition) {
  const mark = quote?.charCodeAt(0)
  let rest: Buffer = Buffer.alloc(0)
  let place = from

  function rowEnd(bytes: Buffer, from: number, isLast: boolean): number {
    let isQuoted = false
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at]
      if (byte === mark) isQuoted = !isQuoted
      else if (byte === LF && !isQuoted) return at + 1
      else if (byte === CR && !isQuoted) {
        if (at + 1 === bytes.length && !isLast) return -1
        return bytes[at + 1] === LF ? at + 2 : at + 1
      }
    }
    return isLast && from < bytes.length ? bytes.length : -1
  }

  return {
    *add(chunk: Uint8Array, isLast: boolean): Generator<Piece> {
      const bytes = Buffer.concat([rest, chunk])
      let at = 0
      for (let end = rowEnd(bytes, at, isLast); end !== -1; end = rowEnd(bytes, at, isLast)) {
        const piece = bytes.subarray(at, end)
        const begin = place
        place = { offset: begin.offset + piece.length, line: begin.line + breaksIn(piece) }
        at = end
        yield { begin, end: place, bytes: piece }
      }
      rest = bytes.subarray(at)
      const fault = `more than ${LONGEST / 1e6} MB without an end begin here. Is a quote missing that ends it?`
      if (rest.length > LONGEST) throw new UnreadableFileError(place.line, fault)
    },
  }
}

const DELIMITERS = [';', ',', '\t', '|']

function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }))
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best))
  return most.count > 1 ? most.delimiter : ','
}

const STRAY = 'a quote within a cell. Put the whole cell into quotes, and write each quote in it twice ("3/4"" pipe").'
const OPEN = 'a cell begins with a quote here, and no quote ends it.'

/** RFC 4180; blanks may stand around quotes. Throws an UnreadableFileError of this line. */
function cellsOf(row: string, delimiter: string, quote: string | null, line: number): string[] {
  if (quote === null || !row.includes(quote)) return row.split(delimiter)
  const cells: string[] = []
  let parts: string[] = []
  let isQuoted = false
  for (const part of row.split(delimiter)) {
    parts.push(part)
    if (part.split(quote).length % 2 === 0) isQuoted = !isQuoted
    if (isQuoted) continue
    cells.push(unquoted(parts.join(delimiter), quote, line))
    parts = []
  }
  const [open] = parts
  if (open !== undefined) throw new UnreadableFileError(line, open.trim().startsWith(quote) ? OPEN : STRAY)
  return cells
}

function unquoted(cell: string, quote: string, line: number): string {
  if (!cell.includes(quote)) return cell
  const [, inside] = new RegExp(`^${quote}([^]*)${quote}$`).exec(cell.trim()) ?? []
  const texts = inside?.split(quote + quote) ?? []
  if (inside === undefined || texts.some((text) => text.includes(quote))) throw new UnreadableFileError(line, STRAY)
  return texts.join(quote)
}
