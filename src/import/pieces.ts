import { isUtf8 } from 'node:buffer'

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

const ENDINGS: Readonly<Record<string, Format>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
}

export function formatOf(name: string): Format | null {
  const [, ending = ''] = /\.([a-z]+)$/i.exec(name) ?? []
  return ENDINGS[ending.toLowerCase()] ?? null
}

/** Bytes of a row, or of the rows of one key. */
export const LONGEST = 4_000_000
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

export function withoutBreak(bytes: Buffer): Buffer {
  let end = bytes.length
  if (bytes[end - 1] === LF) end -= 1
  if (bytes[end - 1] === CR) end -= 1
  return bytes.subarray(0, end)
}

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

/** Cuts chunks into rows, at line ends (LF, CRLF, CR) outside of quotes. Throws an UnreadableFileError. */
export function createSplitter(quote: string | null, from: FilePosition) {
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
      if (rest.length > LONGEST)
        throw new UnreadableFileError(
          place.line,
          `more than ${LONGEST / 1e6} MB without an end begin here. Is a quote missing that ends it?`,
        )
    },
  }
}

const DELIMITERS = [';', ',', '\t', '|']

export function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }))
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best))
  return most.count > 1 ? most.delimiter : ','
}

const STRAY = 'a quote within a cell. Put the whole cell into quotes, and write each quote in it twice ("3/4"" pipe").'
const OPEN = 'a cell begins with a quote here, and no quote ends it.'

/** RFC 4180; blanks may stand around quotes. Throws an UnreadableFileError of this line. */
export function cellsOf(row: string, delimiter: string, quote: string | null, line: number): string[] {
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
