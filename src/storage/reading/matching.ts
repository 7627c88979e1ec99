import {
  and,
  type Column,
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
import type { DeliveryState } from '../../domain/queue/delivery.ts'
import { OWN_KINDS, PLATFORM, PULLED } from '../../domain/queue/event.ts'
import type { DeliveryFilter, EventFilter } from '../rows.ts'
import type { Tables } from '../schema.ts'
import { whereEqual } from './columns.ts'
import type { Dialect } from './dialect.ts'
import { isFew, isToLookAt, isUnsettledAlone } from './stretches.ts'

export interface Touched {
  states: readonly DeliveryState[]
  certain?: true
}

/** Filters as conditions; those of deliveries need a join with events. */
export function createMatching(dialect: Dialect) {
  const { deliveries, events } = dialect.tables

  return {
    events(filter: EventFilter): SQL | undefined {
      const { id, kind, state, conflict, reusedKey, dismissed, webhooks, entity, since, until, before, after } = filter
      const eventId = eventIdOf(dialect.tables, filter)
      return and(
        id === undefined ? undefined : eq(events.id, id),
        kind === undefined ? undefined : eq(events.kind, kind),
        state === undefined ? undefined : eq(events.state, state),
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
export function eventIdOf({ events }: Tables, { id, reusedKey, state, dismissed, entities }: EventFilter): SQL {
  const isAside = reusedKey === true || entities !== undefined || (dismissed === false && state === undefined)
  const isElsewhere = id === undefined && isAside
  return isElsewhere ? sql`+${events.id}` : sql`${events.id}`
}

export function deliveryIdOf({ deliveries }: Tables, filter: DeliveryFilter): SQL {
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
export function isOutOfPlace({ events }: Tables): SQL {
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
