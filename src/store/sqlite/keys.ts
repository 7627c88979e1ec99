import type { Database } from 'better-sqlite3'
import { type Keys, keysOf, type Told, transportKeyOf } from '../key.ts'

/** Keys wait by their first byte. */
const BUCKETS = 256

/** Events between two buckets' merges: a key waits in memory for 32,768 events at most. */
const EVENTS_A_BUCKET = 128

/** Buckets that may be late: where the disk is so slow that more would be, keys are merged without a look at the time. */
const MOST_LATE = 64

/** Events whose keys may wait in memory after a start; of more, they are merged at once (32 MB of them). */
const MOST_AT_START = 131_072

/**
 * The keys that have been seen, and which event each belongs to.
 *
 * Keys are random: each of them, written at once, would dirty a page of its own. So those of new events wait in memory
 * and are merged into their table bucket by bucket, where many share a page (docs/adr/0002-embedded-store.md). Nothing
 * rests on memory: what waits is told by the rows of the events after `keys_merged`, which are read again at start.
 * All but the making of it runs inside transactions of the caller.
 */
export function createKeys(db: Database) {
  const getKey = db.prepare<[Buffer], { eventId: number }>('select event_id as eventId from keys where key = ?')
  const putKey = db.prepare(
    'insert into keys (key, event_id) values (?, ?) on conflict do update set event_id = excluded.event_id',
  )
  const addKey = db.prepare('insert into keys (key, event_id) values (?, ?) on conflict do nothing')
  const getMerged = db.prepare<[], { upTo: number }>('select up_to as upTo from keys_merged')
  const setMerged = db.prepare('update keys_merged set up_to = ?')
  const unmerged = db.prepare<[number], Told & { id: number }>(
    `select id, kind, origin, transport_key as transportKey, identity, body_hash as bodyHash from events
       where id > ? and conflict_with is null and body_hash <> '' order by id`,
  )
  let waiting: Map<string, number>[] = []
  let nextBucket = 0
  let eventsSince = 0
  /** Buckets whose turn has come, and those that are merged besides: what waited when the last process ended. */
  let late = 0
  let behind = 0
  let last = 0
  let merged = 0
  /** The last event when the walk through the buckets began: all up to it are merged when the walk is over. */
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

  /** Keys that the row of a new event tells. */
  function remember({ transport, identity, bytes }: Keys, eventId: number): void {
    for (const key of [transport, identity, bytes]) if (key !== null) bucketOf(key).set(key, eventId)
    last = eventId
    eventsSince += 1
  }

  function find(key: string): number | undefined {
    return bucketOf(key).get(key) ?? getKey.get(toBytes(key))?.eventId
  }

  /** Merges keys of the next bucket while there is time, one at least. Whether all of them are in their table. */
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
    /** The event that a key belongs to. */
    get: find,

    /** Whether an event of this origin has come with this transport key. */
    has(origin: string, transportKey: string): boolean {
      return find(transportKeyOf(origin, transportKey)) !== undefined
    },

    remember,

    /** A key that no event's row tells: at once. */
    put(key: string, eventId: number): void {
      bucketOf(key).delete(key)
      putKey.run(toBytes(key), eventId)
    },

    /** A key that must not be there yet; false if it is. No event's row tells it. */
    add(key: string, eventId: number): boolean {
      return addKey.run(toBytes(key), eventId).changes === 1
    },

    /** Moves on with the merging as far as is due, while there is time: pages that are in no memory yet take as long as hundreds that are. */
    merge(hasTime: () => boolean): void {
      late += Math.floor(eventsSince / EVENTS_A_BUCKET)
      eventsSince %= EVENTS_A_BUCKET
      for (; late > 0; late -= 1) if (!mergeBucket(() => late > MOST_LATE || hasTime())) return
      if (behind > 0 && hasTime() && mergeBucket(hasTime)) behind -= 1
    },

    /** Merges keys while there is time, one at least, unless those of events up to that one are in their table. Whether they are. */
    mergeUpTo(event: number, hasTime: () => boolean): boolean {
      while (merged < event && mergeBucket(hasTime) && hasTime());
      return merged >= event
    },

    /**
     * At start: what waited when the last process ended waits on, and is merged with what comes, bucket by bucket: all of it at
     * once would read as many pages, which takes the longer the larger the table is. But where a hub restarts often, it may not
     * grow for ever. `all`: whoever copies the table wants it whole.
     */
    takeOver(all: boolean): void {
      if (all || last - merged > MOST_AT_START) for (let bucket = 0; bucket < BUCKETS; bucket++) mergeBucket(() => true)
    },

    /** After a rollback: what was remembered in it did not happen. */
    rolledBack: load,
  }
}

export type KeyTable = ReturnType<typeof createKeys>

function toBytes(key: string): Buffer {
  return Buffer.from(key, 'latin1')
}
