import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { UserError } from '../../domain/values/errors.ts'
import { breaksIn } from './text.ts'

/** A row of a CSV file. */
export interface Row {
  /** The line of the file, from 1, where the row begins. */
  line: number
  cells: string[]
}

/** A character that may stand between cells. */
export type Delimiter = ',' | ';' | '\t'

/**
 * The rows of CSV text (RFC 4180: quotes, line breaks in them), the header too; empty lines are left out. What stands
 * between cells is read off the header. Give the text of a whole file, in pieces of any size.
 *
 * Throws a UserError that names the line where quotes go wrong.
 */
export async function* readRows(
  text: AsyncIterable<string>,
  found: (delimiter: Delimiter) => void = () => {},
): AsyncGenerator<Row> {
  const pieces = text[Symbol.asyncIterator]()
  let head = ''
  let end = -1
  while (end === -1) {
    const { done, value } = await pieces.next()
    if (done) break
    head += value
    end = endOfHeader(head)
  }
  const delimiter = delimiterOf(end === -1 ? head : head.slice(0, end))
  found(delimiter)
  yield* parsed(withHead(head, pieces), delimiter)
}

async function* parsed(text: AsyncIterable<string>, delimiter: Delimiter): AsyncGenerator<Row> {
  let line = 1
  /** Where the rows begin that are parsed and not given yet: the parser is ahead, and its faults have lines too. */
  const begun: number[] = []
  const parser = parse({
    delimiter,
    bom: true,
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: MAX_ROW_LENGTH,
    on_record(cells) {
      const empty = cells.length === 1 && cells[0] === ''
      if (!empty) begun.push(line)
      line += 1
      for (const cell of cells) line += breaksInCell(cell)
      return empty ? null : cells
    },
  })
  const fed = pipeline(Readable.from(text, { objectMode: true }), parser)
  // A failure of feeding is the loop's too.
  fed.catch(() => {})
  try {
    for await (const cells of parser as AsyncIterable<string[]>) yield { line: begun.shift() ?? line, cells }
    await fed
  } catch (error) {
    if (error instanceof CsvError) throw new UserError(`line ${line}: ${wordsOf(error)}`, { cause: error })
    throw error
  }
}

/** Characters of a row. A quote that is never closed would swallow the rest of the file. */
const MAX_ROW_LENGTH = 4_000_000

async function* withHead(head: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

/** Where the first line ends; quotes may hold line breaks. -1: not yet. */
function endOfHeader(text: string): number {
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') quoted = !quoted
    else if ((char === '\n' || char === '\r') && !quoted) return at
  }
  return -1
}

/** The one that stands most often outside quotes; a single column has none. */
function delimiterOf(header: string): Delimiter {
  const bare = header.replace(/"[^"]*"/g, '')
  const counts = ([';', ',', '\t'] as const).map((delimiter) => [bare.split(delimiter).length, delimiter] as const)
  const [count, delimiter] = counts.reduce((most, one) => (one[0] > most[0] ? one : most))
  return count > 1 ? delimiter : ','
}

/** In quotes, a lone carriage return is a line's end where all of them are. */
function breaksInCell(cell: string): number {
  return cell.includes('\n') ? breaksIn(cell) : cell.includes('\r') ? cell.split('\r').length - 1 : 0
}

function wordsOf(error: CsvError): string {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return 'a cell begins with " here, and no " ends it.'
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return `a row of more than ${MAX_ROW_LENGTH / 1e6} MB; is a " missing that ends a cell?`
  if (/QUOTE/.test(error.code))
    return 'a " within a cell. Put the whole cell into quotes, and write each " in it twice ("3/4"" pipe").'
  return error.message
}
