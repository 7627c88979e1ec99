import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { UserError } from '../../domain/values/errors.ts'
import { createFileReader, type FileForm, type Line } from '../../import/lines.ts'
import { type Format, UnreadableFileError } from '../../import/pieces.ts'

/** What can be pushed, and the resource of /v1 that takes it. */
export const RESOURCES = {
  products: 'products',
  prices: 'prices',
  costs: 'cost-prices',
  stock: 'stock-adjustments',
  customers: 'customers',
} as const
export type What = keyof typeof RESOURCES

const SAID: Partial<Record<What, string>> = { stock: 'stock levels', costs: 'cost prices' }

/** A file of items, and how it is to be read. */
export interface Source {
  path: string
  what: What
  format: Format
  decimal: 'point' | 'comma' | null
  /** Columns that are passed over. */
  ignore: readonly string[]
}

/** Something to send, or what is wrong where it should be. */
type Item = { line: number; json: string } | { line: number; faults: string[] }

/** The result of a first reading of the whole file. */
export interface Survey {
  /** When it was read: what is sent is to be the same. */
  stamp: Stamp
  /** Of the content, the time of writing, and how it is read. */
  hash: string
  /** Lines of the file where the items begin that can be sent: what the hub calls line n is `lines[n - 1]`. */
  lines: number[]
  /** Items that cannot be sent at all. */
  faults: { line: number; faults: string[] }[]
}

interface Stamp {
  size: number
  modified: number
}

/** Counts up whenever the same file comes to be sent as other lines than before. */
const CONVERSION = 1

/** Reads the file to its end and sends nothing. Throws a UserError where it cannot be read as what it is. */
export async function surveyFile(
  source: Source,
  signal: AbortSignal,
  progress: (read: number, bytes: number) => void,
): Promise<Survey> {
  const { path, what, format, decimal, ignore } = source
  const survey: Survey = { stamp: await stampOf(path), hash: '', lines: [], faults: [] }
  const hash = createHash('sha256').update(JSON.stringify([CONVERSION, what, format, decimal, ignore, survey.stamp]))
  let read = 0
  const seen = (bytes: Buffer) => {
    hash.update(bytes)
    read += bytes.length
    progress(read, survey.stamp.size)
  }
  for await (const item of readItems(source, signal, seen))
    if ('faults' in item) survey.faults.push(item)
    else survey.lines.push(item.line)
  if (survey.lines.length + survey.faults.length === 0)
    throw new UserError(`${basename(path)} holds no ${SAID[what] ?? what}.`)
  await requireUnchanged(path, survey.stamp)
  return { ...survey, hash: hash.digest('hex') }
}

const PIECE = 256 * 1024

/** The items of a file, one after the other. Throws a UserError where it cannot be read as what it is. */
export async function* readItems(
  source: Source,
  signal: AbortSignal,
  seen: (bytes: Buffer) => void = () => {},
): AsyncGenerator<Item> {
  const reader = createFileReader(formOf(source))
  try {
    for await (const chunk of createReadStream(source.path, {
      highWaterMark: PIECE,
      signal,
    }) as AsyncIterable<Buffer>) {
      seen(chunk)
      for (const line of reader.add(chunk)) yield itemOf(source, line)
    }
    for (const line of reader.end()) yield itemOf(source, line)
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw inWords(source.path, error)
    const where = error.line === null ? '' : `, line ${error.line}`
    throw new UserError(`${basename(source.path)}${where}: ${error.fault}`, { cause: error })
  }
}

function formOf({ what, format, decimal, ignore }: Source): FileForm {
  return {
    resource: RESOURCES[what],
    format,
    encoding: 'utf-8',
    columns: null,
    ignore,
    csv: { delimiter: null, quote: '"', decimal: decimal === null ? null : decimal === 'comma' ? ',' : '.' },
    hints: {
      decimal: '--decimal point or --decimal comma',
      unknownColumn: (column) => `To pass over it: --ignore "${column}".`,
      missingColumn: ` "push ${what} --template" prints one.`,
      notUtf8: 'Spreadsheets often save Windows-1252: save the file as "CSV UTF-8" and push it again.',
    },
  }
}

function itemOf({ format }: Source, { line, value, faults, raws: [raw] }: Line): Item {
  if (faults.length > 0) return { line, faults }
  if (format === 'csv') return { line, json: JSON.stringify(value) }
  // As it is written, digits included; line breaks stand between words only, where a blank says the same.
  const text = (raw?.bytes.toString() ?? '').trim()
  return { line, json: /[\r\n]/.test(text) ? text.replace(/\s+/g, (gap) => (/[\r\n]/.test(gap) ? ' ' : gap)) : text }
}

/** Throws a UserError for a file that is not there, or is none. */
async function stampOf(path: string): Promise<Stamp> {
  const found = await stat(path).catch((error: unknown) => {
    throw inWords(path, error)
  })
  if (!found.isFile()) throw new UserError(`${path} is not a file. What comes from a pipe has to be saved first.`)
  return { size: found.size, modified: found.mtimeMs }
}

/** Throws a UserError where the file was written since. */
export async function requireUnchanged(path: string, before: Stamp): Promise<void> {
  const now = await stampOf(path)
  if (now.size !== before.size || now.modified !== before.modified)
    throw new UserError(`${basename(path)} was written while it was read. Wait until it is whole, and push it again.`)
}

function inWords(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'ENOENT') return new UserError(`There is no file ${path}.`, { cause: error })
  if (code === 'EACCES') return new UserError(`${path} may not be read by this user.`, { cause: error })
  return error
}
