import { type SQL, sql } from 'drizzle-orm'
import { folded } from '../../domain/values/text.ts'
import type { PersonalPage, PersonalRow, PersonalRows, PlaceValue } from '../people/personal-row.ts'
import { type Place, placeOf, quoted } from '../people/places.ts'
import type { Db, Dialect } from './dialect.ts'
import { createPersonalPayloads } from './payloads/personal-payloads.ts'

export function createPeoplePages(db: Db, dialect: Dialect) {
  const { people } = dialect
  const { payloadsOfEvents, payloadsSaying, swapToRewrite } = createPersonalPayloads(db, dialect)

  return {
    swapToRewrite,

    async personalPage(asked: PersonalRows): Promise<PersonalPage> {
      // No query can look into a block.
      if (asked.place === 'payloads')
        return 'ofEvents' in asked
          ? { rows: await payloadsOfEvents(asked.ofEvents), next: null }
          : await payloadsSaying(asked.saying, asked.after)
      const place = placeOf(asked.place)
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
      if (asked.saying.length === 0) return { rows: [], next: null }
      const exact = asked.anyColumn ? undefined : place.exact
      // Found by an index, without stretches.
      if (exact !== undefined) {
        const rows = await select(sql`${sql.raw(quoted(exact))} in (${listOf(asked.saying)})`)
        return { rows: rowsOf(rows, place), next: null }
      }
      const saying = says(place, asked.saying, people)
      const stretch = people.stretch(asked.place, asked.after, place)
      if (stretch === null) return { rows: rowsOf(await select(saying), place), next: null }
      const [{ next } = { next: null }] = await db.select({ next: stretch.next.as('n') }).from(sql`(select 1) as one`)
      const rows = await select(sql`${stretch.isIn} and (${saying})`)
      return { rows: rowsOf(rows, place), next: next === null ? null : Number(next) }
    },
  }
}

function eventOf({ ofEvents }: Place): SQL<number | null> {
  if (ofEvents === undefined) return sql`null`
  if (ofEvents !== 'delivery_id') return sql`${sql.raw(ofEvents)}`
  return sql`(select d.event_id from deliveries d where d.id = delivery_id)`
}

function isOf({ ofEvents }: Place, ids: readonly number[]): SQL {
  const list = listOf(ids)
  if (ofEvents === undefined) return sql`1 = 0`
  if (ofEvents !== 'delivery_id') return sql`${sql.raw(ofEvents)} in (${list})`
  return sql`delivery_id in (select d.id from deliveries d where d.event_id in (${list}))`
}

/** Case-insensitive. */
function says(place: Place, texts: readonly string[], { said, hasText }: Dialect['people']): SQL {
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

function rowsOf(rows: readonly Record<string, unknown>[], place: Place): PersonalRow[] {
  return rows.map((row) => ({
    row: String(row.row),
    event: row.event === null ? null : Number(row.event),
    values: place.columns.map((_, index) => (row[`v${index}`] ?? null) as PlaceValue),
  }))
}
