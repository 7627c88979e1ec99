import { type Column, eq, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { SelectedFields } from 'drizzle-orm/sqlite-core'
import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'
import type { PersonalTable } from '../personal-places.ts'
import type { Tables } from '../schema.ts'
import type { Statement } from '../tables/statement.ts'

/*
 * Read models are one query text for both engines, typed as SQLite's (drizzle's builders are alike so far). Schemas
 * and drivers are imported as types only, so that neither engine loads the other's.
 */

export type Db = Pick<BetterSQLite3Database, 'select'>

/** Asks what is the same each time: only what has filters is built by drizzle. Booleans are 0 and 1 in SQLite. */
export type Query = <Row>(asked: Statement<Row>, values?: readonly unknown[]) => Promise<Row[]>

/** Mostly conditions of partial indexes, which must match word for word. */
export interface Dialect {
  tables: Tables
  isOfOrder(entity: Column): SQL
  isTrue(column: Column): SQL
  /** One index range; `beginning` ends in an ASCII character. */
  startsWith(text: Column, beginning: string): SQL
  /** `path` itself or below it, by an index. */
  isAtOrBelow(text: Column, path: string): SQL
  /** Rows after one, by (day, id), as successive index ranges. */
  rangesAfter(day: Column, id: Column, row: MirrorCursor): SQL[]
  people: {
    row(place: PersonalTable): SQL
    /** A range of the table and where the next begins. Null: rows are identified by their columns only. */
    stretch(table: string, after: number, place: PersonalTable): { isIn: SQL; next: SQL<number | null> } | null
    said(columns: readonly SQL[]): SQL
    hasText(said: SQL, text: string): SQL
  }
}

export const OF_EVENT = [
  ...(['id', 'kind', 'origin', 'subscription', 'state', 'conflictWith', 'receivedAt', 'transportKey'] as const),
  ...(['identity', 'revision', 'entity', 'problem', 'size', 'sameKeyAs'] as const),
  ...(['dismissedAt', 'dismissedBy', 'dismissedBecause'] as const),
]
export type EventColumn = (typeof OF_EVENT)[number]

const OF_DELIVERY = [
  ...(['id', 'flow', 'part', 'destination', 'urgency', 'yields', 'entity', 'state', 'dueAt', 'open'] as const),
  ...(['tries', 'firstTriedAt', 'settledAt', 'code', 'why'] as const),
]
export type DeliveryColumn = (typeof OF_DELIVERY)[number]

export const eventColumns = ({ events }: Tables) => pick(events, OF_EVENT)

export const linkColumns = ({ links }: Tables) => pick(links, ['destination', 'kind', 'id', 'theirId'])

export const deliveryColumns = ({ deliveries, events }: Tables) => ({
  ...pick(deliveries, OF_DELIVERY),
  event: deliveries.eventId,
  kind: events.kind,
})

/** Each with its event. */
export function selectDeliveries<Columns extends SelectedFields>(
  db: Db,
  { deliveries, events }: Tables,
  columns: Columns,
) {
  return db.select(columns).from(deliveries).innerJoin(events, eq(events.id, deliveries.eventId))
}

export function pick<T extends object, Name extends keyof T>(of: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<T, Name>
}

export function whereEqual<Name extends string>(
  columns: Record<Name, Column>,
  given: Partial<Record<NoInfer<Name>, string | number | undefined>>,
): SQL[] {
  const names = Object.keys(columns) as Name[]
  return names.flatMap((name) => (given[name] === undefined ? [] : [eq(columns[name], given[name])]))
}
