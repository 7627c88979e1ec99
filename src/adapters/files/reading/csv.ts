import { BrokenError, type EndOf } from './splitting.ts'
import { CR, LF } from './text.ts'

/** How a file of CSV is written. */
export interface Dialect {
  /** Null: not known before the header was read. */
  delimiter: string | null
  /** Null: a quote is a character like any other. */
  quote: string | null
}

const DELIMITERS = [';', ',', '\t', '|']

/** Rows as RFC 4180 has them; a carriage return alone ends one, too, and blanks may stand around quotes. */
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
      } else if (!isBlank(byte)) {
        if (closed) throw new BrokenError(STRAY, place)
        begins = false
      }
      place += 1
    }
    return isLast ? place : -1
  }
}

/** After the quote that ends it; -1: not yet. */
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

/** The one that stands most often outside quotes; a single column has none. */
export function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }))
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best))
  return most.count > 1 ? most.delimiter : ','
}

/** The cells of a row that has an end. */
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

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09
}
