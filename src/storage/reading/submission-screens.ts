import { and, asc, count, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { SubmissionDetail, SubmissionItem, SubmissionItemFilter } from '../rows.ts'
import type { Db, Dialect } from './dialect.ts'

const PAGE = 100
const ALL = 1_000
/** The range of PostgreSQL's int. */
const MAX_LINES = 2 ** 31 - 1
const MAX_ROWS = MAX_LINES

export function createSubmissionScreens(db: Db, { tables: { deliveries, events, submissions } }: Dialect) {
  function selectItems(where: SQL | undefined, limit: number): Promise<SubmissionItem[]> {
    return db
      .select({
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
  }

  async function countLines(id: number): Promise<{ items: number; unrouted: number }> {
    const unrouted = sql`count(*) filter (where ${events.state} = 'unrouted')`.mapWith(Number)
    const [lines] = await db.select({ items: count(), unrouted }).from(events).where(eq(events.submission, id))
    return lines ?? { items: 0, unrouted: 0 }
  }

  function countStates(id: number): Promise<SubmissionDetail['states']> {
    const rows = db
      .select({ destination: deliveries.destination, state: deliveries.state })
      .from(events)
      .innerJoin(deliveries, eq(deliveries.eventId, events.id))
      .where(eq(events.submission, id))
      // With a limit SQLite joins from the events before grouping.
      .limit(MAX_ROWS)
      .as('pending')
    const { destination, state } = rows
    return db
      .select({ destination, state, count: count() })
      .from(rows)
      .groupBy(destination, state)
      .orderBy(asc(destination), asc(state))
  }

  return {
    async submission(id: number): Promise<SubmissionDetail | null> {
      const [row] = await db.select().from(submissions).where(eq(submissions.id, id))
      if (!row) return null
      const end = row.end === null ? null : JSON.parse(row.end)
      return { ...row, ...(await countLines(id)), states: await countStates(id), end }
    },

    /** All deliveries of the last line, even beyond `limit`. */
    async submissionItems(id: number, filter: SubmissionItemFilter): Promise<SubmissionItem[]> {
      const { states, after = 0, limit = PAGE } = filter
      const wanted = and(eq(events.submission, id), inArray(deliveries.state, [...states]))
      const items = await selectItems(and(wanted, gt(events.line, Math.min(after, MAX_LINES))), limit)
      const last = items.at(-1)
      if (!last || items.length < limit) return items
      const rest = await selectItems(and(wanted, eq(events.line, last.line), gt(deliveries.id, last.delivery)), ALL)
      return [...items, ...rest]
    },
  }
}
