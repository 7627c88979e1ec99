import {
  and,
  asc,
  type Column,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { GapFilter, StoredGap } from '../../domain/completeness/gap.ts'
import { type DeliveryState, UNSETTLED } from '../../domain/queue/delivery.ts'
import { OWN_KINDS, PLATFORM, PULLED } from '../../domain/queue/event.ts'
import {
  type DeliveryFilter,
  type DeliveryRow,
  type EventFilter,
  type EventRow,
  type PendingByFlow,
  toStoredGap,
} from '../rows.ts'
import type { Tables } from '../schema.ts'
import { type Db, type Dialect, deliveryColumns, eventColumns, selectDeliveries, whereEqual } from './dialect.ts'
import { type IdRange, isFew, isToLookAt, isUnsettledAlone } from './stretches.ts'

const PAGE = 50

export function createListing(db: Db, dialect: Dialect) {
  const { tables } = dialect
  const matching = createMatching(dialect)

  return {
    async events(filter: EventFilter, stretch: IdRange | null = null): Promise<EventRow[]> {
      const oldestFirst = filter.after !== undefined
      return await db
        .select(eventColumns(tables))
        .from(tables.events)
        .where(and(matching.events(filter), within(tables.events, stretch)))
        .orderBy((oldestFirst ? asc : desc)(eventIdOf(tables, filter)))
        .limit(filter.limit ?? PAGE)
    },

    async deliveries(filter: DeliveryFilter, stretch: IdRange | null = null): Promise<DeliveryRow[]> {
      return await selectDeliveries(db, tables, deliveryColumns(tables))
        .where(and(matching.deliveries(filter), within(tables.deliveries, stretch)))
        .orderBy(desc(deliveryIdOf(tables, filter)))
        .limit(filter.limit ?? PAGE)
    },
  }
}

function within({ id }: { id: Column }, stretch: IdRange | null): SQL | undefined {
  return stretch === null ? undefined : and(gt(id, stretch.above), lt(id, stretch.below))
}

export type Selection =
  | { of: 'deliveries'; filter: DeliveryFilter; touched: Touched }
  | { of: 'events'; filter: EventFilter }
  | { of: 'gaps'; filter: GapFilter }

export interface Selected {
  deliveries: DeliveryRow
  events: EventRow
  gaps: StoredGap
}

const SAMPLE = 10

interface Part {
  where: SQL | undefined
  id: SQL
}

export function createSelecting(db: Db, dialect: Dialect) {
  const { tables } = dialect
  const { deliveries, events, gaps } = tables
  const matching = createMatching(dialect)

  const rowsOf = {
    deliveries: (ids: number[]) =>
      selectDeliveries(db, tables, deliveryColumns(tables))
        .where(inArray(deliveries.id, ids))
        .orderBy(desc(deliveries.id)),
    events: (ids: number[]) =>
      db.select(eventColumns(tables)).from(events).where(inArray(events.id, ids)).orderBy(desc(events.id)),
    gaps: async (ids: number[]) => {
      const rows = await db.select().from(gaps).where(inArray(gaps.id, ids)).orderBy(desc(gaps.id))
      return rows.map(toStoredGap)
    },
  }

  async function selectedRows<Of extends keyof Selected>(of: Of, ids: number[]): Promise<Selected[Of][]> {
    return ids.length === 0 ? [] : ((await rowsOf[of](ids)) as Selected[Of][])
  }

  function partsOf(selection: Selection): Part[] {
    if (selection.of === 'deliveries') return deliveryParts(selection.filter, selection.touched)
    if (selection.of === 'gaps')
      return [{ where: gapsMatching(gaps, { ...selection.filter, state: 'open' }), id: sql`${gaps.id}` }]
    const where = and(matching.events(selection.filter), isOutOfPlace(tables), isNull(events.dismissedAt))
    return [{ where, id: eventIdOf(tables, { ...selection.filter, dismissed: false }) }]
  }

  function deliveryParts(filter: DeliveryFilter, { states, ...more }: Touched): Part[] {
    const left = states.filter((state) => filter.state === undefined || state === filter.state)
    const part = (some: typeof left, id: SQL, index?: SQL): Part[] => {
      const touched = matching.touched({ states: some, ...more })
      return some.length === 0 ? [] : [{ where: and(matching.deliveries(filter), index, touched), id }]
    }
    const own = sql`${deliveries.id}`
    // As an expression: else SQLite would scan by id rather than use the index of few.
    const few = sql`+${deliveries.id}`
    if (isFew(filter)) return part(left, own)
    const unsettled = left.filter((state) => UNSETTLED.has(state))
    const skipped = left.filter((state) => state === 'skipped')
    return [...part(unsettled, few, isUnsettled(tables)), ...part(skipped, own)]
  }

  function idsOf({ of, filter }: Selection, where: SQL | undefined, order: SQL, limit: number, n = sql`0`) {
    const table = tables[of]
    const all = db.select({ id: table.id, n: n.mapWith(Number) }).from(table)
    const isJoined = of === 'deliveries' && isOfEvents(filter)
    const joined = isJoined ? all.innerJoin(events, eq(events.id, deliveries.eventId)) : all
    return joined.where(where).orderBy(order).limit(limit)
  }

  return {
    async matching(selection: Selection): Promise<{ matched: number; sample: Selected[keyof Selected][] }> {
      let matched = 0
      const ids: number[] = []
      for (const { where, id } of partsOf(selection)) {
        const newest = await idsOf(selection, where, desc(id), SAMPLE, sql`count(*) over ()`)
        matched += newest[0]?.n ?? 0
        ids.push(...newest.map((row) => row.id))
      }
      return { matched, sample: await selectedRows(selection.of, ids.sort((a, b) => b - a).slice(0, SAMPLE)) }
    },

    selectedRows,

    async selectedIds(selection: Selection, after: number, limit: number): Promise<number[]> {
      const all: number[] = []
      for (const { where, id } of partsOf(selection)) {
        const rows = await idsOf(selection, and(where, gt(id, after)), id, limit)
        all.push(...rows.map((row) => row.id))
      }
      return all.sort((a, b) => a - b).slice(0, limit)
    },

    async pendingByFlow(filter: Pick<DeliveryFilter, 'destination' | 'flow' | 'kind'>): Promise<PendingByFlow[]> {
      const { flow } = deliveries
      const counts: PendingByFlow[] = []
      for (const { where } of deliveryParts(filter, { states: [...UNSETTLED] })) {
        const all = db.select({ flow, deliveries: count() }).from(deliveries)
        const joined = isOfEvents(filter) ? all.innerJoin(events, eq(events.id, deliveries.eventId)) : all
        counts.push(...(await joined.where(where).groupBy(flow).orderBy(flow)))
      }
      return counts
    },
  }
}

function isOfEvents({ kind, since, until }: DeliveryFilter): boolean {
  return kind !== undefined || since !== undefined || until !== undefined
}

interface Touched {
  states: readonly DeliveryState[]
  certain?: true
}

/** Filters as conditions; those of deliveries need a join with events. */
function createMatching(dialect: Dialect) {
  const { deliveries, events } = dialect.tables

  return {
    events(filter: EventFilter): SQL | undefined {
      const { conflict, reusedKey, dismissed, webhooks, entity, since, until, before, after } = filter
      const { id, kind, state } = events
      const eventId = eventIdOf(dialect.tables, filter)
      return and(
        ...whereEqual({ id, kind, state }, filter),
        entity === undefined ? undefined : isAbout(dialect, events.entity, entity),
        filter.entities && and(inArray(events.entity, [...filter.entities]), dialect.isOfOrder(events.entity)),
        conflict === undefined ? undefined : (conflict ? isNotNull : isNull)(events.conflictWith),
        reusedKey === undefined ? undefined : (reusedKey ? isNotNull : isNull)(events.sameKeyAs),
        dismissed === undefined ? undefined : (dismissed ? isNotNull : isNull)(events.dismissedAt),
        webhooks ? isWebhook(dialect.tables) : undefined,
        isToLookAt(filter) ? isOutOfPlace(dialect.tables) : undefined,
        since === undefined ? undefined : gte(events.receivedAt, since),
        until === undefined ? undefined : lt(events.receivedAt, until),
        before === undefined ? undefined : lt(eventId, before),
        after === undefined ? undefined : gt(eventId, after),
      )
    },

    deliveries(filter: DeliveryFilter): SQL | undefined {
      const { event, events: of, flows, kind, state, entity, code, since, until, before } = filter
      const { id, destination, flow } = deliveries
      return and(
        event === undefined ? undefined : eq(deliveries.eventId, event),
        of === undefined ? undefined : inArray(deliveries.eventId, [...of]),
        ...whereEqual({ id, destination, flow }, filter),
        flows === undefined ? undefined : inArray(deliveries.flow, [...flows]),
        kind === undefined ? undefined : eq(events.kind, kind),
        state === undefined ? undefined : inState(dialect.tables, state),
        isUnsettledAlone(filter) && !isFew(filter) ? isUnsettled(dialect.tables) : undefined,
        entity === undefined ? undefined : isAbout(dialect, deliveries.entity, entity),
        code === undefined ? undefined : eq(deliveries.code, code),
        since === undefined ? undefined : gte(events.receivedAt, since),
        until === undefined ? undefined : lt(events.receivedAt, until),
        before === undefined ? undefined : lt(deliveryIdOf(dialect.tables, filter), before),
      )
    },

    touched({ states, certain }: Touched): SQL | undefined {
      const [only] = states
      const inStates =
        states.length === 1 && only ? inState(dialect.tables, only) : inArray(deliveries.state, [...states])
      return and(inStates, certain ? eq(deliveries.open, false) : undefined)
    },
  }
}

/** As an expression where another index finds few: else SQLite would scan by id. */
function eventIdOf({ events }: Tables, { id, reusedKey, state, dismissed, entities }: EventFilter): SQL {
  const isAside = reusedKey === true || entities !== undefined || (dismissed === false && state === undefined)
  const isElsewhere = id === undefined && isAside
  return isElsewhere ? sql`+${events.id}` : sql`${events.id}`
}

function deliveryIdOf({ deliveries }: Tables, filter: DeliveryFilter): SQL {
  return isUnsettledAlone(filter) ? sql`+${deliveries.id}` : sql`${deliveries.id}`
}

/** Word for word the index condition. */
function inState({ deliveries }: Tables, state: DeliveryState): SQL {
  return state === 'skipped' ? sql`${deliveries.state} = 'skipped'` : eq(deliveries.state, state)
}

export function isAbout({ isOfOrder }: Dialect, column: Column, entity: string): SQL | undefined {
  return and(eq(column, entity), entity.startsWith('order:') ? isOfOrder(column) : undefined)
}

/** Word for word the index condition. */
function isOutOfPlace({ events }: Tables): SQL {
  return sql`(${events.state} <> 'routed' or ${events.conflictWith} is not null)`
}

/** A webhook whose address names no subscription has none. */
function isWebhook({ events }: Tables): SQL | undefined {
  const { kind, origin, subscription } = events
  return and(eq(origin, PLATFORM), or(isNull(subscription), ne(subscription, PULLED)), notInArray(kind, [...OWN_KINDS]))
}

/** Word for word the index condition. */
export function isUnsettled({ deliveries }: Tables): SQL {
  return sql`${deliveries.state} in ('waiting', 'claimed', 'held', 'dead')`
}

export function gapsMatching(gaps: Tables['gaps'], filter: GapFilter): SQL | undefined {
  const { id, state, source, cause, kind, storeId, destination, day } = gaps
  return and(...whereEqual({ id, state, source, cause, kind, storeId, destination, day }, filter))
}
