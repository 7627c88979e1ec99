import type { Request } from 'express'
import { z } from 'zod'
import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'
import { UserError } from '../../domain/values/errors.ts'
import { suggest } from '../../lib/suggest.ts'
import { type Filter, holdsPersonal, listsOf, type ReadSet } from './sets.ts'

export type Format = 'json' | StreamFormat
type StreamFormat = 'ndjson' | 'csv'

export const MEDIA_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const satisfies Record<
  StreamFormat,
  string
>

export interface Asked {
  /** Pages only. */
  limit: number
  after: MirrorCursor | null
  personal: boolean
  /** CSV: a row for each entry of this list. */
  rows: string | null
  /** CSV: without guards against formulas. */
  raw: boolean
  filters: Partial<Record<Filter, string>>
}

const LARGEST_PAGE = 1_000

const MORE = 'the "next" of the page before'

/** Nothing that a database chokes on. */
const Name = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u, { error: 'expected 1 to 200 characters' })
const Flag = z.enum(['true', 'false'], { error: 'expected true or false' }).transform((text) => text === 'true')
const Day = z.iso.date({ error: 'expected a day, such as 2026-11-20' })

export const PARAMETERS = {
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
  personal: {
    about: 'true: with personal data, for keys that have the scope customers besides.',
    schema: { type: 'boolean', default: false },
    value: Flag,
  },
  rows: {
    about:
      'CSV: a row for each thing in this list of an item, such as lines; amounts of the whole item are left out then, since whoever adds them up would count them twice.',
    schema: { type: 'string' },
    value: z.string(),
  },
  raw: {
    about: 'CSV, true: for a machine; texts that a spreadsheet would take for a formula get no apostrophe.',
    schema: { type: 'boolean', default: false },
    value: Flag,
  },
  store: { about: 'Of the store with this number.', schema: { type: 'string' }, value: Name },
  stock: { about: 'Of the stock with this id.', schema: { type: 'string' }, value: Name },
  gtin: { about: 'About this article.', schema: { type: 'string' }, value: Name },
  from: { about: 'Not before this day of the store.', schema: { type: 'string', format: 'date' }, value: Day },
  to: { about: 'Not after this day of the store.', schema: { type: 'string', format: 'date' }, value: Day },
}

export type ParameterName = keyof typeof PARAMETERS

export function parametersOf(set: ReadSet): ParameterName[] {
  return [
    'limit',
    'cursor',
    ...set.filters,
    ...(holdsPersonal(set) ? (['personal'] as const) : []),
    ...(listsOf(set).length > 0 ? (['rows'] as const) : []),
    'raw',
  ]
}

/** Throws a UserError that names each wrong parameter. */
export function readAsked({ query }: Request, set: ReadSet, format: Format): Asked {
  const names = parametersOf(set)
  const unknown = Object.keys(query).filter((name) => !names.some((known) => known === name))
  const faults = unknown.map((name) => unknownParameter(name, set, names))
  const values: Partial<Record<ParameterName, unknown>> = {}
  for (const name of names) {
    if (query[name] === undefined) continue
    const { success, data, error } = PARAMETERS[name].value.safeParse(query[name])
    if (success) values[name] = data
    else faults.push(`${name}: ${Array.isArray(query[name]) ? 'expected once' : error.issues[0]?.message}.`)
  }
  const { limit = 100, cursor = null, personal = false, rows = null, raw = false, ...filters } = values as Values
  if (filters.store !== undefined && filters.stock !== undefined) faults.push('store and stock: expected one of them.')
  if ((filters.from ?? '') > (filters.to ?? '9')) faults.push('from: expected a day that is not after "to".')
  if (format !== 'json' && values.limit !== undefined)
    faults.push('limit: what is asked for as a stream (Accept) comes as a whole. Leave it out.')
  for (const name of ['rows', 'raw'] as const)
    if (format !== 'csv' && values[name] !== undefined) faults.push(`${name}: is for CSV. Send Accept: text/csv.`)
  if (rows !== null && !listsOf(set).includes(rows)) faults.push(`rows: expected one of ${listsOf(set).join(', ')}.`)
  if (faults.length > 0) throw new UserError(faults.join(' '))
  return { limit, after: cursor, personal, rows, raw, filters }
}

type Values = Omit<Partial<Asked>, 'after' | 'filters'> & { cursor?: MirrorCursor } & Asked['filters']

function unknownParameter(name: string, set: ReadSet, names: readonly string[]): string {
  const shown = name.slice(0, 60)
  if (Object.hasOwn(PARAMETERS, name))
    return `${shown}: ${set.name} cannot be asked for by it. There are ${names.join(', ')}.`
  const meant = suggest(shown, names)
  const known = meant === null ? `There are ${names.join(', ')}.` : `Did you mean ${meant}?`
  return `There is no parameter ${JSON.stringify(shown)}. ${known}`
}

/** Opaque to clients. */
export function writeCursor({ day, id }: MirrorCursor): string {
  return Buffer.from(JSON.stringify([day, id])).toString('base64url')
}

export function readCursor(text: string): MirrorCursor | null {
  const found = parsed(text)
  if (!Array.isArray(found) || found.length !== 2) return null
  const [day, id] = found
  if (typeof day !== 'string' || day.includes('\0') || !Number.isSafeInteger(id)) return null
  // Only the canonical text.
  return writeCursor({ day, id }) === text ? { day, id } : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}
