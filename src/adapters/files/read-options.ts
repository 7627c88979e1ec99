import { z } from 'zod'
import { ENCODINGS, type FileForm, FORMATS, formatOf } from '../../import/lines.ts'
import { type Hints, readTemplate, SHAPES } from '../../import/rows.ts'
import { withoutEnd } from '../../lib/http/url.ts'
import { checkedText, choice } from '../../lib/schema.ts'
import type { IntakeLine } from '../../ports/ports.ts'

const Csv = z
  .strictObject({
    delimiter: choice(',', ';', '\t', '|').describe(
      'What stands between cells: , ; | or a tab ("\\t"). Without it, what the header has most of.',
    ),
    quote: z
      .enum(['"', "'", 'none'])
      .default('"')
      .describe('What stands around cells with delimiters and line breaks in them; none: quotes are plain characters.'),
    decimal: choice('.', ',').describe(
      'What stands before the decimals of numbers. Without it, what can be nothing else.',
    ),
  })
  .refine(({ delimiter, decimal }) => delimiter === undefined || delimiter !== decimal, {
    path: ['decimal'],
    error: 'Must not be the delimiter as well.',
  })

const Read = z.strictObject({
  folder: checkedText((text) => (text === '' ? null : folderFault(text)))
    .default('')
    .describe('Where the files come: a folder in the folder of the destination. Without it, that one itself.'),
  pattern: checkedText(patternFault).describe('The names of the files, with * for anything: products-*.csv'),
  format: choice(...FORMATS).describe('What the files are. Without it, what their extension says.'),
  encoding: z.enum(ENCODINGS).default('utf-8').describe('How the files are encoded.'),
  columns: z
    .record(z.string().min(1).max(200), z.string().min(1).max(200))
    .optional()
    .describe(
      'Fields of /v1, each with its header in the file (in JSON: a path), or = and a constant (=NOK). Other headers are passed over. Without it, headers are the names of the fields.',
    ),
  csv: Csv.optional().describe('How CSV is written.'),
  archive: checkedText(folderFault)
    .default('archive')
    .describe('Where files go that were taken: a folder in the one where they come.'),
  reject: checkedText(folderFault)
    .default('reject')
    .describe('Where refused rows go, and files that cannot be read: a folder in the one where they come.'),
  settle: z
    .string()
    .regex(/^\d{1,4}[sm]$/, 'Must be a duration such as 10s or 2m.')
    .default('10s')
    .describe('A file that has not changed for so long is complete. 0s: files are put there whole (renamed).'),
})

export interface Source extends FileForm {
  resource: IntakeLine
  folder: string
  matches(name: string): boolean
  archive: string
  reject: string
  settle: number
}

/** Reading order: a product comes before its cost and its stock. */
export const RESOURCES = [
  'products',
  'prices',
  'cost-prices',
  'stock-adjustments',
  'goods-deliveries',
] as const satisfies readonly IntakeLine[]

const HINTS: Hints = {
  decimal: 'csv.decimal in config',
  unknownColumn: () => 'Other names go into columns in config.',
  missingColumn: '',
  notUtf8: 'If the file is Windows-1252, as spreadsheets save it: encoding: windows-1252 in config.',
}

export const ReadOptions = z
  .strictObject({
    products: Read.optional().describe('Products, in CSV a size a row: what POST /v1/products takes.'),
    prices: Read.optional().describe('Prices of price lists: what POST /v1/prices takes.'),
    'cost-prices': Read.optional().describe('Cost prices: what POST /v1/cost-prices takes.'),
    'stock-adjustments': Read.optional().describe('Stock levels: what POST /v1/stock-adjustments takes.'),
    'goods-deliveries': Read.optional().describe(
      'Goods deliveries, in CSV an order line a row: what POST /v1/goods-deliveries takes.',
    ),
  })
  .refine((read) => Object.values(read).some(Boolean), 'Must have a resource: read: { products: { pattern: … } }.')
  .transform((read, context): Source[] => {
    const fault: Fault = (path, message) => context.addIssue({ code: 'custom', path, message })
    separate(read, fault)
    return RESOURCES.flatMap((resource) => {
      const written = read[resource]
      return written ? [sourceOf(resource, written, (path, message) => fault([resource, ...path], message))] : []
    })
  })

type Fault = (path: string[], message: string) => void

function sourceOf(resource: IntakeLine, written: z.output<typeof Read>, fault: Fault): Source {
  const { pattern, csv: given, settle, folder, ...rest } = written
  const format = written.format ?? formatOf(pattern)
  if (!format)
    fault(
      ['format'],
      'Must be given: the pattern does not end in .csv or .ndjson (jq -c ".[]" makes NDJSON of a JSON array).',
    )
  if (given && format && format !== 'csv') fault(['csv'], `Is not for ${format}.`)
  const { delimiter = null, decimal = null, quote } = given ?? Csv.parse({})
  const columns = written.columns ? readTemplate(resource, written.columns, fault) : null
  const { group } = SHAPES[resource]
  const key = columns?.find(({ named }) => named.field.name === group?.key)
  if (key && key.from === null)
    fault(['columns', key.named.field.name], 'Tells rows apart: it cannot be the same in all.')
  return {
    ...rest,
    resource,
    folder: trimmed(folder),
    archive: trimmed(written.archive),
    reject: trimmed(written.reject),
    matches: matcherOf(pattern),
    format: format ?? 'csv',
    columns,
    csv: { delimiter, decimal, quote: quote === 'none' ? null : quote },
    settle: Number.parseInt(settle, 10) * (settle.endsWith('m') ? 60_000 : 1_000),
    hints: HINTS,
  }
}

/** No file may match two sources, or be read again from where it was put. */
function separate(read: { [Name in IntakeLine]?: z.output<typeof Read> | undefined }, fault: Fault): void {
  const all = RESOURCES.flatMap((resource) => {
    const written = read[resource]
    return written ? [{ ...written, resource, folder: trimmed(written.folder) }] : []
  })
  for (const [index, one] of all.entries()) {
    const { resource, folder, pattern } = one
    const archive = under(folder, trimmed(one.archive))
    const reject = under(folder, trimmed(one.reject))
    if (archive === reject) fault([resource, 'reject'], 'Must not be the archive as well.')
    const same = all.slice(0, index).find((other) => other.folder === folder && meet(other.pattern, pattern))
    if (same) fault([resource, 'pattern'], `Takes the same names as that of ${same.resource}: ${same.pattern}`)
    for (const other of all)
      for (const key of ['archive', 'reject'] as const)
        if (other.folder === (key === 'archive' ? archive : reject))
          fault([resource, key], `Must not be where files of ${other.resource} come.`)
  }
}

function patternFault(text: string): string | null {
  if (text === '' || !/^[^\p{Cc}/\\]+$/u.test(text))
    return 'Must be the name of a file, with * for anything: products-*.csv'
  if (text.startsWith('.')) return 'Must not begin with a dot: such files are hidden, and left alone.'
  return text.includes('**') ? 'Must have one * at a place.' : null
}

function folderFault(text: string): string | null {
  const names = trimmed(text).split('/')
  if (text.startsWith('/') || names.includes('..') || names.includes('.'))
    return 'Must be a path from the folder on, without . and .. in it.'
  if (!/^[^\p{Cc}\\]+$/u.test(text) || names.includes('')) return 'Must be a path with / between its parts.'
  return names.some((name) => name.startsWith('.')) ? 'Must not begin with a dot: such folders are hidden.' : null
}

function trimmed(path: string): string {
  return withoutEnd(path, /\//)
}

export function under(...names: string[]): string {
  return names.filter((name) => name !== '').join('/')
}

export function matcherOf(pattern: string): (name: string) => boolean {
  const [first = '', ...others] = pattern.toLowerCase().split('*')
  const last = others.pop()
  if (last === undefined) return (name) => name.toLowerCase() === first
  return (name) => {
    const plain = name.toLowerCase()
    // Each part at its first place leaves most for those after it.
    const from = others.reduce((at, part) => endOf(plain, part, at), plain.startsWith(first) ? first.length : Infinity)
    return from + last.length <= plain.length && plain.endsWith(last) && !/[\r\n]/.test(name)
  }
}

function endOf(name: string, part: string, from: number): number {
  const at = from === Infinity ? -1 : name.indexOf(part, from)
  return at < 0 ? Infinity : at + part.length
}

function meet(one: string, other: string): boolean {
  if (one === '' || other === '') return /^\**$/.test(one + other)
  if (one[0] === '*') return meet(one.slice(1), other) || meet(one, other.slice(1))
  if (other[0] === '*') return meet(other, one)
  return one[0]?.toLowerCase() === other[0]?.toLowerCase() && meet(one.slice(1), other.slice(1))
}
