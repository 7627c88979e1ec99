import type { Instant } from '../values/instant.ts'
import { coveredUntil, mergeRanges, type Range } from './covered.ts'
import { coversStore, isLoss, type OldestGap } from './gap.ts'
import { RECEIPT_KIND } from './pos.ts'

/** The sources of completeness: event log, pulled lists, POS counters. */
export const LEVELS = ['log', 'lists', 'pos'] as const
export type Level = (typeof LEVELS)[number]

/** Nothing of a kind is missing in [from, until). */
export interface Watermark {
  level: Level
  kind: string
  /** The platform's id; null: every store without one of its own. */
  storeId: string | null
  from: Instant
  until: Instant
  /** Last move. */
  since: Instant
}

/** `until` of a kind that was never searched. */
export const NEVER = 0

export type WatermarkChange =
  | { type: 'put'; watermark: Watermark }
  | ({ type: 'drop' } & Pick<Watermark, 'level' | 'kind' | 'storeId'>)

export function advanceWatermark(
  before: Watermark | null,
  to: Omit<Watermark, 'since'>,
  now: Instant,
): { watermark: Watermark; wentBack: boolean } {
  const since = before !== null && before.until === to.until ? before.since : now
  return { watermark: { ...to, since }, wentBack: before !== null && to.until < before.until }
}

/** A store's own watermark of a kind, else that of all stores. */
export function watermarkOf(
  watermarks: readonly Watermark[],
  level: Level,
  kind: string,
  storeId: string | null,
): Watermark | null {
  const ofKind = watermarks.filter((one) => one.level === level && one.kind === kind)
  const own = ofKind.find((one) => one.storeId === storeId)
  return own ?? ofKind.find((one) => one.storeId === null) ?? null
}

/** `storeId` null: every store that has none of its own. */
export interface KindProof extends Omit<Proof, 'oldestGap'>, Pick<Watermark, 'level' | 'kind' | 'storeId'> {}

interface Before {
  marks: readonly Watermark[]
  /** Open gaps of the level's source. */
  oldest: readonly OldestGap[]
  now: Instant
  /** The clock of the proofs minus the hub's (ms). */
  ahead?: number
  /** True if a store has proofs of its own for this kind. */
  isIsolated(storeId: string): boolean
}

/** A watermark that went back. */
interface WentBack {
  level: Level
  kind: string
  storeId: string | null
  from: Instant | undefined
  to: Instant
}

/** Watermarks of a kind: its own, and one for each store that an open gap holds back; the others are dropped. */
export function watermarkChanges(proof: KindProof, { marks, oldest, now, ahead = 0, isIsolated }: Before) {
  const { level, kind, storeId, from, covered, excused } = proof
  const wentBack: WentBack[] = []
  const ofKind = oldest.filter((gap) => gap.kind === null || gap.kind === kind)
  const stores = storeId === null ? ofKind.flatMap((gap) => gap.storeId ?? []) : []
  const held = new Set(stores.filter((one) => !isIsolated(one)))
  const changes = [markOf(storeId), ...[...held].map(markOf), ...dropped()]
  return { changes, wentBack }

  function markOf(place: string | null): WatermarkChange {
    const own = ofKind.filter((gap) => gap.storeId === null || gap.storeId === place)
    const oldestGap = own.length === 0 ? null : Math.min(...own.map(({ at }) => at))
    const until = Math.max(from, provenUntil({ from, covered, excused, oldestGap }) - ahead)
    const was = watermarkOf(marks, level, kind, place)
    const { watermark, wentBack: back } = advanceWatermark(was, { level, kind, storeId: place, from, until }, now)
    if (back) wentBack.push({ level, kind, storeId: place, from: was?.until, to: until })
    return { type: 'put', watermark }
  }

  function dropped(): WatermarkChange[] {
    if (storeId !== null) return []
    return marks
      .filter((one) => one.level === level && one.kind === kind && one.storeId !== null)
      .filter((one) => one.storeId !== null && !held.has(one.storeId) && !isIsolated(one.storeId))
      .map((one) => ({ type: 'drop', level, kind, storeId: one.storeId }))
  }
}

interface Proof {
  from: Instant
  /** Searched, in order. */
  covered: readonly Range[]
  /** Not searched, but explained by a person or proven by another source. */
  excused: readonly Range[]
  oldestGap: Instant | null
}

/** The watermark passes neither unsearched time nor an open gap. */
export function provenUntil({ from, covered, excused, oldestGap }: Proof): Instant {
  const until = coveredUntil(mergeRanges([...covered, ...excused]), from)
  return oldestGap === null ? until : Math.max(from, Math.min(until, oldestGap))
}

/** `gaps`: something is missing. `unknown`: not checked (lately), or only a person can tell. */
export type Verdict = 'proven' | 'gaps' | 'unknown'

export interface Completeness extends Watermark {
  verdict: Verdict
  /** Open gaps that hold the watermark back. */
  gaps: number
  neverScanned: boolean
}

interface CompletenessQuery {
  /** Null: until lately. */
  until: Instant | null
  /** Absent: any time at the end is enough. */
  since?: Instant
  storeId: string | null
  now: Instant
  /** Known lateness of events (ms): watermarks stay so far behind. */
  lag?: number
}

/** A log to be searched: of a store, of every store (null), or of any (undefined). */
export interface WantedLog {
  kind: string
  storeId: string | null | undefined
}

type OldestGaps = Readonly<Partial<Record<Level, readonly OldestGap[]>>>
const HOUR = 3_600_000

/** Watermarks further behind are stale (ms). A POS may stay open over a weekend. */
const LATELY: Readonly<Record<Level, number>> = { log: 2 * HOUR, lists: 2 * HOUR, pos: 72 * HOUR }

/** Judges every watermark that a question is about. `oldest`: open gaps by level. Pure. */
export function completenessOf(
  watermarks: readonly Watermark[],
  oldest: OldestGaps,
  asked: CompletenessQuery,
  wanted: readonly WantedLog[] = [],
): Completeness[] {
  const { until, storeId, now, lag = 0 } = asked
  const all = [...watermarks, ...neverScanned(watermarks, wanted)]
  return all
    .filter((mark) => isAbout(mark, storeId, all))
    .map((mark) => {
      const held = (oldest[mark.level] ?? []).filter((gap) => holdsBack(gap, mark))
      const counts = held.filter((gap) => until === null || gap.at < until)
      const gaps = counts.reduce((sum, { count }) => sum + count, 0)
      const isProven = mark.until >= (until ?? now - LATELY[mark.level] - lag) && wasScanned(mark, asked)
      const verdict = counts.some(isLoss) ? 'gaps' : isProven && gaps === 0 ? 'proven' : 'unknown'
      return { ...mark, verdict, gaps, neverScanned: mark.until === NEVER } as const
    })
    .filter((one) => one.gaps > 0 || wasScanned(one, asked) || !all.some((other) => answersFor(one, other, asked)))
    .concat(unheld(watermarks, oldest, asked))
}

function holdsBack(gap: OldestGap, mark: Watermark): boolean {
  return (gap.kind === null || gap.kind === mark.kind) && coversStore(gap, mark.storeId)
}

/** Open gaps without a watermark: nothing is compared any more, or none of the asked store. */
function unheld(
  watermarks: readonly Watermark[],
  oldest: OldestGaps,
  { until, storeId }: CompletenessQuery,
): Completeness[] {
  return LEVELS.flatMap((level) => {
    const marks = watermarks.filter((mark) => mark.level === level && isAbout(mark, storeId, watermarks))
    return (oldest[level] ?? [])
      .filter((gap) => !marks.some((mark) => holdsBack(gap, mark)))
      .filter((gap) => (storeId === null || coversStore(gap, storeId)) && (until === null || gap.at < until))
      .map((gap) => ({
        ...{ level, kind: gap.kind ?? RECEIPT_KIND, storeId: gap.storeId, from: NEVER, until: NEVER, since: NEVER },
        ...{ verdict: isLoss(gap) ? 'gaps' : 'unknown', gaps: gap.count, neverScanned: true },
      }))
  })
}

/** One gap is enough; nothing at all is unknown. */
export function verdictOf(all: readonly Pick<Completeness, 'verdict'>[]): Verdict {
  if (all.some(({ verdict }) => verdict === 'gaps')) return 'gaps'
  return all.length === 0 || all.some(({ verdict }) => verdict === 'unknown') ? 'unknown' : 'proven'
}

/** Before a watermark begins, nothing was checked. */
function wasScanned({ from, until }: Watermark, asked: CompletenessQuery): boolean {
  const upTo = asked.until ?? asked.now - LATELY.log - (asked.lag ?? 0)
  return from < until && from < upTo && from <= (asked.since ?? from)
}

/** A better level has checked that time: lists and POS begin later than the log. */
function answersFor(line: Watermark, other: Watermark, asked: CompletenessQuery): boolean {
  if (other.kind !== line.kind || LEVELS.indexOf(other.level) >= LEVELS.indexOf(line.level)) return false
  const isOfIts = other.storeId === null || line.storeId === null || other.storeId === line.storeId
  return isOfIts && wasScanned(other, asked)
}

/** `storeId` null: all stores. Lists are compared where events are subscribed to. */
export function isAbout(mark: Watermark, storeId: string | null, all: readonly Watermark[]): boolean {
  if (storeId === null || mark.storeId === storeId) return true
  if (mark.storeId !== null) return false
  if (mark.level !== 'lists') return true
  const log = all.filter(({ level, kind }) => level === 'log' && kind === mark.kind)
  return log.length === 0 || log.some((one) => one.storeId === null || one.storeId === storeId)
}

function neverScanned(watermarks: readonly Watermark[], wanted: readonly WantedLog[]): Watermark[] {
  const hasAny = (kind: string) => watermarks.some((one) => one.level === 'log' && one.kind === kind)
  return wanted
    .filter(({ kind, storeId }) =>
      storeId === undefined ? !hasAny(kind) : watermarkOf(watermarks, 'log', kind, storeId) === null,
    )
    .map(({ kind, storeId = null }) => ({ level: 'log', kind, storeId, from: NEVER, until: NEVER, since: NEVER }))
}
