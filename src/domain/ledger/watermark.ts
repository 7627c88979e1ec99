import type { Instant } from '../values/instant.ts'

/** The sources of completeness: event log, pulled lists, POS counters. */
export const LEVELS = ['log', 'facts', 'till'] as const
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

export function moved(
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
