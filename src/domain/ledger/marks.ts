import type { Instant } from '../values/instant.ts'
import { coveredUntil, merged, type Range } from './covered.ts'
import type { OldestGap } from './gap.ts'
import { type Level, moved, type Watermark, type WatermarkChange, watermarkOf } from './watermark.ts'

/** What a kind's watermarks rest on; `storeId` null: it holds for every store that has none of its own. */
export interface KindProof extends Omit<Proof, 'oldestGap'> {
  level: Level
  kind: string
  storeId: string | null
}

interface Before {
  marks: readonly Watermark[]
  /** The open gaps of the level's road. */
  oldest: readonly OldestGap[]
  now: Instant
  /** So much later than by the hub's clock it is by that of the proofs (milliseconds). */
  ahead?: number
  /** Whether a store has proofs of its own for this kind. */
  isApart(storeId: string): boolean
}

/** A watermark that went back: somebody is to be told. */
interface WentBack {
  level: Level
  kind: string
  storeId: string | null
  from: Instant | undefined
  to: Instant
}

/**
 * The watermarks of a kind by its proofs: its own, and one for each store that an open gap of its own holds back; those of stores that
 * are held back no more go.
 */
export function marksOf(proof: KindProof, { marks, oldest, now, ahead = 0, isApart }: Before) {
  const { level, kind, storeId, from, covered, excused } = proof
  const wentBack: WentBack[] = []
  const ofKind = oldest.filter((gap) => gap.kind === null || gap.kind === kind)
  const ofAll = ofKind.filter((gap) => gap.storeId === null)
  const stores = storeId === null ? ofKind.flatMap((gap) => gap.storeId ?? []) : []
  const held = new Set(stores.filter((one) => !isApart(one)))
  const changes = [markOf(storeId), ...[...held].map(markOf), ...dropped()]
  return { changes, wentBack }

  function markOf(place: string | null): WatermarkChange {
    const own = [...ofAll, ...ofKind.filter((gap) => gap.storeId !== null && gap.storeId === place)]
    const oldestGap = own.length === 0 ? null : Math.min(...own.map(({ at }) => at))
    const until = Math.max(from, provenUntil({ from, covered, excused, oldestGap }) - ahead)
    const was = watermarkOf(marks, level, kind, place)
    const { watermark, wentBack: back } = moved(was, { level, kind, storeId: place, from, until }, now)
    if (back) wentBack.push({ level, kind, storeId: place, from: was?.until, to: until })
    return { type: 'put', watermark }
  }

  /** Stores that are held up no more: what holds for their kind holds for them. */
  function dropped(): WatermarkChange[] {
    if (storeId !== null) return []
    return marks
      .filter((one) => one.level === level && one.kind === kind && one.storeId !== null && !held.has(one.storeId))
      .filter((one) => one.storeId !== null && !isApart(one.storeId))
      .map((one) => ({ type: 'drop', level, kind, storeId: one.storeId }))
  }
}

/** The proofs that a watermark rests on. */
export interface Proof {
  /** Where it begins: before that nobody has looked. */
  from: Instant
  /** What was looked through, in order. */
  covered: readonly Range[]
  /** Stretches that were not, and that a person has explained or another road has proven. */
  excused: readonly Range[]
  /** The instant of the oldest open gap; null: none is open. */
  oldestGap: Instant | null
}

/** Up to where nothing is missing: neither past time that nobody has looked through, nor past an open gap. */
export function provenUntil({ from, covered, excused, oldestGap }: Proof): Instant {
  const until = coveredUntil(merged([...covered, ...excused]), from)
  return oldestGap === null ? until : Math.max(from, Math.min(until, oldestGap))
}
