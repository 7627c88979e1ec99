import { keyPart } from '../queue/event.ts'
import { type Instant, over } from '../values/instant.ts'
import { digestOf, tooLongName } from '../values/text.ts'
import type { Cause, Road } from './causes.ts'

/** Plain facts of one road, by name. No secret, no personal data. */
type Evidence = Readonly<Record<string, string | number | boolean | null>>

/** Something that is not proven to be here, as a road has just seen it. */
export interface SeenGap {
  road: Road
  cause: Cause
  /** The event kind that it is of; null: of no single one. */
  kind: string | null
  /** The platform's id of its store; null: nobody knows, or of all. It then holds up every store. */
  storeId: string | null
  /** The destination that lacks it; null: the hub does. */
  destination: string | null
  /** The business day, `yyyy-mm-dd`; null: not known. */
  day: string | null
  /** Names it among those of its road, kind and destination: a webhook event id, an identity, a till and its Z number. */
  subject: string
  /** The instant of the fact, or the earliest that it can have: no watermark passes it while the gap is open. */
  at: Instant
  /** What each road knows of it. */
  evidence: Readonly<Partial<Record<Road, Evidence>>>
}

/** `open`: nothing is proven. `mended`: what was missing is here. `explained`: a person has said why it need not be. */
export const GAP_STATES = ['open', 'mended', 'explained'] as const
type GapState = (typeof GAP_STATES)[number]

export interface Gap extends SeenGap {
  firstSeenAt: Instant
  lastSeenAt: Instant
  state: GapState
  /** The end of it: when, by whom (`hub`, or a person), and why. Null while it is open. */
  ended: GapEnd | null
}

interface GapEnd {
  at: Instant
  by: string
  reason: string
}

/** A gap as it is kept. */
export interface KeptGap extends Gap {
  id: number
  key: string
}

/** A gap is seen (again), or not there any more. */
export type GapChange = { type: 'see'; gap: SeenGap } | { type: 'mend'; key: string; reason: string }

/** Selects gaps. Everything given must hold. */
export interface GapFilter {
  id?: number
  state?: GapState
  road?: Road
  cause?: Cause
  kind?: string
  storeId?: string
  destination?: string
  day?: string
}

/** The oldest of the open gaps of one kind, store, destination and cause. */
export interface OldestGap extends Pick<Gap, 'kind' | 'storeId' | 'destination' | 'cause' | 'at'> {
  count: number
}

/** How many gaps there are of a cause. */
export interface GapCount extends Pick<Gap, 'road' | 'cause'> {
  open: number
  /** When the oldest of the open ones was first seen; null: none is open. */
  oldest: Instant | null
  /** How many were first seen since the instant that was asked for, whatever has become of them. */
  recent: number
}

/** The name of a gap: what is seen again by it makes no other. */
export function gapKey({
  road,
  kind,
  destination,
  subject,
}: Pick<SeenGap, 'road' | 'kind' | 'destination' | 'subject'>) {
  const of = [road, destination ?? '', kind ?? '']
  const key = [...of, subject].map(keyPart).join('/')
  // One row with an endless id must not keep what is missing beside it from being written down.
  return tooLongName([key]) === null ? key : [...of, `~${digestOf(subject)}`].map(keyPart).join('/')
}

/** Whether a gap was first seen so long ago. What a clock that was ahead saw first, an earlier look saw. */
export function hasStood({ firstSeenAt }: Pick<Gap, 'firstSeenAt'>, since: number, now: Instant): boolean {
  return (over(firstSeenAt, now) ?? 0) <= now - since
}

/** The key of the gap that a change is about. */
export function keyOfChange(change: GapChange): string {
  return change.type === 'mend' ? change.key : gapKey(change.gap)
}

/**
 * A gap after a change; null: there is none. One that was mended and is seen again is open again; what a person has explained
 * stays explained. What roads found out before stays among the evidence.
 */
export function changedGap(before: Gap | null, change: GapChange, now: Instant): Gap | null {
  if (change.type === 'mend') {
    if (before?.state !== 'open') return before
    return { ...before, state: 'mended', ended: { at: now, by: 'hub', reason: change.reason } }
  }
  const { gap } = change
  if (before === null) return { ...gap, firstSeenAt: now, lastSeenAt: now, state: 'open', ended: null }
  const seen = { evidence: { ...before.evidence, ...gap.evidence }, lastSeenAt: Math.max(before.lastSeenAt, now) }
  if (before.state === 'explained') return { ...before, ...seen }
  const storeId = gap.storeId ?? before.storeId
  return { ...before, ...gap, ...seen, storeId, day: gap.day ?? before.day, state: 'open', ended: null }
}

/** Whether a gap holds up what holds for a store (null: for every store that has no watermark of its own). */
export function coversStore(gap: Pick<SeenGap, 'storeId'>, storeId: string | null): boolean {
  return gap.storeId === null || gap.storeId === storeId
}
