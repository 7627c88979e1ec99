import { type Column, eq, type SQL } from 'drizzle-orm'
import type { Tables } from '../schema.ts'

const OF_EVENT = [
  ...(['id', 'kind', 'origin', 'subscription', 'state', 'conflictWith', 'receivedAt', 'transportKey'] as const),
  ...(['identity', 'revision', 'entity', 'problem', 'size', 'sameKeyAs'] as const),
  ...(['dismissedAt', 'dismissedBy', 'dismissedBecause'] as const),
]
export type EventColumn = (typeof OF_EVENT)[number]

const OF_DELIVERY = [
  ...(['id', 'flow', 'part', 'destination', 'urgency', 'yields', 'entity', 'state', 'dueAt', 'open'] as const),
  ...(['tries', 'firstTriedAt', 'settledAt', 'code', 'why'] as const),
]
export type DeliveryColumn = (typeof OF_DELIVERY)[number]

export const eventColumns = ({ events }: Tables) => pick(events, OF_EVENT)

export const linkColumns = ({ links }: Tables) => pick(links, ['destination', 'kind', 'id', 'theirId'])

export const deliveryColumns = ({ deliveries, events }: Tables) => ({
  ...pick(deliveries, OF_DELIVERY),
  event: deliveries.eventId,
  kind: events.kind,
})

export function pick<T extends object, Name extends keyof T>(of: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<T, Name>
}

export function whereEqual<Name extends string>(
  columns: Record<Name, Column>,
  given: Partial<Record<NoInfer<Name>, string | number | undefined>>,
): SQL[] {
  const names = Object.keys(columns) as Name[]
  return names.flatMap((name) => (given[name] === undefined ? [] : [eq(columns[name], given[name])]))
}
