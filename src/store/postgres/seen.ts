import type { Arrival } from '../arrival.ts'
import { keysOf, listOfKeys } from '../key.ts'
import { type GoneEvent, type SeenRow, seenAgain } from '../retention/gone.ts'
import { goneEvents } from '../tables/gone-events.ts'
import { addNewKeys, asUuid, changeKeys, lockKeys } from './keys.ts'
import { perform, prepared, type Session } from './server/database.ts'

const getEvents = prepared<SeenRow>(`
  select id, kind, identity, state, conflict_with as "conflictWith", revision, body_hash as "bodyHash", facts, received_at as "receivedAt",
      subscription, transport_key is not null as "hasKey", submission, same_key_as as "sameKeyAs"
    from events where id = any($1::bigint[])`)

/** Existing keys of a list, locked until the transaction ends, and those of the list itself, which `write` writes. */
export async function lockSeen(session: Session, arrivals: readonly Arrival[]) {
  const keys = arrivals.filter(({ refused }) => !refused).flatMap((arrival) => listOfKeys(keysOf(arrival)))
  const looked = new Set(keys.map(asUuid))
  const there = await lockKeys(session, [...looked].sort())
  const known = new Map(there)
  let unwritten = new Map<string, number>()
  const events = new Map<number, SeenRow>()
  const gone = new Map<number, GoneEvent>()
  await read([...there.values()])

  async function read(ids: readonly number[]) {
    const unread = [...new Set(ids)].filter((id) => !events.has(id) && !gone.has(id))
    if (unread.length === 0) return
    for (const event of await session.query(getEvents, [unread])) events.set(event.id, event)
    const missing = unread.filter((id) => !events.has(id))
    for (const one of await perform(session, goneEvents(missing))) gone.set(one.id, one)
  }

  /** A deleted event is known as long as its keys are. */
  function compared(id: number, arrival: Arrival): SeenRow | undefined {
    const dropped = gone.get(id)
    return events.get(id) ?? (dropped && seenAgain(dropped, arrival))
  }

  return {
    get: (key: string): number | undefined => known.get(asUuid(key)),

    put(key: string, event: number) {
      known.set(asUuid(key), event)
      unwritten.set(asUuid(key), event)
    },

    async look(keys: readonly string[]) {
      const unseen = keys.map(asUuid).filter((key) => !looked.has(key) && !known.has(key))
      const found = await lockKeys(session, unseen.sort())
      for (const [key, event] of found) {
        there.set(key, event)
        known.set(key, event)
      }
      await read([...found.values()])
    },

    async event(id: number, arrival: Arrival): Promise<SeenRow | undefined> {
      await read([id])
      return compared(id, arrival)
    },
    isGone: (id: number): boolean => gone.has(id),
    remember(event: SeenRow) {
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
