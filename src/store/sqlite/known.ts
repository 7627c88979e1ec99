import type { Database } from 'better-sqlite3'
import type { Unindexed } from '../arrival.ts'
import { doubtedKeyOf, KEY_ORDER, type KnownEvent, keysOf, type Told } from '../key.ts'
import type { Owed } from '../owed.ts'
import { MOST_READ, within } from '../search-key.ts'
import { goneEvents } from '../tables/gone-events.ts'
import { searching } from '../tables/searching.ts'
import type { KeyTable } from './keys.ts'
import type { StoredPayloads } from './payloads/stored-payloads.ts'
import type { RunSteps } from './tables.ts'

export function createOwedBefore(keys: KeyTable) {
  return (steps: readonly Owed[]): (number | null)[] =>
    steps.map((step) => {
      const doubted = doubtedKeyOf(step)
      return doubted === null ? null : (keys.get(doubted) ?? null)
    })
}

/** The earlier events of arrivals; inside the caller's transaction. */
export function createKnown(db: Database, keys: KeyTable, run: RunSteps) {
  const find = db.prepare<[number], Omit<KnownEvent, 'by' | 'hasKey'> & { hasKey: number | boolean }>(
    `select id, body_hash as bodyHash, transport_key is not null as hasKey, received_at as receivedAt, subscription
       from events where id = ?`,
  )

  /** Deleted events keep no subscription. */
  function ofGone(id: number) {
    const [gone] = run(goneEvents([id]))
    if (gone === undefined) return undefined
    const { bodyHash, receivedAt, hasKey } = gone
    return { id, bodyHash, receivedAt, hasKey, subscription: null }
  }

  function knownBy(told: Told): KnownEvent | null {
    const own = keysOf(told)
    for (const by of KEY_ORDER) {
      const key = own[by]
      const id = key === null ? undefined : keys.get(key)
      const event = id === undefined ? undefined : (find.get(id) ?? ofGone(id))
      if (event) return { ...event, by, hasKey: Boolean(event.hasKey) }
    }
    return null
  }

  return (those: readonly Told[]): (KnownEvent | null)[] => those.map(knownBy)
}

export function createUnindexed(db: Database, payloads: StoredPayloads, run: RunSteps) {
  const next = db.prepare<[number, number], Omit<Unindexed, 'body'> & { size: number }>(
    `select e.id, e.kind, e.transport_key as transportKey, e.size from events e
       where e.id > ? order by e.id limit ?`,
  )
  return ({ events, bytes }: { events: number; bytes: number }): Unindexed[] => {
    const rows = within(next.all(run(searching.searchIndex()).upTo, events), bytes)
    return rows.map(({ size, ...row }) => ({ ...row, body: size > MOST_READ ? null : payloads.bodyOf(row.id) }))
  }
}
