import type { Request } from 'express'
import { z } from 'zod'
import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'
import { day, flag, name, readQuery } from '../query.ts'
import { type Filter, holdsPersonal, listsOf, type ReadSet } from './sets.ts'

export type Format = 'json' | StreamFormat
type StreamFormat = 'ndjson' | 'csv'

export const MEDIA_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const satisfies Record<
  StreamFormat,
  string
>

export interface Asked {
  limit: number
  after: MirrorCursor | null
  personal: boolean
  /** CSV only. */
  rows: string | null
  raw: boolean
  filters: Partial<Record<Filter, string>>
}

const LARGEST_PAGE = 1_000

const MORE = 'the "next" of the page before'

const PARAMETERS = {
  limit: {
    about: `How many items at most (${LARGEST_PAGE}). A stream has all of them, and takes none.`,
    schema: { type: 'integer', minimum: 1, maximum: LARGEST_PAGE, default: 100 },
    value: z
      .string()
      .regex(/^(0*[1-9]\d{0,2}|0*1000)$/, { error: `expected a number from 1 to ${LARGEST_PAGE}` })
      .transform(Number),
  },
  cursor: {
    about: `Where to go on: ${MORE}.`,
    schema: { type: 'string' },
    value: z.string().transform((text, context) => {
      const cursor = readCursor(text)
      if (cursor === null) context.addIssue({ code: 'custom', message: `expected ${MORE}, as it was` })
      return cursor ?? z.NEVER
    }),
  },
  personal: flag('true: with personal data, for keys that have the scope customers besides.'),
  rows: {
    about:
      'CSV: a row for each thing in this list of an item, such as lines; amounts of the whole item are left out then, since whoever adds them up would count them twice.',
    schema: { type: 'string' },
    value: z.string(),
  },
  raw: flag('CSV, true: for a machine; texts that a spreadsheet would take for a formula get no apostrophe.'),
  store: name('Of the store with this number.'),
  stock: name('Of the stock with this id.'),
  gtin: name('About this article.'),
  from: day('Not before this day of the store.'),
  to: day('Not after this day of the store.'),
}

type Known = typeof PARAMETERS

export function readParameters(set: ReadSet): Partial<Known> {
  const names: (keyof Known)[] = ['limit', 'cursor', ...set.filters]
  if (holdsPersonal(set)) names.push('personal')
  if (listsOf(set).length > 0) names.push('rows')
  return Object.fromEntries([...names, 'raw' as const].map((name) => [name, PARAMETERS[name]]))
}

export function readAsked(request: Request, set: ReadSet, format: Format): Asked {
  const lists = listsOf(set)
  const values = readQuery<Known>(request, readParameters(set), (values) => {
    const faults: string[] = []
    if (values.store !== undefined && values.stock !== undefined) faults.push('store and stock: expected one of them.')
    if ((values.from ?? '') > (values.to ?? '9')) faults.push('from: expected a day that is not after "to".')
    if (format !== 'json' && values.limit !== undefined)
      faults.push('limit: what is asked for as a stream (Accept) comes as a whole. Leave it out.')
    for (const name of ['rows', 'raw'] as const)
      if (format !== 'csv' && values[name] !== undefined) faults.push(`${name}: is for CSV. Send Accept: text/csv.`)
    if (values.rows !== undefined && !lists.includes(values.rows))
      faults.push(`rows: expected one of ${lists.join(', ')}.`)
    return faults
  })
  const { limit = 100, cursor: after = null, personal = false, rows = null, raw = false, ...filters } = values
  return { limit, after, personal, rows, raw, filters }
}

export function writeCursor({ day, id }: MirrorCursor): string {
  return Buffer.from(JSON.stringify([day, id])).toString('base64url')
}

export function readCursor(text: string): MirrorCursor | null {
  const found = parsed(text)
  if (!Array.isArray(found) || found.length !== 2) return null
  const [day, id] = found
  if (typeof day !== 'string' || day.includes('\0') || !Number.isSafeInteger(id)) return null
  return writeCursor({ day, id }) === text ? { day, id } : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}
