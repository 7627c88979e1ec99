import { and, asc, eq, gt, inArray, isNull, lte, sql } from 'drizzle-orm'
import type { RetainedEvent } from '../../domain/retention.ts'
import type { Acknowledged, AcknowledgedPage, AgeingEvent, LegalHold, RetainedEvents } from '../rows.ts'
import type { Db, Dialect } from './dialect.ts'
import { isOutOfPlace, isUnsettled } from './selecting.ts'

export function createAgeing(db: Db, { tables }: Dialect) {
  const { deliveries, events, legalHolds } = tables

  // As an expression, so that the index of few rows is chosen and not the id.
  const eventOf = sql<number>`+${deliveries.eventId}`
  const idOf = sql<number>`+${events.id}`

  return {
    async retained(upTo: number, limit: number): Promise<RetainedEvents> {
      const unsettled = await db
        .select({ event: deliveries.eventId, state: deliveries.state })
        .from(deliveries)
        .where(and(isUnsettled(tables), sql`${eventOf} <= ${upTo}`))
        .orderBy(asc(eventOf))
        .limit(limit)
      const rejected = await db
        .select({ event: events.id })
        .from(events)
        .where(and(isOutOfPlace(tables), isNull(events.dismissedAt), sql`${idOf} <= ${upTo}`))
        .orderBy(asc(idOf))
        .limit(limit)
      const held = await db
        .select({ event: legalHolds.eventId })
        .from(legalHolds)
        .where(lte(legalHolds.eventId, upTo))
        .orderBy(asc(legalHolds.eventId))
        .limit(limit)
      const why = new Map<number, RetainedEvent['why']>()
      for (const { event, state } of unsettled) if (state === 'dead') why.set(event, 'dead')
      for (const { event, state } of unsettled) if (state !== 'dead') why.set(event, 'open')
      for (const { event } of rejected) why.set(event, 'rejected')
      for (const { event } of held) why.set(event, 'hold')
      const reach = Math.min(...[unsettled, rejected, held].map((rows) => (rows.length < limit ? upTo : lastOf(rows))))
      const retained = [...why].map(([event, why]) => ({ event, why })).filter(({ event }) => event <= reach)
      return { upTo: reach, events: retained.sort((a, b) => a.event - b.event) }
    },

    async ageing(after: number, limit: number): Promise<AgeingEvent[]> {
      const { id, kind, receivedAt, entity, size } = events
      const rows = await db
        .select({ id, kind, receivedAt, entity, size })
        .from(events)
        .where(gt(id, after))
        .orderBy(asc(id))
        .limit(limit)
      const last = rows.at(-1)?.id ?? after
      const pending = await db
        .select({ event: deliveries.eventId })
        .from(deliveries)
        .where(and(gt(deliveries.eventId, after), lte(deliveries.eventId, last)))
      const counts = new Map<number, number>()
      for (const { event } of pending) counts.set(event, (counts.get(event) ?? 0) + 1)
      return rows.map((row) => ({ ...row, deliveries: counts.get(row.id) ?? 0 }))
    },

    async acknowledgedUpTo(upTo: number, after: Acknowledged | null, limit: number): Promise<AcknowledgedPage> {
      const { destination, flow, subject, digest, version } = tables.acknowledged
      const place = after ?? { destination: '', flow: '', subject: '' }
      const page = await db
        .select({ destination, flow, subject, digest, version })
        .from(tables.acknowledged)
        .where(sql`(${destination}, ${flow}, ${subject}) > (${place.destination}, ${place.flow}, ${place.subject})`)
        .orderBy(asc(destination), asc(flow), asc(subject))
        .limit(limit)
      const rows = page.map(({ digest, version, ...row }) => ({
        row,
        isOld: digest === null && version !== null && version <= upTo,
      }))
      return {
        rows: rows.flatMap(({ row, isOld }) => (isOld ? [row] : [])),
        next: page.length < limit ? null : (rows.at(-1)?.row ?? null),
      }
    },

    async legalHolds(after: number, limit: number): Promise<LegalHold[]> {
      const { eventId, at, by, reason } = legalHolds
      return await db
        .select({ event: eventId, at, by, reason })
        .from(legalHolds)
        .where(gt(eventId, after))
        .orderBy(asc(eventId))
        .limit(limit)
    },

    async eventsHere(ids: readonly number[]): Promise<number[]> {
      const rows = await db
        .select({ id: events.id })
        .from(events)
        .where(inArray(events.id, [...ids]))
      return rows.map(({ id }) => id)
    },

    async openGapKeys(limit: number): Promise<string[]> {
      const { gaps } = tables
      const rows = await db.select({ key: gaps.key }).from(gaps).where(eq(gaps.state, 'open')).limit(limit)
      return rows.map(({ key }) => key)
    },
  }
}

function lastOf(rows: readonly { event: number }[]): number {
  return rows.at(-1)?.event ?? 0
}
