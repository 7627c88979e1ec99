import type { Instant } from '../values/instant.ts'
import { coveredUntil, mergeRanges, type Range } from './covered.ts'
import type { OldestGap } from './gap.ts'

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
