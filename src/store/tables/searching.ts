import { segmentOf } from '../search-key.ts'
import { type IndexedKey, inVolumes, keysToPack, packKeys, volumeOf, withoutKeys } from '../searching/search-block.ts'
import { query, rowsOf, type Steps, statement } from './statement.ts'

const getIndex = statement<{ secret: string; upTo: number }>(
  `select encode(secret, 'hex') as secret, up_to as "upTo" from search_index`,
)
const add = statement(`
  insert into search_keys (segment, key, event_id)
    select segment, decode(key, 'hex'), event from json_to_recordset($1::text::json) as k (segment integer, key text, event bigint)
      where true
    on conflict do nothing`)
const setUpTo = statement('update search_index set up_to = greatest(up_to, $1::bigint)')
const firstPlain = statement<{ segment: number; prefix: string }>(
  `select segment, encode(substr(key, 1, 2), 'hex') as prefix from search_keys order by segment, key limit 1`,
  `select segment, lower(hex(substr(key, 1, 2))) as prefix from search_keys order by segment, key limit 1`,
)
const takeBetween = statement<IndexedKey>(`
  delete from search_keys where segment = any($1::integer[]) and key >= $2 and key < $3
    returning encode(key, 'hex') as key, event_id as event`)
// Keys of a packed event may come again.
const ADD_TO_BLOCK =
  'insert into search_blocks as b (place, body) values ($1, $2) on conflict (place) do update set body ='
const addToBlock = statement(
  `${ADD_TO_BLOCK} b.body || excluded.body`,
  `${ADD_TO_BLOCK} cast(b.body || excluded.body as blob)`,
)

const UNINDEXED = 'json_to_recordset($1::text::json) as k (segment integer, key text, event bigint)'
const unindex = statement(
  `delete from search_keys s using ${UNINDEXED}
     where s.segment = k.segment and s.key = decode(k.key, 'hex') and s.event_id = k.event`,
  `delete from search_keys where (segment, key, event_id) in
     (select value ->> 'segment', unhex(value ->> 'key'), value ->> 'event' from json_each($1))`,
)
const getBlocks = statement<{ place: number; body: Buffer }>(
  'select place, body from search_blocks where place = any($1::bigint[]) order by place for update',
)
const setBlock = statement('update search_blocks set body = $2 where place = $1')

export const searching = {
  *searchIndex(): Steps<{ secret: string; upTo: number }> {
    const [index] = yield* query(getIndex)
    return index ?? { secret: '', upTo: 0 }
  },

  *indexHashed(upTo: number, keys: readonly IndexedKey[]): Steps<void> {
    const rows = keys.map(({ key, event }) => ({ segment: segmentOf(event), key, event }))
    yield* query(add, [rowsOf(rows)])
    yield* query(setUpTo, [upTo])
  },

  /** Into at most `blocks` blocks; returns the number of keys. */
  *packKeys(blocks: number): Steps<number> {
    const { upTo } = yield* searching.searchIndex()
    const [first] = yield* query(firstPlain)
    const next = keysToPack(first, upTo, blocks)
    if (next === null) return 0
    const keys = yield* query(takeBetween, [next.segments, next.from, next.to])
    for (const { place, body } of packKeys(keys)) yield* query(addToBlock, [place, body])
    return keys.length
  },

  *unindexHashed(events: readonly number[], keys: readonly string[]): Steps<void> {
    const rows = events.flatMap((event) => keys.map((key) => ({ segment: segmentOf(event), key, event })))
    yield* query(unindex, [rowsOf(rows)])
    // Some may have been packed meanwhile.
    const volumes = Map.groupBy(events, volumeOf)
    const sought = Map.groupBy(inVolumes([...volumes.keys()], keys), ({ place }) => place)
    for (const { place, body } of yield* query(getBlocks, [[...sought.keys()]])) {
      const left = (sought.get(place) ?? []).reduce<Uint8Array>(
        (block, { key, first }) => withoutKeys(block, key, volumes.get(volumeOf(first)) ?? []),
        body,
      )
      yield* query(setBlock, [place, left])
    }
  },
}
