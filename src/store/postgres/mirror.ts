import type { KeptRow, MirrorChange, MirrorRow, MirrorSet } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { type MirrorText, standing, toKeptRow } from '../mirror-text.ts'
import { type Database, prepared, type Session } from './server/database.ts'

/**
 * One at a time: two hubs that replace a part at once would each leave what the other adds, and lists of several changes
 * would wait for each other. And whoever reads pages misses nothing: ids are drawn under the lock, and follow the commits.
 */
const lock = prepared(`select count(pg_advisory_xact_lock(hashtextextended(current_schema() || '.mirror', 0)))`)

const COLUMNS = 'set_name, key, place, article, day, part, version, tie, body'
const columnsOf = (row: string) => COLUMNS.replaceAll(/\w+/g, (name) => `${row}.${name}`)

/** Rows as lists of their columns, which takes less than rows in JSON. */
const given = `given as materialized (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
    $9::text[]) with ordinality as g (${COLUMNS}, n)
)`

/**
 * Rows that are older, or change nothing, are left out before they are inserted: a conflict that updates nothing locks its
 * row, and is logged all the same.
 */
const putGiven = `news as materialized (
  select g.* from given g
    left join lateral (select * from mirror where set_name = g.set_name and key = g.key limit 1) m on true
    where m.id is null
      or (g.version, g.tie) >= (m.version, m.tie) and (${columnsOf('g')}) is distinct from (${columnsOf('m')})
)
insert into mirror (${COLUMNS}, saved_at)
  select ${COLUMNS}, $10::bigint from news order by n
  on conflict (set_name, key) do update set (${COLUMNS}, saved_at) = (${columnsOf('excluded')}, excluded.saved_at)`

const put = prepared(`with ${given}, ${putGiven}`)

/** The rows to be deleted are not among those that are put: they can be one statement. */
const replace = prepared(`
  with ${given}, gone as (
    delete from mirror where set_name = $11 and part = $12 and key not in (select key from given)
  ), ${putGiven}`)

/** One by one: of all keys as one condition, the server may make a walk through the whole set. */
const find = prepared<MirrorText>(`
  select m.id, m.set_name as "set", m.key, m.place, m.article, m.day, m.part, m.version, m.tie, m.body, m.saved_at as "savedAt"
    from unnest($2::text[]) as wanted (key)
      cross join lateral (select * from mirror where set_name = $1 and key = wanted.key limit 1) as m`)

/** The mirror's writes, and the reads just before them. */
export function createMirror(db: Database) {
  return {
    async saveMirror(changes: MirrorChange[], now: Instant): Promise<void> {
      if (changes.length > 0) await db.transaction((session) => saveAll(session, changes, now))
    },

    async mirrorRows(set: MirrorSet, keys: readonly string[]): Promise<KeptRow[]> {
      return keys.length === 0 ? [] : (await db.query(find, [set, [...new Set(keys)]])).map(toKeptRow)
    },
  }
}

/** Rows that are put one after the other are one statement. */
async function saveAll(session: Session, changes: readonly MirrorChange[], now: Instant): Promise<void> {
  await session.query(lock)
  let gathered: MirrorRow[] = []
  async function putGathered() {
    if (gathered.length > 0) await session.query(put, [...listsOf(gathered), now])
    gathered = []
  }
  for (const change of changes) {
    if (change.type === 'put') {
      gathered.push(change.row)
      continue
    }
    await putGathered()
    await session.query(replace, [...listsOf(change.rows), now, change.set, change.part])
  }
  await putGathered()
}

/** Column by column, as `given` reads them. No statement can touch a row twice. */
function listsOf(all: readonly MirrorRow[]): unknown[][] {
  const rows = standing(all)
  return [
    rows.map(({ set }) => set),
    rows.map(({ key }) => key),
    rows.map(({ place }) => place),
    rows.map(({ article }) => article),
    rows.map(({ day }) => day),
    rows.map(({ part }) => part),
    rows.map(({ version }) => version),
    rows.map(({ tie }) => tie),
    rows.map(({ body }) => JSON.stringify(body)),
  ]
}
