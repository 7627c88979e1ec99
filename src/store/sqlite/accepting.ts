import type { Database } from 'better-sqlite3'
import { completes, decide, type Known } from '../../domain/dedupe.ts'
import { payloadOf } from '../../domain/event.ts'
import type { Arrival, Verdict } from '../store.ts'
import { digest, type Keys, type KeyTable, keysOf } from './keys.ts'
import type { Owing } from './owing.ts'

/** An arrival on its way to the writer's thread: all bodies of a list travel in one buffer. */
export type PackedArrival = Omit<Arrival, 'body'> & { size: number }

/** What came of an arrival, with the ids of the deliveries that it owes now (0: not owed). */
export interface Accepted {
  verdict: Verdict
  revision: number
  deliveries: number[]
}

type EventState = 'routed' | 'unrouted' | 'quarantined'

interface SeenEvent {
  state: EventState
  revision: number
  bodyHash: string
  facts: string | null
  receivedAt: number
}

/**
 * Decides about arrivals and keeps them. It runs inside a transaction of the caller.
 * `sameBytesWindow`: how long the same bytes are a copy where nothing else tells (milliseconds).
 */
export function createAccepting(db: Database, keyTable: KeyTable, owing: Owing, sameBytesWindow: number) {
  const getEvent = db.prepare<[number], SeenEvent>(
    'select state, revision, body_hash as bodyHash, facts, received_at as receivedAt from events where id = ?',
  )
  const addEvent = db.prepare(
    `insert into events (id, kind, origin, subscription, state, conflict_with, received_at, transport_key, identity,
       revision, entity, facts, problem, size, body_hash) values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
  )
  const addPayload = db.prepare('insert into payloads (event_id, headers, body) values (?, ?, ?)')
  const addLink = db.prepare(
    'insert into links (destination, kind, id, their_id) values (?,?,?,?) on conflict do nothing',
  )
  const getBody = db.prepare<[number], { body: Buffer }>('select body from payloads where event_id = ?')
  const setBody = db.prepare('update payloads set body = ? where event_id = ?')
  const setEventBody = db.prepare('update events set body_hash = ?, size = ?, facts = ?, entity = ? where id = ?')
  const actedOn = db.prepare<[number], { id: number }>(
    `select id from deliveries where event_id = ? and (state <> 'waiting' or first_tried_at is not null) limit 1`,
  )
  const lastId = db.prepare<[], { id: number | null }>('select max(id) as id from events')
  let last = lastId.get()?.id ?? 0
  /** Events of which a delivery is out: their claims are known in the other thread only. */
  let claimed = new Set<number>()

  function accept(arrival: PackedArrival, body: Uint8Array): Accepted {
    if (arrival.refused) return keep(arrival, body, 0, { transport: null, identity: null, bytes: null })
    const keys = keysOf(arrival)
    const known = lookUp(keys, arrival.problem === null)
    const hasIdentity = arrival.identity !== null
    const hasTransportKey = arrival.transportKey !== null
    const decision = decide({ ...arrival, hasIdentity, hasTransportKey }, known, sameBytesWindow)
    switch (decision.type) {
      case 'duplicate':
        if (keys.transport && !known.byTransportKey) keyTable.put(keys.transport, decision.of)
        return decision.otherBytes ? complete(arrival, body, decision.of) : duplicate(decision.of)
      case 'conflict':
        return conflict(arrival, body, decision.with, keys)
      case 'new':
        return keep(arrival, body, decision.revision, keys)
    }
  }

  /** What cannot be read makes no copy of what can be: the whole body may follow a broken one. */
  function lookUp(keys: Keys, readable: boolean): Known {
    const known: Known = { byTransportKey: null, byIdentity: null, byBytes: null }
    const sameTransport = keys.transport === null ? undefined : keyTable.get(keys.transport)
    if (sameTransport !== undefined && !(readable && getEvent.get(sameTransport)?.state === 'quarantined'))
      return { ...known, byTransportKey: { id: sameTransport } }
    const key = keys.identity ?? keys.bytes
    const id = key === null ? undefined : keyTable.get(key)
    const event = id === undefined ? undefined : getEvent.get(id)
    if (id === undefined || event === undefined) return known
    const { revision, bodyHash, receivedAt } = event
    const facts = event.facts === null ? null : JSON.parse(event.facts)
    return keys.identity
      ? { ...known, byIdentity: { id, revision, bodyHash, facts } }
      : { ...known, byBytes: { id, receivedAt } }
  }

  function keep(arrival: PackedArrival, body: Uint8Array, revision: number, keys: Keys): Accepted {
    const state = stateOf(arrival)
    const id = insert(arrival, body, state, null, revision)
    keyTable.remember(keys, id)
    for (const link of arrival.links ?? []) addLink.run(link.destination, link.kind, link.id, link.theirId)
    const deliveries = owing.owe({ ...arrival, id, revision }, arrival.deliveries)
    if (state === 'quarantined') return { verdict: { status: 'quarantined', id }, revision, deliveries }
    return { verdict: { status: 'accepted', id, unrouted: state === 'unrouted' }, revision, deliveries }
  }

  function insert(
    arrival: PackedArrival,
    body: Uint8Array,
    state: EventState,
    conflictWith: number | null,
    revision: number,
  ): number {
    const id = last + 1
    addEvent.run(
      id,
      arrival.kind,
      arrival.origin,
      arrival.subscription,
      state,
      conflictWith,
      arrival.receivedAt,
      arrival.transportKey,
      arrival.identity,
      revision,
      arrival.entity,
      arrival.facts && JSON.stringify(arrival.facts),
      arrival.problem,
      arrival.size,
      arrival.bodyHash,
    )
    addPayload.run(id, JSON.stringify(arrival.headers), body)
    last = id
    return id
  }

  /** The same immutable fact with other amount, time or store: kept beside the first, acted on by nobody but a person. */
  function conflict(arrival: PackedArrival, body: Uint8Array, withId: number, keys: Keys): Accepted {
    const sameConflict = digest('conflict', `${withId}\0${arrival.bodyHash}`)
    const seen = keyTable.get(sameConflict)
    if (seen !== undefined) return duplicate(seen)
    // Conflicts of one identity are counted, so that each has a delivery key of its own if a person routes it.
    const latest = digest('latest-conflict', String(withId))
    const before = keyTable.get(latest)
    const revision = (before === undefined ? 0 : (getEvent.get(before)?.revision ?? 0)) + 1
    const id = insert(arrival, body, 'unrouted', withId, revision)
    for (const key of [sameConflict, latest, keys.transport]) if (key !== null) keyTable.put(key, id)
    return { verdict: { status: 'conflict', id, with: withId }, revision: 0, deliveries: [] }
  }

  /** A fuller body replaces a thinner one, as long as nobody has acted on it. */
  function complete(arrival: PackedArrival, body: Uint8Array, of: number): Accepted {
    const before = getBody.get(of)
    const event = getEvent.get(of)
    if (!before || !event || claimed.has(of) || actedOn.get(of) || !completes(payloadOf({ body }), payloadOf(before)))
      return duplicate(of)
    setBody.run(body, of)
    setEventBody.run(arrival.bodyHash, arrival.size, arrival.facts && JSON.stringify(arrival.facts), arrival.entity, of)
    const deliveries = owing.owe({ ...arrival, id: of, revision: event.revision }, arrival.deliveries)
    if (deliveries.some((id) => id > 0)) owing.routed(of)
    return { verdict: { status: 'duplicate', id: of, completed: true }, revision: event.revision, deliveries }
  }

  return {
    /** Takes a list of arrivals (JSON of `PackedArrival[]`) whose bodies lie one after the other in `bodies`. */
    accept(arrivals: string, bodies: Uint8Array, claimedEvents: number[]): Accepted[] {
      claimed = new Set(claimedEvents)
      let from = 0
      const accepted = (JSON.parse(arrivals) as PackedArrival[]).map((arrival) => {
        const body = bodies.subarray(from, from + arrival.size)
        from += arrival.size
        return accept(arrival, arrival.refused ? new Uint8Array() : body)
      })
      keyTable.merge()
      return accepted
    },

    /** After a rollback: ids handed out in it are free again. */
    rolledBack(): void {
      last = lastId.get()?.id ?? 0
    },
  }
}

function stateOf(arrival: PackedArrival): EventState {
  if (arrival.problem !== null) return 'quarantined'
  return arrival.deliveries.length > 0 ? 'routed' : 'unrouted'
}

function duplicate(of: number): Accepted {
  return { verdict: { status: 'duplicate', id: of, completed: false }, revision: 0, deliveries: [] }
}
