import type { Database } from 'better-sqlite3'
import { doubtedKeyOf, KEY_ORDER, type KnownEvent, keysOf, type Told } from '../key.ts'
import type { Owed } from '../owed.ts'
import type { KeyTable } from './keys.ts'
import type { GoneEvents } from './retention/gone-events.ts'

/** Finds the events that steps may be the same facts as (store.ts). It runs inside a transaction of the caller. */
export function createOwedBefore(keys: KeyTable) {
  return (steps: readonly Owed[]): (number | null)[] =>
    steps.map((step) => {
      const doubted = doubtedKeyOf(step)
      return doubted === null ? null : (keys.get(doubted) ?? null)
    })
}

/** Finds the events that others are known again by. It runs inside a transaction of the caller. */
export function createKnown(db: Database, keys: KeyTable, gone: GoneEvents) {
  const find = db.prepare<[number], Omit<KnownEvent, 'by' | 'hasKey'> & { hasKey: number }>(
    `select id, body_hash as bodyHash, transport_key is not null as hasKey, received_at as receivedAt, subscription
       from events where id = ?`,
  )

  /** An event that was dropped: by which subscription it came is not kept. */
  function ofGone(id: number) {
    const row = gone.find(id)
    if (row === undefined) return undefined
    const { bodyHash, receivedAt, hasKey } = row
    return { id, bodyHash, receivedAt, hasKey, subscription: null }
  }

  function knownBy(told: Told): KnownEvent | null {
    const own = keysOf(told)
    for (const by of KEY_ORDER) {
      const key = own[by]
      const id = key === null ? undefined : keys.get(key)
      const event = id === undefined ? undefined : (find.get(id) ?? ofGone(id))
      if (event) return { ...event, by, hasKey: event.hasKey === 1 }
    }
    return null
  }

  return (those: readonly Told[]): (KnownEvent | null)[] => those.map(knownBy)
}
