import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { UserError } from '../../domain/values/errors.ts'
import type { What } from './columns.ts'
import { readElements, readLines } from './json.ts'
import { type CsvOptions, type Item, readCsv } from './rows.ts'
import { readText } from './text.ts'

/** How a file is written. */
export type Format = 'csv' | 'json' | 'ndjson'

/** A file of items, and how it is to be read. */
export interface Source extends CsvOptions {
  path: string
  what: What
  format: Format
}

/** Other words for some of it, where they are not its name. */
const SAID: Partial<Record<What, string>> = { stock: 'stock levels', costs: 'cost prices' }

/** The result of a first reading of the whole file. */
export interface Survey {
  bytes: number
  /** The stamp of the file when it was read: what is sent is to be the same. */
  stamp: Stamp
  /** A hash of the content and of how it is read: the same again for the same file only. */
  hash: string
  /** Lines of the file where the items that can be sent begin, in their order: what the hub calls line n is `lines[n - 1]`. */
  lines: number[]
  /** Items that cannot be sent at all. */
  faults: { line: number; faults: string[] }[]
}

/** The format that a file's name tells. Throws a UserError where it tells none. */
export function formatOf(path: string): Format {
  const ending = extname(path).toLowerCase()
  const found = ENDINGS[ending]
  if (found) return found
  throw new UserError(
    `${basename(path)} does not end in .csv, .tsv, .json, .ndjson or .jsonl: say --format csv, json or ndjson.`,
  )
}

/** Reads the file to its end and sends nothing. Throws a UserError where it cannot be read as what it is. */
export async function surveyFile(
  source: Source,
  { signal, progress }: { signal: AbortSignal; progress: (read: number, bytes: number) => void },
): Promise<Survey> {
  const before = await stamp(source.path)
  const hash = createHash('sha256')
  const { what, format, decimal, ignore } = source
  hash.update(JSON.stringify([CONVERSION, what, format, decimal, ignore, before]))
  const survey: Survey = { bytes: before.size, stamp: before, hash: '', lines: [], faults: [] }
  let read = 0
  const seen = (bytes: Buffer) => {
    hash.update(bytes)
    read += bytes.length
    progress(read, before.size)
  }
  for await (const item of readItems(source, { seen, signal }))
    if ('faults' in item) survey.faults.push(item)
    else survey.lines.push(item.line)
  if (survey.lines.length + survey.faults.length === 0)
    throw new UserError(`${basename(source.path)} holds no ${SAID[source.what] ?? source.what}.`)
  await requireUnchanged(source.path, before)
  return { ...survey, hash: hash.digest('hex') }
}

/** The items of a file, one after the other. Throws a UserError where it cannot be read as what it is. */
export async function* readItems(
  source: Source,
  options: { seen?: (bytes: Buffer) => void; signal: AbortSignal },
): AsyncGenerator<Item> {
  const text = readText(source.path, options)
  try {
    if (source.format === 'csv') yield* readCsv(source.what, text, source)
    else yield* source.format === 'json' ? readElements(text) : readLines(text)
  } catch (error) {
    if (!(error instanceof UserError) || error.message.includes(basename(source.path))) throw error
    throw new UserError(`${basename(source.path)}, ${error.message}`, { cause: error })
  }
}

/** The signs that a file was written since. */
interface Stamp {
  size: number
  modified: number
}

/** Throws a UserError for a file that is not there, or is none. */
async function stamp(path: string): Promise<Stamp> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(error.code === 'ENOENT' ? `There is no file ${path}.` : `${path}: ${error.message}.`, {
      cause: error,
    })
  })
  if (!found.isFile()) throw new UserError(`${path} is not a file. What comes from a pipe has to be saved first.`)
  return { size: found.size, modified: found.mtimeMs }
}

/** Throws a UserError where the file was written since. */
export async function requireUnchanged(path: string, before: Stamp): Promise<void> {
  const now = await stamp(path)
  if (now.size !== before.size || now.modified !== before.modified)
    throw new UserError(`${basename(path)} was written while it was read. Wait until it is whole, and push it again.`)
}

const ENDINGS: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
}

/** Counts up whenever the same file comes to be sent as other lines than before. */
const CONVERSION = 1
