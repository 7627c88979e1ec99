import type { Database } from 'better-sqlite3'
import { type EventIdentity, erasedKeyOf, keysOf, listOfKeys } from '../accepting.ts'
import type { DeletedPage, StorageSize } from '../rows.ts'
import { dropAttempts, dropEvents, dropPayloads } from '../tables/gone-events.ts'
import { oldRecords } from '../tables/old-records.ts'
import type { Steps } from '../tables/statement.ts'
import type { statements, transactions } from '../tables/tables.ts'
import type { KeyTable } from './accepting.ts'
import type { Now, RunSteps } from './tables.ts'

export function createDropping(db: Database, run: RunSteps, keys: KeyTable, slices: Slices) {
  function pragma(name: string): number {
    return Number(db.pragma(name, { simple: true }))
  }

  const getEvent = db.prepare<[number], EventIdentity>(
    `select kind, origin, transport_key as transportKey, identity, body_hash as bodyHash from events
       where id = ? and conflict_with is null and body_hash <> ''`,
  )

  const dropping = {
    dropEvents: (ids) =>
      // Keys in memory are rebuilt from event rows: they go to their table first.
      each(ids, dropEvents, { events: 0, deliveries: 0, attempts: 0, seen: 0 }, (few, hasTime) =>
        keys.mergeUpTo(Math.max(...few), hasTime),
      ),
    dropPayloads: (ids) => each(ids, dropPayloads, { dropped: 0, seen: 0 }),
    dropAcknowledged: (rows, upTo) =>
      each(rows, (few) => oldRecords.dropAcknowledged(few, upTo), { dropped: 0, seen: 0 }),

    dropAttempts: (which) => walk(which.after, which.limit, (part) => dropAttempts({ ...which, ...part })),
    dropSubmissions: (which) =>
      walk(which.after, which.limit, (part) => oldRecords.dropSubmissions({ ...which, ...part })),
    dropKeys: (first, upTo, most) => walk(first, most, ({ after, limit }) => oldRecords.dropKeys(after, upTo, limit)),

    dropKnown: (upTo, most) => repeat(most, (rows) => run(oldRecords.dropKnown(upTo, rows))),
    dropRecords: (which, most) => repeat(most, (rows) => run(oldRecords.dropRecords(which, rows))),
  } satisfies Partial<Now<typeof statements & typeof transactions>>

  function walk<Place>(
    first: Place,
    most: number,
    step: (part: { after: Place; limit: number }) => Steps<DeletedPage<Place>>,
  ): DeletedPage<Place> {
    let [after, left, dropped]: [Place | null, number, number] = [first, most, 0]
    slices.take(() => {
      const limit = Math.min(STEP, left)
      const part = run(step({ after: after ?? first, limit }))
      dropped += part.dropped
      after = part.after
      left -= limit
      return after !== null && left > 0
    })
    return { dropped, after }
  }

  /** What was dropped in all. */
  function each<T, Dropped extends Record<'seen', number>>(
    all: readonly T[],
    drop: (few: readonly T[]) => Steps<Dropped>,
    none: Dropped,
    mayGo: (few: readonly T[], hasTime: () => boolean) => boolean = () => true,
  ): Dropped {
    const sum: Record<string, number> & { seen: number } = { ...none }
    slices.take((hasTime) => {
      const few = all.slice(sum.seen, sum.seen + STEP)
      if (few.length === 0 || !mayGo(few, hasTime)) return false
      for (const [name, count] of Object.entries(run(drop(few)))) sum[name] = (sum[name] ?? 0) + count
      return true
    })
    return sum as unknown as Dropped
  }

  function repeat(most: number, step: (rows: number) => number): number {
    let done = 0
    slices.take(() => {
      const some = step(Math.min(STEP, most - done))
      done += some
      return some > 0 && done < most
    })
    return done
  }

  return {
    ...dropping,

    /** Erasure: what an event's row yields no more is kept as keys of its own; keys of a later revision stay that one's. */
    forgetEvents(events: readonly number[]): void {
      for (const event of events) {
        const row = getEvent.get(event)
        for (const key of row ? listOfKeys(keysOf(row)) : []) if (keys.get(key) === event) keys.put(key, event)
        keys.put(erasedKeyOf(event), event)
      }
    },

    /** Files made without auto_vacuum need a VACUUM (docs/adr/0018-retention.md). */
    shrink(bytes: number): number {
      if (pragma('auto_vacuum') !== 2) return 0
      const page = pragma('page_size')
      repeat(Math.max(1, Math.floor(bytes / page)), (pages) => {
        const before = pragma('freelist_count')
        db.pragma(`incremental_vacuum(${pages})`)
        return before - pragma('freelist_count')
      })
      return pragma('freelist_count') * page
    },

    size(): StorageSize {
      const page = pragma('page_size')
      return { bytes: pragma('page_count') * page, reusable: pragma('freelist_count') * page }
    },
  }
}

/** Longest hold of the writer besides the commit (ms). */
const SLICE = 4
const STEP = 10

/** Time slices for low-priority work, at least one step each, so that it progresses on any machine. */
export function createSlices(now: () => number = () => performance.now()) {
  function begin(): () => boolean {
    const until = now() + SLICE
    return () => now() < until
  }

  return {
    begin,

    /** Takes steps until one says that it was the last, or the time is over. */
    take(step: (hasTime: () => boolean) => boolean): void {
      const hasTime = begin()
      while (step(hasTime) && hasTime()) {}
    },
  }
}

export type Slices = ReturnType<typeof createSlices>
