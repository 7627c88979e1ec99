import { and, asc, inArray, isNull, max, min, sql } from 'drizzle-orm'
import type { FailedDeliveries, FailedEvents, Failures } from '../rows.ts'
import { type Db, type Dialect, eventColumns } from './dialect.ts'
import { isOutOfPlace, isUnsettled } from './selecting.ts'

/** Rows looked at of deliveries, and as many of events: their causes are not in an index. */
const LOOKED_AT = 10_000

/** What needs an operator, by cause. */
export function createFailures(db: Db, dialect: Dialect) {
  const { tables } = dialect
  const { deliveries, events } = tables
  const count = sql`count(*)`.mapWith(Number)

  async function failedDeliveries(): Promise<FailedDeliveries[]> {
    const { id, eventId, destination, state, open, code } = deliveries
    const failed = db
      .select({ id, eventId, destination, state, open, code })
      .from(deliveries)
      .where(and(isUnsettled(tables), inArray(state, ['held', 'dead'])))
      .limit(LOOKED_AT)
      .as('failed')
    const groups = await db
      .select({
        destination: failed.destination,
        state: failed.state,
        open: failed.open,
        code: failed.code,
        count,
        first: min(failed.eventId),
        newest: max(failed.id),
      })
      .from(failed)
      .groupBy(failed.destination, failed.state, failed.open, failed.code)
    if (groups.length === 0) return []
    const received = await receivedAt(groups.map(({ first }) => first ?? 0))
    const newest = groups.map((group) => group.newest ?? 0)
    const whys = await db.select({ id, why: deliveries.why }).from(deliveries).where(inArray(id, newest))
    const why = new Map(whys.map((row) => [row.id, row.why]))
    return groups.map(({ first, newest, state, open: isOpen, ...group }) => ({
      ...group,
      state: state === 'held' ? 'held' : 'dead',
      inDoubt: state === 'held' && Boolean(isOpen),
      oldest: received.get(first ?? 0) ?? 0,
      newest: newest ?? 0,
      why: why.get(newest ?? 0) ?? null,
    }))
  }

  async function receivedAt(ids: number[]): Promise<Map<number, number>> {
    const rows = await db.select({ id: events.id, at: events.receivedAt }).from(events).where(inArray(events.id, ids))
    return new Map(rows.map(({ id, at }) => [id, at]))
  }

  async function failedEvents(): Promise<FailedEvents[]> {
    const { id, kind, state, conflictWith, receivedAt: at } = events
    const inConflict = sql<number>`${conflictWith} is not null`.as('in_conflict')
    const failed = db
      .select({ id, kind, state, at, inConflict })
      .from(events)
      .where(and(isOutOfPlace(tables), isNull(events.dismissedAt)))
      .limit(LOOKED_AT)
      .as('failed')
    const groups = await db
      .select({
        kind: failed.kind,
        state: failed.state,
        inConflict: failed.inConflict,
        count,
        oldest: min(failed.at),
        newest: max(failed.id),
      })
      .from(failed)
      .groupBy(failed.kind, failed.state, sql`${failed.inConflict}`)
      .orderBy(asc(failed.kind))
    if (groups.length === 0) return []
    const newest = groups.map((group) => group.newest ?? 0)
    const rows = await db.select(eventColumns(tables)).from(events).where(inArray(id, newest))
    return groups.map(({ kind: of, state: was, inConflict: isOne, count: n, oldest, newest: last }) => ({
      kind: of,
      cause: isOne ? 'conflict' : was === 'quarantined' ? 'quarantined' : 'unrouted',
      count: n,
      oldest: oldest ?? 0,
      newest: last ?? 0,
      why: rows.find((row) => row.id === last)?.problem ?? null,
    }))
  }

  return {
    async failures(): Promise<Failures> {
      const found = { deliveries: await failedDeliveries(), events: await failedEvents() }
      const cut = [found.deliveries, found.events].some(
        (groups) => groups.reduce((sum, group) => sum + group.count, 0) >= LOOKED_AT,
      )
      return { ...found, cut }
    },
  }
}
