import { and, asc, count, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { SubmissionDetail, SubmissionItem, SubmissionItemFilter } from '../screens.ts'
import { deliveries, events, submissions } from './schema.ts'

const PAGE = 100

/** What own systems and people read about a submission, as drizzle queries. */
export function createSubmissionScreens(db: BetterSQLite3Database) {
  function selectItems(where: SQL | undefined, limit: number): SubmissionItem[] {
    return db
      .select({
        // Never null: the event is of a submission.
        line: sql<number>`${events.line}`,
        event: events.id,
        entity: events.entity,
        delivery: deliveries.id,
        destination: deliveries.destination,
        state: deliveries.state,
        code: deliveries.code,
        why: deliveries.why,
      })
      .from(events)
      .innerJoin(deliveries, eq(deliveries.eventId, events.id))
      .where(where)
      .orderBy(asc(events.line), asc(deliveries.id))
      .limit(limit)
      .all()
  }

  return {
    submission(id: number): SubmissionDetail | null {
      const row = db.select().from(submissions).where(eq(submissions.id, id)).get()
      if (!row) return null
      const lines = db
        .select({ items: count(), unrouted: sql<number>`coalesce(sum(${events.state} = 'unrouted'), 0)` })
        .from(events)
        .where(eq(events.submission, id))
        .get()
      const states = db
        .select({ destination: deliveries.destination, state: deliveries.state, count: count() })
        .from(events)
        .innerJoin(deliveries, eq(deliveries.eventId, events.id))
        .where(eq(events.submission, id))
        .groupBy(deliveries.destination, deliveries.state)
        .all()
      const end = row.end === null ? null : JSON.parse(row.end)
      return { ...row, items: lines?.items ?? 0, unrouted: lines?.unrouted ?? 0, states, end }
    },

    /** A line is never cut: the last one's deliveries all come, though they are more than `limit`. */
    submissionItems(id: number, { states, after = 0, limit = PAGE }: SubmissionItemFilter): SubmissionItem[] {
      const wanted = and(eq(events.submission, id), inArray(deliveries.state, [...states]))
      const items = selectItems(and(wanted, gt(events.line, after)), limit)
      const last = items.at(-1)
      if (!last || items.length < limit) return items
      const rest = selectItems(and(wanted, eq(events.line, last.line), gt(deliveries.id, last.delivery)), ALL)
      return [...items, ...rest]
    },
  }
}

/** A line has a handful of deliveries. */
const ALL = 1_000
