import { blocksOf, type IndexedKey, inVolumes, volumeOf, withoutKeys } from '../search-index.ts'
import { inSqlite, query, rowsOf, type Steps, statement } from './statement.ts'

const getIndex = statement<{ secret: string; upTo: number }>(
  `select encode(secret, 'hex') as secret, up_to as "upTo" from search_index`,
)
const APPEND = `
  insert into search_blocks as b (place, body)
    select place, decode(body, 'hex') from json_to_recordset($1::text::json) as k (place bigint, body text) where true
    on conflict (place) do update set body =`
const append = statement(
  `${APPEND} b.body || excluded.body`,
  inSqlite(`${APPEND} cast(b.body || excluded.body as blob)`),
)
const setUpTo = statement('update search_index set up_to = greatest(up_to, $1::bigint)')
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
    const rows = blocksOf(keys).map(({ place, body }) => ({ place, body: Buffer.from(body).toString('hex') }))
    if (rows.length > 0) yield* query(append, [rowsOf(rows)])
    yield* query(setUpTo, [upTo])
  },

  *unindexHashed(events: readonly number[], keys: readonly string[]): Steps<void> {
    const volumes = Map.groupBy(events, volumeOf)
    const sought = Map.groupBy(inVolumes([...volumes.keys()], keys), ({ place }) => place)
    for (const { place, body } of yield* query(getBlocks, [[...sought.keys()]])) {
      const left = (sought.get(place) ?? []).reduce<Uint8Array>(
        (block, { key, first }) => withoutKeys(block, key, volumes.get(volumeOf(first)) ?? []),
        body,
      )
      if (left.byteLength < body.byteLength) yield* query(setBlock, [place, left])
    }
  },
}
