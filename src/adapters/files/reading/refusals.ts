import { randomUUID } from 'node:crypto'
import { atOnce, type Files, isTrouble } from '../../../folders/transport.ts'
import type { Raw } from '../../../import/lines.ts'
import { decode, type Encoding, encode } from '../../../import/pieces.ts'
import { LINE, REASON } from '../../../import/rows.ts'
import { namesIn, under } from '../hidden.ts'
import type { Claim } from './claims.ts'
import type { Survey } from './opening.ts'

/** Rows that were refused together, as they stood in the file, and why. */
export interface Refusal {
  raws: readonly Raw[]
  faults: readonly string[]
}

const PIECE = '.refused.'
const DRAFT = '.draft.'

const AT_ONCE = 16

/** The most faults that are told with a row: rows that were refused together have those of all, and each row tells them. */
const MOST_TOLD = 10

/** Keeps what was refused of a page that began there. Once more: in place of what was kept of it. */
export async function keepRefusals(
  files: Files,
  { claim, survey, offset }: { claim: Claim; survey: Survey; offset: number },
  refusals: readonly Refusal[],
): Promise<void> {
  const draft = under(claim.folder, `${DRAFT}${randomUUID()}`)
  await files.create(
    draft,
    joined(
      refusals.flatMap((one) => rowsOf(claim, survey, one)),
      separatorOf(claim, survey),
    ),
  )
  await replace(files, draft, under(claim.folder, `${PIECE}${String(offset).padStart(15, '0')}`))
  // The page does not come again once the hub has kept its cursor.
  await files.sync(claim.folder)
}

/** Forgets what was kept of pages from there on: they come again, and may end otherwise. */
export async function forgetRefusals(files: Files, { folder }: Claim, from: number): Promise<void> {
  const names = await namesIn(files, folder)
  const stale = names.filter((name) => name.startsWith(DRAFT) || (offsetOf(name) ?? -1) >= from)
  await atOnce(AT_ONCE, stale, (name) => files.remove(under(folder, name)))
}

/** The reject file: what was refused of all pages, in the file's own form; null: nothing was. */
export async function rejectFile(
  files: Files,
  claim: Claim,
  survey: Survey,
): Promise<AsyncIterable<Uint8Array> | null> {
  const pieces = (await namesIn(files, claim.folder)).filter((name) => offsetOf(name) !== null).sort()
  return pieces.length > 0 ? contentOf(files, claim, survey, pieces) : null
}

async function* contentOf(
  files: Files,
  claim: Claim,
  survey: Survey,
  pieces: readonly string[],
): AsyncGenerator<Uint8Array> {
  const { format } = claim.source
  const separator = Buffer.from(separatorOf(claim, survey))
  const isArray = format === 'json' && survey.json === 'array'
  if (survey.isMarked) yield Buffer.from('\ufeff')
  if (isArray) yield Buffer.from('[\n')
  if (survey.header) yield headerOf(claim, survey.header)
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) yield separator
    yield* files.read(under(claim.folder, piece))
  }
  yield isArray ? Buffer.from('\n]\n') : separator
}

/** With what is wrong before it: rows may have too few cells, or too many. */
function headerOf({ source }: Claim, { raw, delimiter, lineEnd }: NonNullable<Survey['header']>): Buffer {
  return Buffer.concat([encode(`${LINE}${delimiter}${REASON}${delimiter}`, source.encoding), raw, Buffer.from(lineEnd)])
}

/** Rows as they stood in the file, each with its line and what is wrong. */
function rowsOf({ source }: Claim, { header }: Survey, { raws, faults }: Refusal): Buffer[] {
  const { format, encoding, csv } = source
  const reason = reasonOf(faults)
  return raws.map(({ line, bytes }) => {
    if (format !== 'csv') return objectOf(line, reason, bytes, encoding)
    const { delimiter = ',' } = header ?? {}
    const cell = csv.quote === null ? reason.replaceAll(delimiter, ' ') : quoted(reason, csv.quote)
    return Buffer.concat([encode(`${line}${delimiter}${cell}${delimiter}`, encoding), bytes])
  })
}

function reasonOf(faults: readonly string[]): string {
  const told = faults.slice(0, MOST_TOLD)
  const more = faults.length - told.length
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

/** The same object with two fields more before the others; what is no object becomes one of three. */
function objectOf(line: number, reason: string, bytes: Buffer, encoding: Encoding): Buffer {
  const said = `"${LINE}":${line},"${REASON}":${JSON.stringify(reason)}`
  const text = (decode(bytes, encoding) ?? '').trim()
  const hasFields = text.startsWith('{') && isJson(text) && !/^\{\s*\}$/.test(text)
  return encode(`{${said},${hasFields ? text.slice(1) : `"TillbridgeText":${JSON.stringify(text)}}`}`, encoding)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function quoted(text: string, quote: string): string {
  return `${quote}${text.replaceAll(quote, quote + quote)}${quote}`
}

function separatorOf({ source: { format } }: Claim, { header, json }: Survey): string {
  if (format === 'json') return json === 'array' ? ',\n' : '\n'
  return header?.lineEnd ?? '\n'
}

function joined(rows: readonly Buffer[], separator: string): Buffer {
  const between = Buffer.from(separator)
  return Buffer.concat(rows.flatMap((row, index) => (index === 0 ? [row] : [between, row])))
}

function offsetOf(name: string): number | null {
  return name.startsWith(PIECE) ? Number(name.slice(PIECE.length)) : null
}

/** Puts it in place of what is there. Some servers rename only to where nothing is. */
async function replace(files: Files, from: string, to: string): Promise<void> {
  try {
    await files.rename(from, to)
  } catch (error) {
    if (!isTrouble(error, 'exists')) throw error
    await files.remove(to)
    await files.rename(from, to)
  }
}
