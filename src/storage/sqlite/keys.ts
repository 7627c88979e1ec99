import type { Database } from 'better-sqlite3'
import { type EventIdentity, type KeyStore, type Keys, keysOf } from '../key.ts'

const BUCKETS = 256
/** A key waits in memory for 32,768 events at most. */
const EVENTS_A_BUCKET = 128
/** On a slow disk, beyond this many late buckets keys are merged regardless of time. */
const MAX_LATE = 64
/** More unmerged events at start are merged at once (32 MB). */
const MAX_AT_START = 131_072

/**
 * Deduplication keys and their events. Keys are random, one dirty page each: those of new events wait in memory and
 * are merged bucket by bucket (docs/adr/0002-embedded-store.md). At start they are read again from the events after
 * `keys_merged`. Inside the caller's transactions.
 */
export function createKeys(db: Database) {
  const getKey = db.prepare<[Buffer], { eventId: number }>('select event_id as eventId from keys where key = ?')
  const putKey = db.prepare(
    'insert into keys (key, event_id) values (?, ?) on conflict do update set event_id = excluded.event_id',
  )
  const addKey = db.prepare('insert into keys (key, event_id) values (?, ?) on conflict do nothing')
  const getMerged = db.prepare<[], { upTo: number }>('select up_to as upTo from keys_merged')
  const setMerged = db.prepare('update keys_merged set up_to = ?')
  const unmerged = db.prepare<[number], EventIdentity & { id: number }>(
    `select id, kind, origin, transport_key as transportKey, identity, body_hash as bodyHash from events
       where id > ? and conflict_with is null and body_hash <> '' order by id`,
  )
  let waiting: Map<string, number>[] = []
  let nextBucket = 0
  let eventsSince = 0
  let late = 0
  let behind = 0
  let last = 0
  let merged = 0
  /** When the round through the buckets ends, all up to this event is merged. */
  let lastAtStart = 0
  load()

  function load() {
    waiting = Array.from({ length: BUCKETS }, () => new Map())
    last = getMerged.get()?.upTo ?? 0
    merged = last
    for (const row of unmerged.iterate(last)) remember(keysOf(row), row.id)
    nextBucket = 0
    late = 0
    behind = eventsSince > 0 ? BUCKETS : 0
    eventsSince = 0
    lastAtStart = last
  }

  function bucketOf(key: string): Map<string, number> {
    return waiting[key.charCodeAt(0)] as Map<string, number>
  }

  function remember(keys: Keys | null, eventId: number): void {
    for (const key of [keys?.transport, keys?.identity, keys?.bytes]) if (key) bucketOf(key).set(key, eventId)
    last = eventId
    eventsSince += 1
  }

  function find(key: string): number | undefined {
    return bucketOf(key).get(key) ?? getKey.get(toBytes(key))?.eventId
  }

  function mergeBucket(hasTime: () => boolean): boolean {
    const bucket = waiting[nextBucket] as Map<string, number>
    for (const key of [...bucket.keys()].sort()) {
      putKey.run(toBytes(key), bucket.get(key))
      bucket.delete(key)
      if (bucket.size > 0 && !hasTime()) return false
    }
    nextBucket = (nextBucket + 1) % BUCKETS
    if (nextBucket > 0) return true
    setMerged.run(lastAtStart)
    merged = lastAtStart
    lastAtStart = last
    return true
  }

  return {
    get: find,

    remember,

    /** A key that no event's row yields: written at once. */
    put(key: string, eventId: number): void {
      bucketOf(key).delete(key)
      putKey.run(toBytes(key), eventId)
    },

    store: {
      *find(keys) {
        const found = keys.map((key) => [key, find(key)] as const)
        return new Map(found.filter((entry): entry is [string, number] => entry[1] !== undefined))
      },
      *add(keys) {
        return new Set(
          [...keys].flatMap(([key, event]) => (addKey.run(toBytes(key), event).changes === 1 ? [key] : [])),
        )
      },
    } satisfies KeyStore,

    /** Merges what is due while there is time: uncached pages take as long as hundreds of cached ones. */
    merge(begin: () => () => boolean): void {
      late += Math.floor(eventsSince / EVENTS_A_BUCKET)
      eventsSince %= EVENTS_A_BUCKET
      if (late + behind === 0) return
      const hasTime = begin()
      for (; late > 0; late -= 1) if (!mergeBucket(() => late > MAX_LATE || hasTime())) return
      if (behind > 0 && hasTime() && mergeBucket(hasTime)) behind -= 1
    },

    mergeUpTo(event: number, hasTime: () => boolean): boolean {
      while (merged < event && mergeBucket(hasTime) && hasTime());
      return merged >= event
    },

    /**
     * At start the last process's keys merge gradually: all at once would read as many pages; frequent restarts must
     * not pile them up. `all`: before a copy.
     */
    takeOver(all: boolean): void {
      if (all || last - merged > MAX_AT_START) for (let bucket = 0; bucket < BUCKETS; bucket++) mergeBucket(() => true)
    },

    rolledBack: load,
  }
}

export type KeyTable = ReturnType<typeof createKeys>

function toBytes(key: string): Buffer {
  return Buffer.from(key, 'latin1')
}
