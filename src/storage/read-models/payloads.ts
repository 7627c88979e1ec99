import { type SQL, sql } from 'drizzle-orm'
import type { Instant } from '../../domain/values/instant.ts'
import { foldBytes, folded } from '../../domain/values/text.ts'
import {
  BrokenPayloadError,
  bytesOf,
  type CompressedPayload,
  compressed,
  decompressPayload,
  type Payload,
  type StoredPayload,
} from '../payload.ts'
import {
  type ColumnValue,
  type PersonalPage,
  type PersonalRow,
  type PersonalRows,
  type PersonalTable,
  personalTable,
  quoted,
} from '../personal-places.ts'
import { isYoung } from '../rows.ts'
import { within } from '../search-index.ts'
import { statement } from '../tables/statement.ts'
import type { Db, Dialect, Query } from './dialect.ts'

const kindsAfter = statement<{ id: number; kind: string }>(`
  select event_id as id, kind from payloads join events on events.id = event_id
    where event_id > $1 order by event_id limit $2`)
const sizesAfter = statement<{ id: number; receivedAt: Instant; size: number; dictionary: number | null }>(`
  select event_id as id, received_at as "receivedAt", size, dictionary from payloads join events on events.id = event_id
    where event_id > $1 order by event_id limit $2`)

const STORED = 'select event_id as id, headers, body, dictionary from payloads where'
const storedOf = statement<StoredPayload>(`${STORED} event_id = any($1::bigint[]) order by event_id`)
const storedAfter = statement<StoredPayload>(`${STORED} event_id > $1 order by event_id limit $2`)

export function createPayloads(query: Query) {
  const stored = async (ids: readonly number[]) => (ids.length === 0 ? [] : await query(storedOf, [ids]))

  return {
    payloadsOf: async (ids: readonly number[]): Promise<Payload[]> => (await stored(ids)).map(decompressPayload),

    /** Of which events payloads are here. */
    payloadKinds: (after: number, limit: number) => query(kindsAfter, [after, limit]),

    async toCompress(after: number, before: Instant): Promise<{ rows: CompressedPayload[]; after: number | null }> {
      const page = await query(sizesAfter, [after, ROWS_A_COMMIT])
      const young = page.findIndex((row) => isYoung(row.receivedAt, before))
      const seen = within(young < 0 ? page : page.slice(0, young), BYTES_A_COMMIT)
      const plain = await stored(seen.filter((row) => row.dictionary === null).map(({ id }) => id))
      const rows = await Promise.all(plain.map(compressed))
      return { rows: rows.filter((row) => row !== null), after: seen.at(-1)?.id ?? null }
    },
  }
}

const ROWS_A_COMMIT = 50
const BYTES_A_COMMIT = 512 * 1024

export function createPeoplePages(db: Db, dialect: Dialect, query: Query) {
  const { people } = dialect
  const payloads = createPayloads(query)

  return {
    async personalPage(asked: PersonalRows): Promise<PersonalPage> {
      if (asked.place === 'payloads')
        return 'ofEvents' in asked
          ? { rows: (await payloads.payloadsOf(asked.ofEvents)).map(payloadRow), next: null }
          : payloadsSaying(await query(storedAfter, [asked.after, PAYLOADS_A_PAGE]), asked.containing)
      const place = personalTable(asked.place)
      const select = (where: SQL) =>
        db
          .select({
            row: people.row(place).as('r'),
            event: eventOf(place).as('e'),
            ...Object.fromEntries(
              place.columns.map((name, index) => [`v${index}`, sql`${sql.raw(quoted(name))}`.as(`v${index}`)]),
            ),
          })
          .from(sql`${sql.raw(asked.place)}`)
          .where(where)
      if ('ofEvents' in asked)
        return {
          rows: asked.ofEvents.length === 0 ? [] : rowsOf(await select(isOf(place, asked.ofEvents)), place),
          next: null,
        }
      if (asked.containing.length === 0) return { rows: [], next: null }
      const exact = asked.anyColumn ? undefined : place.exact
      if (exact !== undefined) {
        const rows = await select(sql`${sql.raw(quoted(exact))} in ${asked.containing}`)
        return { rows: rowsOf(rows, place), next: null }
      }
      const saying = says(place, asked.containing, people)
      const stretch = people.stretch(asked.place, asked.after, place)
      if (stretch === null) return { rows: rowsOf(await select(saying), place), next: null }
      const [{ next } = { next: null }] = await db.select({ next: stretch.next.as('n') }).from(sql`(select 1) as one`)
      const rows = await select(sql`${stretch.isIn} and (${saying})`)
      return { rows: rowsOf(rows, place), next: next === null ? null : Number(next) }
    },
  }
}

function eventOf({ ofEvents }: PersonalTable): SQL<number | null> {
  if (ofEvents === undefined) return sql`null`
  if (ofEvents !== 'delivery_id') return sql`${sql.raw(ofEvents)}`
  return sql`(select d.event_id from deliveries d where d.id = delivery_id)`
}

function isOf({ ofEvents }: PersonalTable, ids: readonly number[]): SQL {
  if (ofEvents === undefined) return sql`1 = 0`
  if (ofEvents !== 'delivery_id') return sql`${sql.raw(ofEvents)} in ${ids}`
  return sql`delivery_id in (select d.id from deliveries d where d.event_id in ${ids})`
}

function says(place: PersonalTable, texts: readonly string[], { said, hasText }: Dialect['people']): SQL {
  const columns = place.columns.map((name) => sql`${sql.raw(quoted(name))}`)
  const any = anyOf([...new Set(texts.map(folded))].map((text) => hasText(sql`s.said`, text)))
  return sql`exists (select 1 from ${said(columns)} as s where ${any})`
}

/** As a balanced tree: SQLite allows an expression depth of 1,000. */
function anyOf(conditions: readonly SQL[]): SQL {
  const [first, ...more] = conditions
  if (first === undefined) return sql`1 = 0`
  if (more.length === 0) return first
  const middle = Math.ceil(conditions.length / 2)
  return sql`(${anyOf(conditions.slice(0, middle))} or ${anyOf(conditions.slice(middle))})`
}

function rowsOf(rows: readonly Record<string, unknown>[], place: PersonalTable): PersonalRow[] {
  return rows.map((row) => ({
    row: String(row.row),
    event: row.event === null ? null : Number(row.event),
    values: place.columns.map((_, index) => (row[`v${index}`] ?? null) as ColumnValue),
  }))
}

const PAYLOADS_A_PAGE = 200

function payloadsSaying(stored: readonly StoredPayload[], texts: readonly string[]): PersonalPage {
  const wanted = texts.map((text) => Buffer.from(folded(text)))
  const page = { rows: [] as PersonalRow[], decompressed: 0, broken: [] as string[] }
  for (const one of stored)
    try {
      const payload = decompressPayload(one)
      const said = foldBytes(bytesOf(payload))
      if (one.dictionary !== null) page.decompressed += said.byteLength
      if (wanted.some((text) => said.includes(text))) page.rows.push(payloadRow(payload))
    } catch (error) {
      if (!(error instanceof BrokenPayloadError)) throw error
      page.broken.push(error.message)
    }
  return { ...page, next: stored.length < PAYLOADS_A_PAGE ? null : (stored.at(-1)?.id ?? null) }
}

function payloadRow({ id, headers, body }: Payload): PersonalRow {
  return { row: String(id), event: id, values: [headers, body] }
}
