import { and, asc, eq, gt, inArray, lte } from 'drizzle-orm'
import type { Event } from '../../domain/queue/event.ts'
import type { DeliveryRow } from '../rows.ts'
import type { Db, Dialect } from './dialect.ts'
import { createKeptPayloads } from './payloads.ts'

export interface GivenRow
  extends Pick<
    DeliveryRow,
    'id' | 'flow' | 'part' | 'destination' | 'state' | 'settledAt' | 'code' | 'tries' | 'firstTriedAt'
  > {
  effect: string | null
  crashes: number
  event: Omit<Event, 'body'> & { size: number }
}

export interface KeptBody extends Pick<Event, 'id' | 'subscription' | 'body'> {}

export interface GivenPage {
  rows: GivenRow[]
  next: number | null
}

export function createGivenPages(db: Db, dialect: Dialect) {
  const { deliveries, events } = dialect.tables
  const { payloadsOf } = createKeptPayloads(db, dialect)
  const { id, kind, origin, subscription, identity, revision, transportKey, entity, bodyHash, receivedAt, size } =
    events
  const { flow, part, destination, effect, state, settledAt, code, tries, crashes, firstTriedAt } = deliveries
  const columns = {
    event: { id, kind, origin, subscription, identity, revision, transportKey, entity, bodyHash, receivedAt, size },
    ...{ id: deliveries.id, flow, part, destination, effect, state, settledAt, code, tries, crashes, firstTriedAt },
  }

  return {
    async givenPage(destinations: readonly string[], after: number, limit: number): Promise<GivenPage> {
      const page = await db.select({ id }).from(events).where(gt(id, after)).orderBy(asc(id)).limit(limit)
      const last = page.at(-1)?.id
      if (last === undefined) return { rows: [], next: null }
      const rows = await db
        .select(columns)
        .from(events)
        .innerJoin(deliveries, eq(deliveries.eventId, id))
        .where(and(gt(id, after), lte(id, last), inArray(destination, [...destinations])))
        .orderBy(asc(id), asc(deliveries.id))
      return { rows, next: page.length < limit ? null : last }
    },

    async bodies(ids: readonly number[]): Promise<KeptBody[]> {
      const payloads = await payloadsOf(ids)
      const came = await db
        .select({ id, subscription })
        .from(events)
        .where(inArray(id, [...ids]))
      const by = new Map(came.map((event) => [event.id, event.subscription]))
      return payloads.map(({ id: event, body }) => ({ id: event, subscription: by.get(event) ?? null, body }))
    },
  }
}
