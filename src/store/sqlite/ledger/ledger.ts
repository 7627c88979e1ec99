import type { Database } from 'better-sqlite3'
import type { Road } from '../../../domain/ledger/causes.ts'
import type { CoveredChange, Range, UncoveredChange } from '../../../domain/ledger/covered.ts'
import { changedGap, type GapChange, keyOfChange } from '../../../domain/ledger/gap.ts'
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
import type { Acts } from '../acts.ts'

const COLUMNS = `id, key, road, cause, kind, store_id as storeId, destination, day, at, first_seen_at as firstSeenAt,
  last_seen_at as lastSeenAt, state, body`

/** What is not proven to be here, and up to where all is. It runs inside a transaction of the caller. */
export function createLedger(db: Database, acts: Acts) {
  const find = db.prepare<[string], GapText>(`select ${COLUMNS} from gaps where key = ?`)
  const findById = db.prepare<[number], GapText>(`select ${COLUMNS} from gaps where id = ?`)
  const add = db.prepare(
    `insert into gaps (key, road, cause, kind, store_id, destination, day, at, first_seen_at, last_seen_at, state, body)
       values (@key, @road, @cause, @kind, @storeId, @destination, @day, @at, @firstSeenAt, @lastSeenAt, @state, @body)`,
  )
  const change = db.prepare(
    `update gaps set cause = @cause, store_id = @storeId, day = @day, at = @at, last_seen_at = @lastSeenAt, state = @state,
       body = @body where key = @key`,
  )
  const explain = db.prepare(`update gaps set state = 'explained', body = ? where id = ? and state = 'open'`)
  // What touches a range becomes one with it: those of a scope stay apart from each other.
  const touched = db.prepare<[Road, string, Instant, Instant], { from: Instant | null; to: Instant | null }>(
    `select min(from_at) as "from", max(to_at) as "to" from covered
       where road = ? and scope = ? and from_at <= ? and to_at >= ?`,
  )
  const uncover = db.prepare('delete from covered where road = ? and scope = ? and from_at >= ? and from_at <= ?')
  const dropFrom = db.prepare('delete from covered where road = ? and scope = ? and from_at >= ?')
  const cutAt = db.prepare('update covered set to_at = ? where road = ? and scope = ? and to_at > ?')
  const cover = db.prepare('insert into covered (road, scope, from_at, to_at) values (?,?,?,?)')
  const rangesOf = db.prepare<[Road, string], Range>(
    'select from_at as "from", to_at as "to" from covered where road = ? and scope = ? order by from_at',
  )
  const allMarks = db.prepare<[], Watermark & { storeId: string }>(
    `select level, kind, store_id as storeId, from_at as "from", until_at as until, since from watermarks
       order by level, kind, store_id`,
  )
  const putMark = db.prepare(
    `insert into watermarks (level, kind, store_id, from_at, until_at, since)
       values (@level, @kind, @storeId, @from, @until, @since)
       on conflict do update set from_at = excluded.from_at, until_at = excluded.until_at, since = excluded.since`,
  )
  const dropMark = db.prepare('delete from watermarks where level = ? and kind = ? and store_id = ?')

  function changeGap(one: GapChange, now: Instant): void {
    const key = keyOfChange(one)
    const row = find.get(key)
    const before = row ? toKeptGap(row) : null
    const after = changedGap(before, one, now)
    if (after === null || after === before) return
    const { id: _, ...text } = { id: 0, ...toGapText(key, after) }
    if (before === null) add.run(text)
    else change.run(text)
  }

  function coverMore({ road, scope, from, to }: CoveredChange): void {
    if (from >= to) return
    const before = touched.get(road, scope, to, from)
    const range = { from: Math.min(from, before?.from ?? from), to: Math.max(to, before?.to ?? to) }
    uncover.run(road, scope, range.from, range.to)
    cover.run(road, scope, range.from, range.to)
  }

  function coverLess({ road, scope, from }: UncoveredChange): void {
    dropFrom.run(road, scope, from)
    cutAt.run(from, road, scope, from)
  }

  function changeMark(one: WatermarkChange): void {
    if (one.type === 'put') putMark.run(toWatermarkRow(one.watermark))
    else dropMark.run(one.level, one.kind, storeOf(one))
  }

  return {
    saveLedger({ gaps = [], uncovered = [], covered = [], watermarks = [] }: LedgerChange, now: Instant): void {
      for (const one of gaps) changeGap(one, now)
      for (const one of uncovered) coverLess(one)
      for (const one of covered) coverMore(one)
      for (const one of watermarks) changeMark(one)
    },

    covered: (road: Road, scope: string): Range[] => rangesOf.all(road, scope),

    watermarks: (): Watermark[] => allMarks.all().map(toWatermark),

    explain(ids: number[], { by, reason, at }: Audit, act: number): number {
      const changed = ids.filter((id) => {
        const gap = findById.get(id)
        return gap !== undefined && explain.run(explained(gap, by, reason ?? '', at), id).changes > 0
      })
      acts.extendAct(act, changed.length, [])
      return changed.length
    },
  }
}
