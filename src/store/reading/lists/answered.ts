import { UNSETTLED } from '../../../domain/queue/delivery.ts'
import type { DeliveryFilter, EventFilter } from '../../screens.ts'

/*
 * Lists that an index answers, and lists that are ids alone, are asked for in one question. All others are looked for in
 * stretches: whatever was asked for, no question takes the longer the more there is.
 */

export function isEventsAnswered(filter: EventFilter): boolean {
  const { id, entity, entities, reusedKey } = filter
  const isFound = id !== undefined || isOrder(entity) || entities !== undefined || reusedKey === true
  return isFound || isToLookAt(filter) || isIdsAlone(filter)
}

export function isDeliveriesAnswered(filter: DeliveryFilter): boolean {
  return isFew(filter) || isUnsettledAlone(filter) || filter.state === 'skipped' || isIdsAlone(filter)
}

/** The filter selects what somebody has to look at: there is an index of nothing else. */
export function isToLookAt({ dismissed, conflict, state }: EventFilter): boolean {
  return dismissed === false && (conflict === true || (state ?? 'routed') !== 'routed')
}

/** The filter selects deliveries that are not settled well: there is an index of nothing else. */
export function isUnsettledAlone({ state }: DeliveryFilter): boolean {
  return state !== undefined && UNSETTLED.has(state)
}

/** The filter selects a handful of deliveries: one, those of an event or of some, or those of an order. */
export function isFew({ id, event, events, entity }: DeliveryFilter): boolean {
  return id !== undefined || event !== undefined || events !== undefined || isOrder(entity)
}

export function isOrder(entity: string | undefined): boolean {
  return entity?.startsWith('order:') ?? false
}

function isIdsAlone(filter: EventFilter | DeliveryFilter): boolean {
  return Object.entries(filter).every(([name, value]) => value === undefined || IDS.has(name))
}

const IDS: ReadonlySet<string> = new Set(['before', 'after', 'limit'])
