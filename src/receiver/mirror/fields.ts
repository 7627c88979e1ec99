import type { KeptRow } from '../../domain/catalogue/mirror.ts'
import type { StoreIndex } from '../../domain/places/store-index.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import type { Decimal } from '../../domain/values/money.ts'

/** A row as it is kept. `savedAt` is null where nobody knows when it was saved. */
export type Row = Pick<KeptRow, 'id' | 'key' | 'day' | 'version' | 'body'> & { savedAt: Instant | null }

/** Knowledge that items show besides what is in their rows. */
export interface Known {
  storeIndex: StoreIndex
  /** How many of an article a stock keeps for somebody. */
  reserved(stockId: string, gtin: string): Decimal
}

/** How a value is written in JSON. Every one may be null instead, but the id. */
type Writing = 'text' | 'decimal' | 'flag' | 'day' | 'instant' | 'list'

/** A field of an item. */
export interface Field {
  name: string
  writing: Writing
  about: string
  /** The field is of a person, and given only to who asks for it and may. */
  isPersonal: boolean
  /** The fields of the items of a list. */
  fields: readonly Field[]
  read(row: Row, known: Known): unknown
}

type Read = Field['read']

/** Names the item among those of its set, for as long as it is there. */
export const id: Field = field('id', 'text', 'Names it in its set.', ({ key }) => key)
/** The store's day that it is of. */
export const day: Field = field('day', 'day', "The store's day.", (row) => row.day || null)
export const savedAt: Field = field('savedAt', 'instant', 'When the hub wrote it last.', ({ savedAt }) =>
  savedAt === null ? null : formatInstant(savedAt),
)
export const currency: Field = text('currency', 'ISO 4217; that of all its amounts.')

export function text(name: string, about: string, read?: Read): Field {
  return field(name, 'text', about, read)
}

/** A wall clock of the store; no zone. */
export function wallClock(name: string, about: string): Field {
  return field(name, 'text', `${about} The store's wall clock, without a zone.`)
}

export function decimal(name: string, about: string, read?: Read): Field {
  return field(name, 'decimal', about, read)
}

export function flag(name: string, about: string): Field {
  return field(name, 'flag', about)
}

export function instant(name: string, about: string, read: (row: Row) => Instant | null): Field {
  return field(name, 'instant', about, (row) => {
    const found = read(row)
    return found === null ? null : formatInstant(found)
  })
}

export function personal(name: string, about: string, read?: Read): Field {
  return { ...field(name, 'text', about, read), isPersonal: true }
}

/** Things within it; null: nobody said whether there are any. */
export function list(name: string, about: string, fields: readonly Field[]): Field {
  const pick = (one: object) => Object.fromEntries(fields.map((each) => [each.name, fieldOf(one, each.name)]))
  const read: Read = ({ body }) => {
    const found = body[name]
    return Array.isArray(found) ? found.map(pick) : null
  }
  return { ...field(name, 'list', about, read), fields }
}

/** The number of the store: as its row says, else by the store's id, else by the stock. */
export function storeNoOf({ body }: Pick<Row, 'body'>, storeIndex: StoreIndex): string | null {
  const { storeNo, storeId, stockId } = body
  if (typeof storeNo === 'string') return storeNo
  if (typeof storeId === 'string') return storeIndex.numberOfStore(storeId)
  return typeof stockId === 'string' ? storeIndex.numberOf(stockId) : null
}

export const storeNo: Field = text('storeNo', "The retailer's number of the store.", (row, { storeIndex }) =>
  storeNoOf(row, storeIndex),
)

/** An item as the fields have it. */
export function itemOf(fields: readonly Field[], row: Row, known: Known): Record<string, unknown> {
  const item: Record<string, unknown> = {}
  for (const { name, read } of fields) item[name] = read(row, known)
  return item
}

/** An item, as JSON Schema. */
export function schemaOf(fields: readonly Field[]): Record<string, unknown> {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((one) => [one.name, schemaOfField(one)])),
    required: fields.filter(({ isPersonal }) => !isPersonal).map(({ name }) => name),
  }
}

function schemaOfField({ name, writing, about, isPersonal, fields }: Field): Record<string, unknown> {
  const description = isPersonal ? `${about} Only with personal=true.` : about
  if (name === 'id') return { type: 'string', description }
  const mark = isPersonal && { 'x-personal': true }
  return { ...SCHEMAS[writing], ...(writing === 'list' && { items: schemaOf(fields) }), ...mark, description }
}

const SCHEMAS: Readonly<Record<Writing, object>> = {
  text: { type: ['string', 'null'] },
  decimal: { type: ['string', 'null'], format: 'decimal' },
  flag: { type: ['boolean', 'null'] },
  day: { type: ['string', 'null'], format: 'date' },
  instant: { type: ['string', 'null'], format: 'date-time' },
  list: { type: ['array', 'null'] },
}

function field(name: string, writing: Writing, about: string, read?: Read): Field {
  return { name, writing, about, isPersonal: false, fields: [], read: read ?? (({ body }) => body[name] ?? null) }
}

function fieldOf(one: object, name: string): unknown {
  return (one as Record<string, unknown>)[name] ?? null
}
