import type { Tables } from '../schema.ts'

/* Columns of read models, named: an engine may have more. */

export function eventColumns({ events }: Tables) {
  const { id, kind, origin, subscription, state, conflictWith, receivedAt, transportKey, identity } = events
  const { revision, entity, problem, size, sameKeyAs, dismissedAt, dismissedBy, dismissedBecause } = events
  return {
    id,
    kind,
    origin,
    subscription,
    state,
    conflictWith,
    receivedAt,
    transportKey,
    identity,
    revision,
    entity,
    problem,
    size,
    sameKeyAs,
    dismissedAt,
    dismissedBy,
    dismissedBecause,
  }
}

export function linkColumns({ links }: Tables) {
  const { destination, kind, id, theirId } = links
  return { destination, kind, id, theirId }
}

export function storeColumns({ stores }: Tables) {
  const { storeId, number, name, stockId, countryCode, currency, zone, goneAt } = stores
  return { storeId, number, name, stockId, countryCode, currency, zone, goneAt }
}

/** `kind` needs a join with events. */
export function deliveryColumns({ deliveries, events }: Tables) {
  const { id, eventId, flow, part, destination, urgency, yields, entity, state, dueAt, open, tries } = deliveries
  const { firstTriedAt, settledAt, code, why } = deliveries
  return {
    id,
    event: eventId,
    kind: events.kind,
    flow,
    part,
    destination,
    urgency,
    yields,
    entity,
    state,
    dueAt,
    open,
    tries,
    firstTriedAt,
    settledAt,
    code,
    why,
  }
}
