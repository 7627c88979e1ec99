import { UNSETTLED } from '../../../domain/queue/delivery.ts'
import type { DeliveryFilter, EventFilter } from '../../screens.ts'

/* Lists with an index, or by ids alone, are one query; others are read in stretches of bounded time. */

export function isEventsAnswered(filter: EventFilter): boolean {
  const { id, entity, entities, reusedKey } = filter
  const isFound = id !== undefined || isOrder(entity) || entities !== undefined || reusedKey === true
  return isFound || isToLookAt(filter) || isIdsAlone(filter)
}

export function isDeliveriesAnswered(filter: DeliveryFilter): boolean {
  return isFew(filter) || isUnsettledAlone(filter) || filter.state === 'skipped' || isIdsAlone(filter)
}

/** Index of events to be looked at. */
export function isToLookAt({ dismissed, conflict, state }: EventFilter): boolean {
  return dismissed === false && (conflict === true || (state ?? 'routed') !== 'routed')
}

/** Index of unsettled deliveries. */
export function isUnsettledAlone({ state }: DeliveryFilter): boolean {
  return state !== undefined && UNSETTLED.has(state)
}

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
