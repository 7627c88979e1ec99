import { and, asc, desc, eq, inArray, isNotNull } from 'drizzle-orm'
import type { Link } from '../../domain/orders/link.ts'
import type {
  DeliveryDetail,
  DeliveryFilter,
  DeliveryRow,
  EventDetail,
  EventFilter,
  EventRow,
  JobRunRow,
  KeptStore,
} from '../rows.ts'
import { createActScreens, createDeeds, createDetails, detailColumns } from './act-screens.ts'
import { createAgeing } from './ageing.ts'
import { eventColumns, linkColumns, storeColumns } from './columns.ts'
import type { Db, Dialect } from './dialect.ts'
import { createGivenPages } from './given-pages.ts'
import { createMatching, eventIdOf, isUnsettled } from './matching.ts'
import { createCustomerPages, createFindingPages, createGapPages, createMirrorPages } from './mirror-pages.ts'
import { createMovingPast, mayBePast, withPast } from './moving-past.ts'
import { createOrderScreens } from './order-screens.ts'
import { createKeptPayloads, createSwaps } from './payloads.ts'
import { createPeoplePages } from './people-pages.ts'
import { createSearchScreens } from './search-screens.ts'
import { createListing, createSelecting, within } from './selecting.ts'
import { createLevelScreen, createStatusScreen } from './status-screen.ts'
import { createSpans, type Stretch } from './stretches.ts'
import { createSubmissionScreens } from './submission-screens.ts'

const PAGE = 50

/** Methods run several queries: the caller makes `db` one snapshot. */
export function createScreens(db: Db, dialect: Dialect) {
  const { tables, startsWith } = dialect
  const { deliveries, events, jobRuns, links } = tables
  const all = withPast(dialect)
  const matching = createMatching(dialect)
  const detailsOf = createDetails(db, dialect)
  const deeds = createDeeds(db, dialect)
  const { payloadsOf } = createKeptPayloads(db, dialect)

  const list = createListing(db, dialect)
  const listAll = createListing(db, all)

  return {
    async events(filter: EventFilter, stretch: Stretch | null = null): Promise<EventRow[]> {
      const oldestFirst = filter.after !== undefined
      return await db
        .select(eventColumns(tables))
        .from(events)
        .where(and(matching.events(filter), within(events, stretch)))
        .orderBy((oldestFirst ? asc : desc)(eventIdOf(tables, filter)))
        .limit(filter.limit ?? PAGE)
    },

    async event(id: number): Promise<EventDetail | null> {
      const { bodyHash } = events
      const [row] = await db
        .select({ ...eventColumns(tables), bodyHash })
        .from(events)
        .where(eq(events.id, id))
      if (!row) return null
      const [payload] = await payloadsOf([id])
      const headers = payload === undefined ? {} : JSON.parse(payload.headers)
      const body = row.bodyHash === '' ? null : (payload?.body ?? null)
      const pending = await listAll({ event: id, limit: 1_000 })
      const audit = await deeds.ofEvent(
        id,
        pending.map((one) => one.id),
      )
      return { ...row, body, headers, deliveries: pending, audit }
    },

    async deliveries(filter: DeliveryFilter, stretch: Stretch | null = null): Promise<DeliveryRow[]> {
      return await (mayBePast(filter) ? listAll : list)(filter, stretch)
    },

    async delivery(id: number): Promise<DeliveryDetail | null> {
      const { deliveries } = all.tables
      const rows = await db
        .select(detailColumns(all.tables))
        .from(deliveries)
        .innerJoin(events, eq(events.id, deliveries.eventId))
        .where(eq(deliveries.id, id))
      const [detail] = await detailsOf(rows)
      return detail ?? null
    },

    async links(destination: string, kind: string, ids: string[]): Promise<Link[]> {
      return await db
        .select(linkColumns(tables))
        .from(links)
        .where(and(eq(links.destination, destination), eq(links.kind, kind), inArray(links.id, ids)))
        .orderBy(asc(links.id), asc(links.theirId))
    },

    async linksTo(destinations: string[], kind: string, theirIds: string[]): Promise<Link[]> {
      return await db
        .select(linkColumns(tables))
        .from(links)
        .where(and(inArray(links.destination, destinations), eq(links.kind, kind), inArray(links.theirId, theirIds)))
        .orderBy(asc(links.theirId), asc(links.destination), asc(links.id))
    },

    async effectsOf(wanted: 'skipped' | 'delivered', beginning: string): Promise<string[]> {
      const { effect, state } = deliveries
      const rows = await db
        .select({ effect })
        .from(deliveries)
        .where(and(startsWith(effect, beginning), isNotNull(effect), eq(state, wanted)))
        .orderBy(asc(effect))
      return rows.flatMap((row) => row.effect ?? [])
    },

    async arePending(destination: string, flows: readonly string[]): Promise<boolean> {
      const rows = await db
        .select({ id: deliveries.id })
        .from(deliveries)
        .where(
          and(
            eq(deliveries.destination, destination),
            isUnsettled(tables),
            inArray(deliveries.state, ['waiting', 'claimed', 'held']),
            inArray(deliveries.flow, [...flows]),
          ),
        )
        .limit(1)
      return rows.length > 0
    },

    ...createActScreens(db, dialect),
    ...createAgeing(db, dialect),
    ...createMovingPast(db, dialect),
    ...createSearchScreens(db, dialect),
    ...createStatusScreen(db, dialect),
    ...createSubmissionScreens(db, all),
    ...createOrderScreens(db, dialect),
    ...createFindingPages(db, dialect),
    ...createGapPages(db, dialect),
    ...createMirrorPages(db, dialect),
    ...createCustomerPages(db, dialect),
    ...createGivenPages(db, all),
    ...createLevelScreen(db, dialect),
    ...createSpans(db, dialect),
    ...createSelecting(db, dialect),
    ...createPeoplePages(db, dialect),
    ...createSwaps(db, dialect),

    async storeRows(): Promise<KeptStore[]> {
      return await db.select(storeColumns(tables)).from(tables.stores).orderBy(asc(tables.stores.storeId))
    },

    async jobRuns(name: string, limit: number): Promise<JobRunRow[]> {
      const { id, job, startedAt, endedAt, problem, note } = jobRuns
      return await db
        .select({ startedAt, endedAt, problem, note })
        .from(jobRuns)
        .where(eq(job, name))
        .orderBy(desc(id))
        .limit(limit)
    },
  }
}

export type ScreenMethods = ReturnType<typeof createScreens>
