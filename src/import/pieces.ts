import { isUtf8 } from 'node:buffer'
import { CLOSE_ARRAY, COMMA, isBlank, isClosing, OPEN_ARRAY, openValue, valueEnd } from '../lib/json.ts'

/** Cuts a file into CSV rows, NDJSON lines or JSON elements, however it is chunked. */

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

export const FORMATS = ['csv', 'json', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

const ENDINGS: Readonly<Record<string, Format>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
}

/** By the ending of its name. */
export function formatOf(name: string): Format | null {
  const [, ending = ''] = /\.([a-z]+)$/i.exec(name) ?? []
  return ENDINGS[ending.toLowerCase()] ?? null
}

/** Bytes of a row, or of all rows of one key. */
export const LONGEST = 4_000_000
export const ENCODINGS = ['utf-8', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]
const WINDOWS = new TextDecoder('windows-1252')

/** Null: not in this encoding. */
export function decode(bytes: Uint8Array, encoding: Encoding): string | null {
  if (encoding === 'windows-1252') return WINDOWS.decode(bytes)
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : null
}

/** Characters that the encoding lacks become a question mark. */
export function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  return Buffer.from(Array.from(text, (char) => windowsBytes().get(char) ?? 0x3f))
}

let known: Map<string, number> | null = null

/** Node decodes Windows-1252, and does not encode it. */
function windowsBytes(): Map<string, number> {
  known ??= new Map(Array.from({ length: 256 }, (_, byte) => [WINDOWS.decode(Uint8Array.of(byte)), byte]))
  return known
}

export function breaksIn(bytes: Uint8Array): number {
  let count = 0
  for (let at = 0; at < bytes.length; at += 1)
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) count += 1
  return count
}

export function withoutBreak(bytes: Buffer): Buffer {
  let end = bytes.length
  if (bytes[end - 1] === LF) end -= 1
  if (bytes[end - 1] === CR) end -= 1
  return bytes.subarray(0, end)
}

/** The length of the BOM. */
export function markOf(first: Uint8Array, encoding: Encoding): number {
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

/** The end of the piece that begins at `at`; -1: more bytes are needed. Throws a BrokenError. */
export type EndOf = (bytes: Buffer, at: number, isLast: boolean) => number

class BrokenError extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** Throws an UnreadableFileError. */
export function createSplitter(endOf: EndOf, from: FilePosition) {
  let rest: Buffer = Buffer.alloc(0)
  let place = from

  function nextEnd(bytes: Buffer, at: number, isLast: boolean): number {
    try {
      return at < bytes.length ? endOf(bytes, at, isLast) : -1
    } catch (error) {
      if (!(error instanceof BrokenError)) throw error
      throw new UnreadableFileError(place.line + breaksIn(bytes.subarray(at, error.at)), error.message)
    }
  }

  return {
    *add(chunk: Uint8Array, isLast: boolean): Generator<Piece> {
      const bytes = Buffer.concat([rest, chunk])
      let at = 0
      for (let end = nextEnd(bytes, at, isLast); end !== -1; end = nextEnd(bytes, at, isLast)) {
        const piece = bytes.subarray(at, end)
        const begin = place
        place = { offset: begin.offset + piece.length, line: begin.line + breaksIn(piece) }
        at = end
        yield { begin, end: place, bytes: piece }
      }
      rest = bytes.subarray(at)
      if (rest.length > LONGEST)
        throw new UnreadableFileError(
          place.line,
          `more than ${LONGEST / 1e6} MB without an end begin here. Is a quote or a bracket missing that ends it?`,
        )
    },
  }
}

export interface Dialect {
  delimiter: string | null
  /** Null: no quoting. */
  quote: string | null
}

const BLANK = 0x20
const TAB = 0x09
const DELIMITERS = [';', ',', '\t', '|']

/** RFC 4180; CR alone ends a row, too, and blanks may stand around quotes. */
export function csvEnd(dialect: Dialect): EndOf {
  return (bytes, at, isLast) => {
    const quote = dialect.quote === null ? -1 : dialect.quote.charCodeAt(0)
    const between = (dialect.delimiter === null ? DELIMITERS : [dialect.delimiter]).map((one) => one.charCodeAt(0))
    let begins = true
    let closed = false
    let place = at
    while (place < bytes.length) {
      const byte = bytes[place] ?? 0
      if (byte === LF) return place + 1
      if (byte === CR) {
        if (place + 1 === bytes.length && !isLast) return -1
        return bytes[place + 1] === LF ? place + 2 : place + 1
      }
      if (between.includes(byte)) {
        begins = true
        closed = false
      } else if (byte === quote) {
        if (!begins) throw new BrokenError(STRAY, place)
        const end = endOfQuoted(bytes, place, quote, isLast)
        if (end === -1) return -1
        place = end - 1
        begins = false
        closed = true
      } else if (byte !== BLANK && byte !== TAB) {
        if (closed) throw new BrokenError(STRAY, place)
        begins = false
      }
      place += 1
    }
    return isLast ? place : -1
  }
}

/** -1: more bytes are needed. */
function endOfQuoted(bytes: Buffer, at: number, quote: number, isLast: boolean): number {
  for (let from = at + 1; ; ) {
    const found = bytes.indexOf(quote, from)
    if (found === -1 && isLast) throw new BrokenError('a cell begins with a quote here, and no quote ends it.', at)
    if (found === -1 || (found + 1 === bytes.length && !isLast)) return -1
    if (bytes[found + 1] !== quote) return found + 1
    from = found + 2
  }
}

const STRAY = 'a quote within a cell. Put the whole cell into quotes, and write each quote in it twice ("3/4"" pipe").'

/** The most frequent one outside quotes. */
export function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }))
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best))
  return most.count > 1 ? most.delimiter : ','
}

/** Of a complete row. */
export function cellsOf(row: string, delimiter: string, quote: string | null): string[] {
  if (quote === null || !row.includes(quote)) return row.split(delimiter)
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < row.length; at += 1) {
    const char = row[at] ?? ''
    if (quoted && char === quote && row[at + 1] === quote) {
      cell += quote
      at += 1
    } else if (char === quote) quoted = !quoted
    else if (char === delimiter && !quoted) {
      cells.push(cell)
      cell = ''
    } else cell += char
  }
  return [...cells, cell]
}

export const lineEnd: EndOf = (bytes, from, isLast) => bytes.indexOf(LF, from) + 1 || (isLast ? bytes.length : -1)

/** Before the file, after an element of its array, or after one of several values. */
export type JsonPlace = 'start' | 'array' | 'values'

/** Elements of an array, each with what stands before it, or values in sequence. `moved` reports the place after each. */
export function jsonEnd(begin: JsonPlace, moved: (place: JsonPlace) => void): EndOf {
  let after: JsonPlace | 'end' = begin
  return (bytes, from, isLast) => {
    let place: JsonPlace | 'first' | 'next' | 'end' = after
    let at = from
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0
      if (isBlank(byte)) continue
      if (place === 'end') throw notJson('more text after the end of the array.', at)
      if (place === 'start' && byte === OPEN_ARRAY) place = 'first'
      else if (place === 'array' && byte === COMMA) place = 'next'
      else if ((place === 'array' || place === 'first') && byte === CLOSE_ARRAY) place = 'end'
      else break
    }
    if (at === bytes.length) {
      if (!isLast) return -1
      if (place === 'first' || place === 'next' || place === 'array')
        throw notJson('the array has no end. Is the file cut off?', at)
      after = place
      return at
    }
    const byte = bytes[at] ?? 0
    if (place === 'array' || byte === COMMA || isClosing(byte))
      throw notJson(
        `"${String.fromCharCode(byte)}" where ${place === 'array' ? 'a comma or the end' : 'an item'} should be.`,
        at,
      )
    const end = elementEnd(bytes, at, isLast)
    if (end === -1) return -1
    after = place === 'first' || place === 'next' ? 'array' : 'values'
    moved(after)
    return end
  }
}

/** The element within a piece. */
export function elementIn(bytes: Buffer, isFirst: boolean): { at: number; bytes: Buffer } | null {
  let mayOpen = isFirst
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    const opens = mayOpen && byte === OPEN_ARRAY
    if (opens) mayOpen = false
    if (!opens && !isBlank(byte) && byte !== COMMA && byte !== CLOSE_ARRAY) return { at, bytes: bytes.subarray(at) }
  }
  return null
}

function elementEnd(bytes: Buffer, from: number, isLast: boolean): number {
  const open = openValue()
  const end = valueEnd(bytes, from, open, refuse)
  if (end !== -1 || !isLast) return end
  if (open.bare) return bytes.length
  throw notJson('what begins here has no end. Is the file cut off?', from)
}

function refuse(at: number): never {
  throw notJson('a line break or control character within a text.', at)
}

function notJson(why: string, at: number): BrokenError {
  return new BrokenError(`this is not JSON: ${why}`, at)
}
