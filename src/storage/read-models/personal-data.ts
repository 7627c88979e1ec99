import { asc, gt, type SQL, sql } from 'drizzle-orm'
import { foldBytes, folded } from '../../domain/values/text.ts'
import { BrokenBlockError, type Payload } from '../payloads/block.ts'
import {
  type ColumnValue,
  type PersonalPage,
  type PersonalRow,
  type PersonalRows,
  type PersonalTable,
  personalTable,
  quoted,
} from '../personal-places.ts'
import type { Db, Dialect } from './dialect.ts'
import { createKeptPayloads } from './payloads.ts'

export function createPeoplePages(db: Db, dialect: Dialect) {
  const { people } = dialect
  const { payloadsOfEvents, payloadsSaying } = createPersonalPayloads(db, dialect)

  return {
    async personalPage(asked: PersonalRows): Promise<PersonalPage> {
      if (asked.place === 'payloads')
        return 'ofEvents' in asked
          ? { rows: await payloadsOfEvents(asked.ofEvents), next: null }
          : await payloadsSaying(asked.containing, asked.after)
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
        const rows = await select(sql`${sql.raw(quoted(exact))} in (${listOf(asked.containing)})`)
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
  const list = listOf(ids)
  if (ofEvents === undefined) return sql`1 = 0`
  if (ofEvents !== 'delivery_id') return sql`${sql.raw(ofEvents)} in (${list})`
  return sql`delivery_id in (select d.id from deliveries d where d.event_id in (${list}))`
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

function listOf(values: readonly (string | number)[]): SQL {
  return sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  )
}

function rowsOf(rows: readonly Record<string, unknown>[], place: PersonalTable): PersonalRow[] {
  return rows.map((row) => ({
    row: String(row.row),
    event: row.event === null ? null : Number(row.event),
    values: place.columns.map((_, index) => (row[`v${index}`] ?? null) as ColumnValue),
  }))
}

const BLOCKS = 32
const PLAIN_ROWS = 1_000

/**
 * Payloads that may hold personal data. An event with both a row and a block entry yields both: the stale one may say
 * more.
 */
function createPersonalPayloads(db: Db, dialect: Dialect) {
  const { payloadBlocks, payloads } = dialect.tables
  const kept = createKeptPayloads(db, dialect)

  return {
    async payloadsOfEvents(ids: readonly number[]): Promise<PersonalRow[]> {
      const found = await kept.plain(ids)
      for (const one of await kept.blocksOf(ids)) {
        const unpacked = await kept.unpack(one.block)
        found.push(...one.ids.flatMap((id) => unpacked.get(id) ?? []))
      }
      return found.map(payloadRow)
    },

    /** Rows first (`after`: an event), then blocks (negative). */
    async payloadsSaying(texts: readonly string[], after: number): Promise<PersonalPage> {
      const { rows, ...page } = after < 0 ? await packed(-after - 1) : await plain(after)
      const wanted = texts.map((text) => Buffer.from(folded(text)))
      return { ...page, rows: rows.filter((row) => payloadSays(row, wanted)).map(payloadRow) }
    },
  }

  async function plain(after: number): Promise<{ rows: Payload[]; next: number }> {
    const { eventId, headers, body } = payloads
    const rows = await db
      .select({ id: eventId, headers, body })
      .from(payloads)
      .where(gt(eventId, after))
      .orderBy(asc(eventId))
      .limit(PLAIN_ROWS)
    return { rows, next: rows.length < PLAIN_ROWS ? -1 : (rows.at(-1)?.id ?? 0) }
  }

  async function packed(after: number): Promise<Omit<PersonalPage, 'rows'> & { rows: Payload[] }> {
    const blocks = await db
      .select(kept.blockColumns)
      .from(payloadBlocks)
      .where(gt(payloadBlocks.id, after))
      .orderBy(asc(payloadBlocks.id))
      .limit(BLOCKS)
    const rows: Payload[] = []
    const broken: string[] = []
    for (const block of blocks)
      try {
        rows.push(...(await kept.unpack(block)).values())
      } catch (error) {
        if (!(error instanceof BrokenBlockError)) throw error
        broken.push(error.message)
      }
    const unpacked = rows.reduce((sum, { headers, body }) => sum + headers.length + body.byteLength, 0)
    return { rows, unpacked, broken, next: blocks.length < BLOCKS ? null : -(blocks.at(-1)?.id ?? 0) - 1 }
  }
}

function payloadRow({ id, headers, body }: Payload): PersonalRow {
  return { row: String(id), event: id, values: [headers, body] }
}

function payloadSays({ headers, body }: Payload, texts: readonly Buffer[]): boolean {
  const said = foldBytes(Buffer.concat([Buffer.from(headers), BETWEEN, body]))
  return texts.some((text) => said.includes(text))
}

const BETWEEN = Buffer.from([0])
