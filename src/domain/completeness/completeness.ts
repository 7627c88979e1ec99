import type { Instant } from '../values/instant.ts'
import { CAUSES, coversStore, type OldestGap } from './gap.ts'
import { RECEIPT_KIND } from './pos.ts'
import { LEVELS, type Level, NEVER, type Watermark, watermarkOf } from './watermark.ts'

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

export function isLoss({ cause }: Pick<OldestGap, 'cause'>): boolean {
  return CAUSES[cause].class === 'loss'
}

/** Open gaps without a watermark: those of lists and POS go once nothing is compared any more. */
function unheld(
  watermarks: readonly Watermark[],
  oldest: OldestGaps,
  { until, storeId }: CompletenessQuery,
): Completeness[] {
  return (['lists', 'pos'] as const).flatMap((level) => {
    const marks = watermarks.filter((mark) => mark.level === level)
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
function isAbout(mark: Watermark, storeId: string | null, all: readonly Watermark[]): boolean {
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
