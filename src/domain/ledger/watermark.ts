import type { Instant } from '../values/instant.ts'

/** What completeness rests on: the event log, the facts that are pulled, or the till's own counters. */
export const LEVELS = ['log', 'facts', 'till'] as const
export type Level = (typeof LEVELS)[number]

/** Nothing of a kind is missing that arose in [from, until), by one level. */
export interface Watermark {
  level: Level
  kind: string
  /** The store's id; null: it holds for every store that has none of its own. */
  storeId: string | null
  from: Instant
  until: Instant
  /** Since when it has stood where it is. */
  since: Instant
}

/** The end of a watermark of a kind that nobody has looked through yet: it proves nothing. */
export const NEVER = 0

/** A watermark that takes the place of the one before, or one that is no more: its kind's holds for the store again. */
export type WatermarkChange =
  | { type: 'put'; watermark: Watermark }
  | { type: 'drop'; level: Level; kind: string; storeId: string | null }

/** A watermark moved to where the proofs have it, and whether it went back: then somebody is to be told. */
export function moved(
  before: Watermark | null,
  to: Omit<Watermark, 'since'>,
  now: Instant,
): { watermark: Watermark; wentBack: boolean } {
  const stands = before !== null && before.until === to.until
  const wentBack = before !== null && to.until < before.until
  return { watermark: { ...to, since: stands ? before.since : now }, wentBack }
}

/** The watermark that holds for a kind in a store; null: nobody has looked. `storeId` null: the one of every other store. */
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
