import type { Instant } from '../values/instant.ts'
import { CAUSES } from './causes.ts'
import { coversStore, type OldestGap } from './gap.ts'
import { RECEIPT_KIND } from './till/till.ts'
import { LEVELS, type Level, NEVER, type Watermark, watermarkOf } from './watermark.ts'

/**
 * `gaps`: something is missing. `unknown`: nobody has looked, or not lately enough, or what was found says no more than that a
 * person has to explain it.
 */
export type Verdict = 'proven' | 'gaps' | 'unknown'

/** A watermark, and what is to be thought of it. */
export interface Completeness extends Watermark {
  verdict: Verdict
  /** How many open gaps hold it up. */
  gaps: number
  /** Nobody has looked through it yet, or nobody does any more. */
  neverSwept: boolean
}

/** What was asked: is everything here until then? */
interface Asked {
  /** Null: until lately. */
  until: Instant | null
  /** The beginning of the time that is asked about; not given: some of it, at the end, is enough. */
  since?: Instant
  storeId: string | null
  now: Instant
  /** How late events are known to be: a watermark stays so far behind (milliseconds). Nothing, if nobody says. */
  lag?: number
}

/** A log that is to be looked through: that of a store, of every store (null), or of any (undefined: nobody says of which). */
export interface WantedLog {
  kind: string
  storeId: string | null | undefined
}

const HOUR = 3_600_000

/**
 * Watermarks that are further behind are stale: a sweep comes every half hour, and stays behind by its lag. A till tells nothing
 * before it is closed, and a shop may be closed over a weekend.
 */
const LATELY: Readonly<Record<Level, number>> = { log: 2 * HOUR, facts: 2 * HOUR, till: 72 * HOUR }

/** Judges every watermark that a question is about. `oldest`: the open gaps of each level's road. Pure. */
export function completenessOf(
  watermarks: readonly Watermark[],
  oldest: Readonly<Partial<Record<Level, readonly OldestGap[]>>>,
  asked: Asked,
  wanted: readonly WantedLog[] = [],
): Completeness[] {
  const { until, storeId, now, lag = 0 } = asked
  const all = [...watermarks, ...neverSwept(watermarks, wanted)]
  return all
    .filter((mark) => isAbout(mark, storeId, all))
    .map((mark) => {
      const held = (oldest[mark.level] ?? []).filter(
        (gap) => (gap.kind === null || gap.kind === mark.kind) && coversStore(gap, mark.storeId),
      )
      const upTo = until ?? now - LATELY[mark.level] - lag
      const isProven = mark.until >= upTo && hasLooked(mark, asked)
      const counts = held.filter((gap) => until === null || gap.at < until)
      const gaps = counts.reduce((sum, { count }) => sum + count, 0)
      const isLoss = counts.some(({ cause }) => CAUSES[cause].class === 'loss')
      const verdict = isLoss ? 'gaps' : isProven && gaps === 0 ? 'proven' : 'unknown'
      return { ...mark, verdict, gaps, neverSwept: mark.until === NEVER } as const
    })
    .filter((one) => one.gaps > 0 || hasLooked(one, asked) || !all.some((other) => answersFor(one, other, asked)))
    .concat(unheld(watermarks, oldest, asked))
}

/** The roads whose watermarks go when nothing is compared any more: what they found missing is missing all the same. */
const MAY_END = ['facts', 'till'] as const satisfies Level[]

/** Lines of open gaps that no watermark is held up by. */
function unheld(
  watermarks: readonly Watermark[],
  oldest: Readonly<Partial<Record<Level, readonly OldestGap[]>>>,
  { until, storeId }: Asked,
): Completeness[] {
  return MAY_END.flatMap((level) => {
    const marks = watermarks.filter((mark) => mark.level === level)
    const isHeldBy = (gap: OldestGap, mark: Watermark) =>
      (gap.kind === null || gap.kind === mark.kind) && coversStore(gap, mark.storeId)
    return (oldest[level] ?? [])
      .filter((gap) => !marks.some((mark) => isHeldBy(gap, mark)))
      .filter((gap) => (storeId === null || coversStore(gap, storeId)) && (until === null || gap.at < until))
      .map(({ kind, storeId: place, cause, count }) => ({
        ...{ level, kind: kind ?? RECEIPT_KIND, storeId: place, from: NEVER, until: NEVER, since: NEVER },
        ...{ verdict: CAUSES[cause].class === 'loss' ? ('gaps' as const) : ('unknown' as const) },
        ...{ gaps: count, neverSwept: true },
      }))
  })
}

/** The verdict on all of it: one gap is enough; where nobody has looked, nobody knows. */
export function verdictOf(all: readonly Pick<Completeness, 'verdict'>[]): Verdict {
  if (all.some(({ verdict }) => verdict === 'gaps')) return 'gaps'
  return all.length === 0 || all.some(({ verdict }) => verdict === 'unknown') ? 'unknown' : 'proven'
}

/** Whether anybody has looked at the time that is asked about: before a watermark begins, nobody has. */
function hasLooked({ from, until }: Watermark, asked: Asked): boolean {
  const upTo = asked.until ?? asked.now - LATELY.log - (asked.lag ?? 0)
  return from < until && from < upTo && from <= (asked.since ?? from)
}

/**
 * Whether a line need not be there, since a road that goes before its own has looked at that time: the facts begin when they are first
 * compared, and the tills of a store with their first report, however long the log has told of it.
 */
function answersFor(line: Watermark, other: Watermark, asked: Asked): boolean {
  if (other.kind !== line.kind || LEVELS.indexOf(other.level) >= LEVELS.indexOf(line.level)) return false
  const isOfIts = other.storeId === null || line.storeId === null || other.storeId === line.storeId
  return isOfIts && hasLooked(other, asked)
}

/** Whether a watermark says anything of a store (null: of all that are looked at). Facts are compared where events are subscribed to. */
function isAbout(mark: Watermark, storeId: string | null, all: readonly Watermark[]): boolean {
  if (storeId === null || mark.storeId === storeId) return true
  if (mark.storeId !== null) return false
  if (mark.level !== 'facts') return true
  const log = all.filter(({ level, kind }) => level === 'log' && kind === mark.kind)
  return log.length === 0 || log.some((one) => one.storeId === null || one.storeId === storeId)
}

/** Logs that are to be looked through, and that nobody has ever begun with. */
function neverSwept(watermarks: readonly Watermark[], wanted: readonly WantedLog[]): Watermark[] {
  const hasAny = (kind: string) => watermarks.some((one) => one.level === 'log' && one.kind === kind)
  return wanted
    .filter(({ kind, storeId }) =>
      storeId === undefined ? !hasAny(kind) : watermarkOf(watermarks, 'log', kind, storeId) === null,
    )
    .map(({ kind, storeId = null }) => ({ level: 'log', kind, storeId, from: NEVER, until: NEVER, since: NEVER }))
}
