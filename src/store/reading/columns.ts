import type { Tables } from './dialect.ts'

/*
 * Which columns people read of events, deliveries and links; the others are the store's own business. Each is named: an engine
 * may have more of its own.
 */

/** The columns of an event in a list. */
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

/** The columns of a link. */
export function linkColumns({ links }: Tables) {
  const { destination, kind, id, theirId } = links
  return { destination, kind, id, theirId }
}

/** The columns of a store of the platform. */
export function storeColumns({ stores }: Tables) {
  const { storeId, number, name, stockId, countryCode, currency, zone, goneAt } = stores
  return { storeId, number, name, stockId, countryCode, currency, zone, goneAt }
}

/** The columns of a delivery; its event's kind needs a join. */
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
