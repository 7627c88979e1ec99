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
import type { DeliveryFilter, EventFilter } from '../screens.ts'
import type { Dialect, Tables } from './dialect.ts'
import { isFew, isToLookAt, isUnsettledAlone } from './lists/answered.ts'

/** The deliveries that a person's verb applies to. */
export interface Touched {
  states: readonly DeliveryState[]
  /** Only deliveries of which no call may have had its effect. */
  certain?: true
}

/** Filters as conditions: everything given must hold. Those of deliveries need a join with their events. */
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
      const {
        id,
        event,
        events: of,
        destination,
        flow,
        flows,
        kind,
        state,
        entity,
        code,
        since,
        until,
        before,
      } = filter
      return and(
        id === undefined ? undefined : eq(deliveries.id, id),
        event === undefined ? undefined : eq(deliveries.eventId, event),
        of === undefined ? undefined : inArray(deliveries.eventId, [...of]),
        destination === undefined ? undefined : eq(deliveries.destination, destination),
        flow === undefined ? undefined : eq(deliveries.flow, flow),
        flows === undefined ? undefined : inArray(deliveries.flow, [...flows]),
        kind === undefined ? undefined : eq(events.kind, kind),
        state === undefined ? undefined : inState(dialect.tables, state),
        // By that index, where none leads to fewer.
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

/**
 * The id that a list goes by. Where it is found by an index that has it in another order, as an expression: by the id itself
 * SQLite would walk through all rows, in place of the few that the index holds.
 */
export function eventIdOf({ events }: Tables, { id, reusedKey, state, dismissed, entities }: EventFilter): SQL {
  const isAside = reusedKey === true || entities !== undefined || (dismissed === false && state === undefined)
  const isElsewhere = id === undefined && isAside
  return isElsewhere ? sql`+${events.id}` : sql`${events.id}`
}

/** The same of deliveries. */
export function deliveryIdOf({ deliveries }: Tables, filter: DeliveryFilter): SQL {
  return isUnsettledAlone(filter) ? sql`+${deliveries.id}` : sql`${deliveries.id}`
}

/** One state; what was skipped has an index of its own, and its condition is said as that index says it. */
function inState({ deliveries }: Tables, state: DeliveryState): SQL {
  return state === 'skipped' ? sql`${deliveries.state} = 'skipped'` : eq(deliveries.state, state)
}

/** The condition for one entity; for an order's, by the index that holds nothing but orders. */
export function isAbout({ isOfOrder }: Dialect, column: Column, entity: string): SQL | undefined {
  return and(eq(column, entity), entity.startsWith('order:') ? isOfOrder(column) : undefined)
}

/** The condition for events that somebody has to look at, or has, as the index has it that holds nothing else (and nothing dismissed). */
export function isOutOfPlace({ events }: Tables): SQL {
  return sql`(${events.state} <> 'routed' or ${events.conflictWith} is not null)`
}

/** Sent by the platform, not read there; a webhook whose address names no subscription has none. */
function isWebhook({ events }: Tables): SQL | undefined {
  const { kind, origin, subscription } = events
  return and(eq(origin, PLATFORM), or(isNull(subscription), ne(subscription, PULLED)), notInArray(kind, [...OWN_KINDS]))
}

/** Not settled well, in the words of the indexes that hold nothing else. */
export function isUnsettled({ deliveries }: Tables): SQL {
  return sql`${deliveries.state} in ('waiting', 'claimed', 'held', 'dead')`
}
