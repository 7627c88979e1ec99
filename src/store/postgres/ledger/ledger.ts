import type { Road } from '../../../domain/ledger/causes.ts'
import { type CoveredChange, merged, type Range } from '../../../domain/ledger/covered.ts'
import { changedGap, type Gap, type GapChange, keyOfChange } from '../../../domain/ledger/gap.ts'
import type { Watermark, WatermarkChange } from '../../../domain/ledger/watermark.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import {
  explained,
  type GapText,
  type LedgerChange,
  storeOf,
  toGapText,
  toKeptGap,
  toWatermark,
  toWatermarkRow,
} from '../../gap-text.ts'
import type { Audit } from '../../store.ts'
import { countMore } from '../acts.ts'
import { type Database, prepared, rowsOf, type Session } from '../server/database.ts'

/** One at a time: what is changed follows from what was there. */
const lock = prepared(`select count(pg_advisory_xact_lock(hashtextextended(current_schema() || '.ledger', 0)))`)

const COLUMNS = `id, key, road, cause, kind, store_id as "storeId", destination, day, at, first_seen_at as "firstSeenAt",
  last_seen_at as "lastSeenAt", state, body`

const find = prepared<GapText>(`select ${COLUMNS} from gaps where key = any($1::text[])`)
const findById = prepared<GapText>(`select ${COLUMNS} from gaps where id = any($1::bigint[]) and state = 'open'`)
const put = prepared(`
  insert into gaps (key, road, cause, kind, store_id, destination, day, at, first_seen_at, last_seen_at, state, body)
    select key, road, cause, kind, "storeId", destination, day, at, "firstSeenAt", "lastSeenAt", state, body
      from json_to_recordset($1::text::json) as g (n int, key text, road text, cause text, kind text, "storeId" text,
        destination text, day text, at bigint, "firstSeenAt" bigint, "lastSeenAt" bigint, state text, body text)
      order by n
    on conflict (key) do update set cause = excluded.cause, store_id = excluded.store_id, day = excluded.day,
      at = excluded.at, last_seen_at = excluded.last_seen_at, state = excluded.state, body = excluded.body`)
const explain = prepared(`
  update gaps set state = 'explained', body = e.body
    from json_to_recordset($1::text::json) as e (id bigint, body text) where gaps.id = e.id`)

const uncover = prepared<Range>(`
  delete from covered where road = $1 and scope = $2 and from_at <= $4::bigint and to_at >= $3::bigint
    returning from_at as "from", to_at as "to"`)
const dropFrom = prepared('delete from covered where road = $1 and scope = $2 and from_at >= $3::bigint')
const cutAt = prepared('update covered set to_at = $3::bigint where road = $1 and scope = $2 and to_at > $3::bigint')
const cover = prepared('insert into covered (road, scope, from_at, to_at) values ($1, $2, $3, $4)')
const rangesOf = prepared<Range>(
  'select from_at as "from", to_at as "to" from covered where road = $1 and scope = $2 order by from_at',
)

const allMarks = prepared<Watermark & { storeId: string }>(`
  select level, kind, store_id as "storeId", from_at as "from", until_at as until, since from watermarks
    order by level collate "C", kind collate "C", store_id collate "C"`)
const putMark = prepared(`
  insert into watermarks (level, kind, store_id, from_at, until_at, since) values ($1, $2, $3, $4, $5, $6)
    on conflict (level, kind, store_id) do update set from_at = excluded.from_at, until_at = excluded.until_at,
      since = excluded.since`)
const dropMark = prepared('delete from watermarks where level = $1 and kind = $2 and store_id = $3')

/** What is not proven to be here, and up to where all is. */
export function createLedger(db: Database) {
  return {
    async saveLedger(
      { gaps = [], uncovered = [], covered = [], watermarks = [] }: LedgerChange,
      now: Instant,
    ): Promise<void> {
      await db.transaction(async (session) => {
        await session.query(lock)
        await changeGaps(session, gaps, now)
        for (const { road, scope, from } of uncovered) {
          await session.query(dropFrom, [road, scope, from])
          await session.query(cutAt, [road, scope, from])
        }
        await coverMore(session, covered)
        for (const one of watermarks) await changeMark(session, one)
      })
    },

    covered: (road: Road, scope: string): Promise<Range[]> => db.query(rangesOf, [road, scope]),

    watermarks: async (): Promise<Watermark[]> => (await db.query(allMarks)).map(toWatermark),

    explain: (ids: number[], { by, reason, at }: Audit, act: number): Promise<number> =>
      db.transaction(async (session) => {
        await session.query(lock)
        const gaps = await session.query(findById, [ids])
        const rows = gaps.map((gap) => ({ id: gap.id, body: explained(gap, by, reason ?? '', at) }))
        if (rows.length > 0) await session.query(explain, [rowsOf(rows)])
        await countMore(session, act, rows.length)
        return rows.length
      }),
  }
}

async function changeGaps(session: Session, changes: readonly GapChange[], now: Instant): Promise<void> {
  if (changes.length === 0) return
  const rows = await session.query(find, [[...new Set(changes.map(keyOfChange))]])
  const before = new Map<string, Gap>(rows.map((row) => [row.key, toKeptGap(row)]))
  const after = new Map<string, Gap>()
  for (const change of changes) {
    const key = keyOfChange(change)
    const was = after.get(key) ?? before.get(key) ?? null
    const is = changedGap(was, change, now)
    if (is !== null && is !== was) after.set(key, is)
  }
  const texts = [...after].map(([key, gap], n) => ({ n, ...toGapText(key, gap) }))
  if (texts.length > 0) await session.query(put, [rowsOf(texts)])
}

async function coverMore(session: Session, changes: readonly CoveredChange[]): Promise<void> {
  const byScope = Map.groupBy(changes, ({ road, scope }) => `${road} ${scope}`)
  for (const [first, ...others] of byScope.values()) {
    if (first === undefined) continue
    const { road, scope } = first
    for (const { from, to } of merged([first, ...others])) {
      const touched = await session.query(uncover, [road, scope, from, to])
      const [range] = merged([...touched, { from, to }])
      if (range) await session.query(cover, [road, scope, range.from, range.to])
    }
  }
}

async function changeMark(session: Session, one: WatermarkChange): Promise<void> {
  if (one.type === 'drop') {
    await session.query(dropMark, [one.level, one.kind, storeOf(one)])
    return
  }
  const { level, kind, storeId, from, until, since } = toWatermarkRow(one.watermark)
  await session.query(putMark, [level, kind, storeId, from, until, since])
}
