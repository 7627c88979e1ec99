import { foldBytes, folded } from '../domain/values/text.ts'

export interface PersonalTable {
  columns: readonly string[]
  bytes?: readonly string[]
  ofEvents?: 'id' | 'event_id' | 'delivery_id'
  isKeyed?: true
  exact?: string
}

/**
 * Every table that may hold personal data. A test checks that each text or bytes column of the schema is here or named
 * harmless.
 */
const PERSONAL_TABLES = {
  payloads: { columns: ['headers', 'body'], bytes: ['body'], ofEvents: 'event_id' },
  events: {
    columns: ['transport_key', 'identity', 'entity', 'facts', 'problem', 'dismissed_because'],
    ofEvents: 'id',
  },
  deliveries: {
    columns: ['entity', 'subject', 'effect', 'why', 'digest', 'released', 'unless', 'took_note'],
    ofEvents: 'event_id',
  },
  attempts: { columns: ['note'], ofEvents: 'delivery_id' },
  customers: {
    columns: [
      'customer_id',
      'ext_id',
      'email',
      'phone',
      'first_name',
      'last_name',
      'company_name',
      'address',
      'postal_code',
      'city',
    ],
  },
  links: { columns: ['destination', 'kind', 'id', 'their_id'], isKeyed: true, exact: 'id' },
  acknowledged: { columns: ['destination', 'flow', 'subject', 'digest'], isKeyed: true },
  lookups: { columns: ['number'] },
  mirror: { columns: ['set_name', 'key', 'body'] },
  findings: { columns: ['key', 'topic', 'body'] },
  gaps: { columns: ['key', 'body'] },
  submissions: { columns: ['key', 'end'] },
  legal_holds: { columns: ['reason'] },
  audit: { columns: ['reason', 'selection', 'refused'] },
  jobs: { columns: ['name', 'state', 'problem', 'note'] },
  job_runs: { columns: ['problem', 'note'] },
  pauses: { columns: ['why'] },
} as const satisfies Record<string, PersonalTable>

export type PersonalTableName = keyof typeof PERSONAL_TABLES

export const PERSONAL_TABLE_NAMES = Object.keys(PERSONAL_TABLES) as PersonalTableName[]

export function personalTable(name: PersonalTableName): PersonalTable {
  return PERSONAL_TABLES[name]
}

export function quoted(column: string): string {
  return `"${column}"`
}

export type ColumnValue = string | Uint8Array | null

export interface PersonalRow {
  row: string
  event: number | null
  values: ColumnValue[]
}

export type PersonalRows =
  | { place: PersonalTableName; ofEvents: readonly number[] }
  | { place: PersonalTableName; containing: readonly string[]; after: number; anyColumn?: boolean }

export interface PersonalPage {
  rows: PersonalRow[]
  next: number | null
  decompressed?: number
  broken?: string[]
}

/** `to` null: delete. Not applied where the row is no longer `from`. */
export interface PersonalChange {
  place: PersonalTableName
  row: string
  from: ColumnValue[]
  to: ColumnValue[] | null
}

export interface Scrubbed {
  searched: { what: string; bytes: number }[]
  found: number
  warnings: string[]
}

/**
 * Gives a rewritten row a key of its own; null: its key stays. Rows that differed in personal data only would collide.
 */
export function withUniqueKey(change: PersonalChange): PersonalChange | null {
  const { place, row, from, to } = change
  const at = personalTable(place).columns.indexOf('key')
  if (to === null || at < 0 || to[at] === from[at]) return null
  const own = `${to[at]}~${row.match(/\d+/g)?.join('.')}`
  return { ...change, to: to.with(at, own) }
}

export interface Pages {
  personalPage(asked: PersonalRows): Promise<PersonalPage>
}

export async function* pagesContaining(
  storage: Pages,
  place: PersonalTableName,
  containing: readonly string[],
  anyColumn = false,
): AsyncGenerator<PersonalPage> {
  for (let after: number | null = 0; after !== null && containing.length > 0; ) {
    const page: PersonalPage = await storage.personalPage({ place, containing, after, anyColumn })
    yield page
    after = page.next
  }
}

export async function searchRows(
  storage: Pages,
  places: readonly PersonalTableName[],
  texts: readonly string[],
): Promise<Scrubbed> {
  const scrubbed: Scrubbed = { searched: [], found: 0, warnings: [] }
  const saysOne = containingOne(texts)
  for (const place of places) {
    let bytes = 0
    for await (const page of pagesContaining(storage, place, texts, true)) {
      bytes += page.decompressed ?? 0
      scrubbed.found += page.rows.filter(saysOne).length
      for (const row of page.broken ?? []) scrubbed.warnings.push(`${row} It was not looked through.`)
    }
    if (place === 'payloads') scrubbed.searched.push({ what: 'compressed payloads', bytes })
  }
  return scrubbed
}

export function containingOne(texts: readonly string[]): (row: PersonalRow) => boolean {
  const wanted = texts.map((text) => Buffer.from(folded(text)))
  return ({ values }) =>
    values.some((value) => value !== null && countTexts(foldBytes(Buffer.from(value as string)), wanted) > 0)
}

/** Occurrences, but for digits within a longer number: "Storgata 12" does not say "Storgata 1". */
export function countTexts(bytes: Buffer, texts: readonly Buffer[], from = 0, to = bytes.length): number {
  let count = 0
  for (const text of texts)
    for (let at = bytes.indexOf(text, from); at >= 0 && at < to; at = bytes.indexOf(text, at + 1))
      if (standsAlone(bytes, at, text)) count += 1
  return count
}

function standsAlone(bytes: Buffer, at: number, text: Buffer): boolean {
  const end = at + text.length
  return !(isDigit(text[0]) && isDigit(bytes[at - 1])) && !(isDigit(text.at(-1)) && isDigit(bytes[end]))
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57
}
