import { keyPart } from '../queue/event.ts'
import { type Instant, over } from '../values/instant.ts'
import { digestOf, tooLongName } from '../values/text.ts'
import type { Cause, ReconciliationSource } from './causes.ts'

/** Plain facts. No secret, no personal data. */
type Evidence = Readonly<Record<string, string | number | boolean | null>>

/** Something not proven to be here, as just found. */
export interface SeenGap {
  source: ReconciliationSource
  cause: Cause
  /** Null: of no single kind. */
  kind: string | null
  /** The platform's id; null: unknown or all, which holds back every store. */
  storeId: string | null
  /** The destination that lacks it; null: the hub does. */
  destination: string | null
  /** Business day, `yyyy-mm-dd`. */
  day: string | null
  /** Unique by source, kind and destination: a webhook event id, an identity, a POS and its Z number. */
  subject: string
  /** Earliest possible time of the record: no watermark passes it while the gap is open. */
  at: Instant
  evidence: Readonly<Partial<Record<ReconciliationSource, Evidence>>>
}

/** `repaired`: it is here now. `explained`: a person says why it need not be. */
export const GAP_STATES = ['open', 'repaired', 'explained'] as const
type GapState = (typeof GAP_STATES)[number]

export interface Gap extends SeenGap {
  firstSeenAt: Instant
  lastSeenAt: Instant
  state: GapState
  /** `by`: `hub` or a person. Null while open. */
  ended: { at: Instant; by: string; reason: string } | null
}

export interface KeptGap extends Gap {
  id: number
  key: string
}

export type GapChange = { type: 'see'; gap: SeenGap } | { type: 'repair'; key: string; reason: string }

/** Everything given must hold. */
export type GapFilter = Partial<Pick<KeptGap, 'id' | 'state' | 'source' | 'cause'>> & {
  [Name in 'kind' | 'storeId' | 'destination' | 'day']?: string
}

/** The oldest open gap of a kind, store, destination and cause. */
export interface OldestGap extends Pick<Gap, 'kind' | 'storeId' | 'destination' | 'cause' | 'at'> {
  count: number
}

export interface GapCount extends Pick<Gap, 'source' | 'cause'> {
  open: number
  /** First sight of the oldest open one. */
  oldest: Instant | null
  /** First seen since the instant that was asked for, in any state. */
  recent: number
}

/** Seen again, it is the same gap. */
export function gapKey({
  source,
  kind,
  destination,
  subject,
}: Pick<SeenGap, 'source' | 'kind' | 'destination' | 'subject'>): string {
  const of = [source, destination ?? '', kind ?? '']
  const key = [...of, subject].map(keyPart).join('/')
  // An endless id must not keep other gaps from being stored.
  return tooLongName([key]) === null ? key : [...of, `~${digestOf(subject)}`].map(keyPart).join('/')
}

/** True if first seen at least `since` ms ago. A first sight in the future was stamped by a clock that was ahead. */
export function hasStood({ firstSeenAt }: Pick<Gap, 'firstSeenAt'>, since: number, now: Instant): boolean {
  return (over(firstSeenAt, now) ?? 0) <= now - since
}

export function keyOfChange(change: GapChange): string {
  return change.type === 'repair' ? change.key : gapKey(change.gap)
}

/** A repaired gap that is seen again reopens; an explained one stays explained. Evidence accumulates. */
export function changedGap(before: Gap | null, change: GapChange, now: Instant): Gap | null {
  if (change.type === 'repair') {
    if (before?.state !== 'open') return before
    return { ...before, state: 'repaired', ended: { at: now, by: 'hub', reason: change.reason } }
  }
  const { gap } = change
  const open = { state: 'open', ended: null } as const
  if (before === null) return { ...gap, firstSeenAt: now, lastSeenAt: now, ...open }
  const seen = { evidence: { ...before.evidence, ...gap.evidence }, lastSeenAt: Math.max(before.lastSeenAt, now) }
  if (before.state === 'explained') return { ...before, ...seen }
  const [storeId, day] = [gap.storeId ?? before.storeId, gap.day ?? before.day]
  return { ...before, ...gap, ...seen, storeId, day, ...open }
}

/** `storeId` null: every store without a watermark of its own. */
export function coversStore(gap: Pick<SeenGap, 'storeId'>, storeId: string | null): boolean {
  return gap.storeId === null || gap.storeId === storeId
}
