import type { Known } from '../../domain/queue/dedupe.ts'
import type { Arrival } from '../arrival.ts'
import { keysOf } from '../key.ts'
import { type GoneEvent, knownOf, type SeenRow, seenAgain } from '../retention/gone.ts'
import { goneEvents } from '../tables/gone-events.ts'
import { addNewKeys, asUuid, changeKeys, lockKeys } from './keys.ts'
import { perform, prepared, type Session } from './server/database.ts'

export type SeenEvent = SeenRow

const getEvents = prepared<SeenEvent>(`
  select id, kind, identity, state, conflict_with as "conflictWith", revision, body_hash as "bodyHash", facts, received_at as "receivedAt",
      subscription, transport_key is not null as "hasKey", submission, same_key_as as "sameKeyAs"
    from events where id = any($1::bigint[])`)

export interface ArrivalKeys {
  transport: string | null
  about: string
  hasIdentity: boolean
}

export function keysOfArrival(arrival: Arrival): ArrivalKeys {
  const { transport, identity, bytes } = keysOf(arrival)
  return {
    transport: transport === null ? null : asUuid(transport),
    about: asUuid(identity ?? bytes ?? ''),
    hasIdentity: identity !== null,
  }
}

/** Existing keys of a list, locked until the transaction ends, and those of the list itself, which `write` writes. */
export async function lockSeen(session: Session, arrivals: readonly Arrival[]) {
  const keys = new Map(arrivals.filter(({ refused }) => !refused).map((arrival) => [arrival, keysOfArrival(arrival)]))
  const wanted = [...keys.values()].flatMap(({ transport, about }) =>
    transport === null ? [about] : [transport, about],
  )
  const there = await lockKeys(session, [...new Set(wanted)].sort())
  const known = new Map(there)
  let unwritten = new Map<string, number>()
  const events = new Map<number, SeenEvent>()
  const gone = new Map<number, GoneEvent>()
  await read([...there.values()])

  async function read(ids: readonly number[]) {
    const unread = [...new Set(ids)].filter((id) => !events.has(id))
    if (unread.length === 0) return
    for (const event of await session.query(getEvents, [unread])) events.set(event.id, event)
    const missing = unread.filter((id) => !events.has(id) && !gone.has(id))
    for (const one of await perform(session, goneEvents(missing))) gone.set(one.id, one)
  }

  /** A deleted event is known as long as its keys are. */
  function compared(id: number, arrival: Arrival): SeenEvent | undefined {
    const dropped = gone.get(id)
    return events.get(id) ?? (dropped && { ...seenAgain(dropped, arrival), hasKey: dropped.hasKey, sameKeyAs: null })
  }

  return {
    keysOf: (arrival: Arrival): ArrivalKeys => keys.get(arrival) ?? keysOfArrival(arrival),
    get: (key: string): number | undefined => known.get(key),

    put(key: string, event: number) {
      known.set(key, event)
      unwritten.set(key, event)
    },

    async look(keys: readonly string[]) {
      const found = await lockKeys(session, keys.filter((key) => !known.has(key)).sort())
      for (const [key, event] of found) {
        there.set(key, event)
        known.set(key, event)
      }
      await read([...found.values()])
    },

    async event(id: number, arrival: Arrival): Promise<SeenEvent | undefined> {
      await read([id])
      return compared(id, arrival)
    },
    known: compared,
    isGone: (id: number): boolean => gone.has(id),
    remember(event: SeenEvent) {
      events.set(event.id, event)
    },

    takeUnwritten() {
      const entries = [...unwritten]
      unwritten = new Map()
      const added = new Map(entries.filter(([key]) => !there.has(key)))
      const changed = new Map(entries.filter(([key]) => there.has(key)))
      for (const [key, event] of entries) there.set(key, event)
      return { added, changed }
    },

    async write() {
      const { added, changed } = this.takeUnwritten()
      await addNewKeys(session, added)
      await changeKeys(session, changed)
    },
  }
}

export type Seen = Awaited<ReturnType<typeof lockSeen>>

export function lookUp(seen: Seen, arrival: Arrival, { transport, about, hasIdentity }: ArrivalKeys): Known {
  const find = (key: string | null) => {
    const id = key === null ? undefined : seen.get(key)
    return id === undefined ? undefined : seen.known(id, arrival)
  }
  return knownOf(arrival, find(transport), find(about), hasIdentity)
}
