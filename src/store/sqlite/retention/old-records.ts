import type { Database } from 'better-sqlite3'
import { type Instant, isStillToCome, latestOf } from '../../../domain/values/instant.ts'
import type { Acknowledged, Dropped, OldRecords, OldSubmissions, StoreSize } from '../../retention/pruning.ts'
import { lastEventOf } from '../../search-key.ts'
import {
  BLOCKS,
  type Block,
  FEW_LEFT,
  firstEventIn,
  lastEventIn,
  onlyOf,
  SEGMENTS,
  volumeAt,
} from '../../searching/search-block.ts'
import type { Slices } from './slice.ts'

/** Search keys that go where a row of something else would: each step looks for those that go from the beginning of their segment. */
const KEYS_A_ROW = 20

/** Blocks of a volume that are read at a time. */
const SOME_BLOCKS = 64

/** The dropping of what nothing else is of: keys, records, room of the file. It runs inside a transaction of the caller. */
export function createOldRecords(db: Database, slices: Slices) {
  const keysAfter = db.prepare<[Buffer, number], { key: Buffer; eventId: number; here: number }>(
    `select key, event_id as eventId, exists (select 1 from events e where e.id = event_id) as here from keys
       where key > ? order by key limit ?`,
  )
  const dropKey = db.prepare('delete from keys where key = ?')
  const segmentFrom = db.prepare<[number], { segment: number | null }>(
    'select min(segment) as segment from search_keys where segment >= ?',
  )
  const placeFrom = db.prepare<[number], { place: number | null }>(
    'select min(place) as place from search_blocks where place >= ?',
  )
  const those = db.prepare<[number, number, number], { id: number }>(
    'select id from events where id between ? and ? order by id limit ?',
  )
  const blocksFrom = db.prepare<[number, number, number], Block>(
    'select place, body from search_blocks where place >= ? and place < ? order by place limit ?',
  )
  const setBlock = db.prepare('update search_blocks set body = ? where place = ?')
  const dropBlock = db.prepare('delete from search_blocks where place = ?')
  const dropFound = db.prepare(
    `delete from search_keys where (segment, key, event_id) in (select s.segment, s.key, s.event_id from search_keys s
       where s.segment = ? and not exists (select 1 from events e where e.id = s.event_id) limit ?)`,
  )
  const submissionsAfter = db.prepare<[number, number], { id: number; receivedAt: number; used: number }>(
    `select id, received_at as receivedAt,
         exists (select 1 from events e where e.submission is not null and e.submission = s.id)
           or id = (select max(id) from submissions) as used
       from submissions s where id > ? order by id limit ?`,
  )
  const dropSubmission = db.prepare('delete from submissions where id = ?')
  // The newest row stays: ids go on behind it. What a clock that was ahead has dated goes once it is the oldest.
  const dropLookups = db.prepare(
    `delete from lookups where id < (select max(id) from lookups)
       and id in (select id from (select id, at from lookups order by id limit ?) where at < ? or at > ?)`,
  )
  const dropMirrored = db.prepare(
    `delete from mirror where id in (select id from mirror where set_name = ? and day > '' and day < ? limit ?)`,
  )
  const oldestAct = db.prepare<[Instant], { id: number }>(
    'select id from audit where at < ? and id < (select max(id) from audit) order by at limit 1',
  )
  const dropTouched = [
    db.prepare(
      `delete from audit_deliveries where audit_id = @act
         and delivery_id in (select delivery_id from audit_deliveries where audit_id = @act limit @limit)`,
    ),
    db.prepare(
      `delete from audit_events where audit_id = @act
         and event_id in (select event_id from audit_events where audit_id = @act limit @limit)`,
    ),
  ]
  const dropAct = db.prepare('delete from audit where id = ?')

  // Looked at again: something may have been acknowledged meanwhile.
  const dropThatAcknowledged = db.prepare(
    'delete from acknowledged where destination = ? and flow = ? and subject = ? and digest is null and version <= ?',
  )

  function dropActs(before: Instant, limit: number): number {
    let dropped = 0
    while (dropped < limit) {
      const act = oldestAct.get(before)
      if (act === undefined) break
      for (const statement of dropTouched) dropped += statement.run({ act: act.id, limit: limit - dropped }).changes
      if (dropped < limit) dropped += dropAct.run(act.id).changes
    }
    return dropped
  }

  function pragma(name: string): number {
    return Number(db.pragma(name, { simple: true }))
  }

  function keysBehind(after: string, upTo: number, limit: number): Dropped<string> {
    const rows = keysAfter.all(Buffer.from(after, 'hex'), limit)
    const old = rows.filter(({ eventId, here }) => eventId <= upTo && here === 0)
    for (const { key } of old) dropKey.run(key)
    return { dropped: old.length, after: rows.length < limit ? null : (rows.at(-1)?.key.toString('hex') ?? null) }
  }

  function searchKeysFrom(after: number, upTo: number, limit: number): Dropped<number> {
    const row = segmentFrom.get(after)?.segment ?? Infinity
    const volume = volumeAt(placeFrom.get(Math.ceil(after / SEGMENTS) * BLOCKS)?.place ?? Infinity)
    const next = Math.min(row, volume * SEGMENTS)
    if (lastEventOf(next) > upTo) return { dropped: 0, after: null }
    let dropped = dropFound.run(next, limit).changes
    if (volume * SEGMENTS === next && lastEventIn(volume) <= upTo) dropped += clear(volume, limit - dropped)
    return { dropped, after: dropped >= limit ? next : next + 1 }
  }

  /** Takes the keys of events that are not here out of a volume, until about so many blocks have changed. How many have. */
  function clear(volume: number, limit: number): number {
    const first = firstEventIn(volume)
    const left = new Set(those.all(first, lastEventIn(volume), FEW_LEFT + 1).map(({ id }) => id))
    if (left.size > FEW_LEFT) return 0
    let changed = 0
    for (let at = volume * BLOCKS; changed < limit; ) {
      const blocks = blocksFrom.all(at, (volume + 1) * BLOCKS, SOME_BLOCKS)
      for (const { place, body } of blocks) {
        const still = onlyOf(body, left, first)
        if (still.byteLength === body.byteLength) continue
        if (still.byteLength === 0) dropBlock.run(place)
        else setBlock.run(still, place)
        changed += 1
      }
      at = (blocks.at(-1)?.place ?? at) + 1
      if (blocks.length < SOME_BLOCKS) break
    }
    return changed
  }

  function submissionsBehind({ before, now }: OldSubmissions, after: number, limit: number): Dropped<number> {
    const rows = submissionsAfter.all(after, limit)
    const young = rows.findIndex(({ receivedAt }) => receivedAt >= before && !isStillToCome(receivedAt, now))
    const seen = young < 0 ? rows : rows.slice(0, young)
    const old = seen.filter(({ used, receivedAt }) => used === 0 && receivedAt < before)
    for (const { id } of old) dropSubmission.run(id)
    return { dropped: old.length, after: young < 0 && rows.length === limit ? (rows.at(-1)?.id ?? null) : null }
  }

  function dropSome(which: OldRecords, limit: number): number {
    if (which.type === 'audit') return dropActs(which.before, limit)
    if (which.type === 'lookups') return dropLookups.run(limit, which.before, latestOf(which.now)).changes
    return dropMirrored.run(which.set, which.before, limit).changes
  }

  return {
    dropKeys: (after: string, upTo: number, limit: number): Dropped<string> =>
      slices.walk(after, limit, (place, rows) => keysBehind(place, upTo, rows)),

    dropSearchKeys: (after: number, upTo: number, limit: number): Dropped<number> =>
      slices.walk(after, limit, (place, rows) => searchKeysFrom(place, upTo, rows * KEYS_A_ROW)),

    dropSubmissions: (which: OldSubmissions): Dropped<number> =>
      slices.walk(which.after, which.limit, (place, rows) => submissionsBehind(which, place, rows)),

    dropRecords: (which: OldRecords, limit: number): number => slices.repeat(limit, (rows) => dropSome(which, rows)),

    dropAcknowledged(rows: readonly Acknowledged[], upTo: number) {
      let dropped = 0
      const seen = slices.each(rows, (few) => {
        for (const { destination, flow, subject } of few)
          dropped += dropThatAcknowledged.run(destination, flow, subject, upTo).changes
        return true
      })
      return { dropped, seen }
    },

    /** A file that was made without it has no pages to give back; to change that takes a VACUUM (docs/adr/0018-retention.md). */
    shrink(bytes: number): number {
      if (pragma('auto_vacuum') !== 2) return 0
      const page = pragma('page_size')
      slices.repeat(Math.max(1, Math.floor(bytes / page)), (pages) => {
        const before = pragma('freelist_count')
        db.pragma(`incremental_vacuum(${pages})`)
        return before - pragma('freelist_count')
      })
      return pragma('freelist_count') * page
    },

    size(): StoreSize {
      const page = pragma('page_size')
      return { bytes: pragma('page_count') * page, reusable: pragma('freelist_count') * page }
    },
  }
}
