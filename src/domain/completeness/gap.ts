import { keyPart, tooLongName } from '../queue/event.ts'
import { type Instant, nullIfFuture } from '../values/instant.ts'
import { digestOf } from '../values/text.ts'
import type { Range } from './covered.ts'

/** Plain facts. No secret, no personal data. */
type Evidence = Readonly<Record<string, string | number | boolean | null>>

/** Something not proven to be here, as just found. */
export interface DetectedGap {
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

export interface Gap extends DetectedGap {
  firstSeenAt: Instant
  lastSeenAt: Instant
  state: GapState
  /** `by`: `hub` or a person. Null while open. */
  ended: { at: Instant; by: string; reason: string } | null
}

export interface StoredGap extends Gap {
  id: number
  key: string
}

export type GapChange = { type: 'see'; gap: DetectedGap } | { type: 'repair'; key: string; reason: string }

/** Everything given must hold. */
export type GapFilter = Partial<Pick<StoredGap, 'id' | 'state' | 'source' | 'cause'>> & {
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
export function gapKey(gap: Pick<DetectedGap, 'source' | 'kind' | 'destination' | 'subject'>): string {
  const { source, kind, destination, subject } = gap
  const of = [source, destination ?? '', kind ?? '']
  const key = [...of, subject].map(keyPart).join('/')
  // An endless id must not keep other gaps from being stored.
  return tooLongName([key]) === null ? key : [...of, `~${digestOf(subject)}`].map(keyPart).join('/')
}

export function isLoss({ cause }: Pick<DetectedGap, 'cause'>): boolean {
  return CAUSES[cause].class === 'loss'
}

/** True if first seen at least `since` ms ago. A first sight in the future was stamped by a clock that was ahead. */
export function isOlderThan({ firstSeenAt }: Pick<Gap, 'firstSeenAt'>, since: number, now: Instant): boolean {
  return (nullIfFuture(firstSeenAt, now) ?? 0) <= now - since
}

export function keyOfChange(change: GapChange): string {
  return change.type === 'repair' ? change.key : gapKey(change.gap)
}

/**
 * A repaired gap that is seen again reopens; an explained one stays explained, unless it is a loss now and was none then.
 * Evidence accumulates.
 */
export function changedGap(before: Gap | null, change: GapChange, now: Instant): Gap | null {
  if (change.type === 'repair') {
    if (before?.state !== 'open') return before
    return { ...before, state: 'repaired', ended: { at: now, by: 'hub', reason: change.reason } }
  }
  const { gap } = change
  const open = { state: 'open', ended: null } as const
  if (before === null) return { ...gap, firstSeenAt: now, lastSeenAt: now, ...open }
  const seen = { evidence: { ...before.evidence, ...gap.evidence }, lastSeenAt: Math.max(before.lastSeenAt, now) }
  const isLostSince = isLoss(gap) && !isLoss(before)
  if (before.state === 'explained' && !isLostSince) return { ...before, ...seen }
  const [storeId, day] = [gap.storeId ?? before.storeId, gap.day ?? before.day]
  return { ...before, ...gap, ...seen, storeId, day, ...open }
}

/** `storeId` null: every store without a watermark of its own. */
export function coversStore(gap: Pick<DetectedGap, 'storeId'>, storeId: string | null): boolean {
  return gap.storeId === null || gap.storeId === storeId
}

export const PROVEN_BY_LISTS = 'proven by lists'

/** A range without log that lists have proven complete. */
export interface ProvenByLists extends Range {
  kind: string
  /** Why there is no log. */
  why: string
}

/** The range of a gap of the log; null: it has none. */
export function rangeOf({ evidence }: Pick<StoredGap, 'evidence'>): Range | null {
  const { from, to } = evidence.log ?? {}
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : null
}

/** The ranges of gaps that lists have closed, in order. */
export function stretchesByLists(gaps: readonly Pick<StoredGap, 'kind' | 'ended' | 'evidence'>[]): ProvenByLists[] {
  const proven = gaps.flatMap((gap) => {
    const { kind, ended, evidence } = gap
    const stretch = rangeOf(gap)
    if (ended?.reason !== PROVEN_BY_LISTS || kind === null || stretch === null) return []
    return [{ kind, why: String(evidence.log?.why ?? 'the log told nothing'), ...stretch }]
  })
  return proven.sort((a, b) => a.from - b.from || (a.kind < b.kind ? -1 : 1))
}

/** The sources that find missing things. */
export const RECONCILIATION_SOURCES = ['log', 'lists', 'pos', 'destination'] as const
export type ReconciliationSource = (typeof RECONCILIATION_SOURCES)[number]

/** `loss`: something is missing. `explain`: only a person can tell. */
type Class = 'loss' | 'explain'

/** `repairs`: the command that repairs it, or shows what to do. */
function by<R extends ReconciliationSource>(source: R) {
  return (kind: Class, remedy: string, words: string) => ({ source, class: kind, words, remedy })
}

const [log, lists, pos, there] = [by('log'), by('lists'), by('pos'), by('destination')]

const SWEEP = 'tillbridge jobs run reconcile-log'
const LISTS = 'tillbridge jobs run reconcile-lists'
const COUNT = 'tillbridge jobs run reconcile-pos'
const FETCH = `tillbridge jobs run settlements; ${COUNT}`
const RECEIPTS = `tillbridge jobs run resend-failed; ${COUNT}`
const EXPLAIN = 'tillbridge gaps explain <id> --reason "…"'
const OR_EXPLAIN = `where that is intended, ${EXPLAIN}`
const RESEND = `tillbridge deliveries resend <delivery> --reason "…"; ${OR_EXPLAIN}`
const SHARED = 'tillbridge subscriptions list: who else gets what is meant for this hub?'
const LACKS = `tillbridge gaps show <id> says what is lacking; ${EXPLAIN}`
const TAKE_OUT = `take all but one out there; tillbridge jobs run reconcile-destinations; or ${EXPLAIN}`

/** Every cause of a gap. */
export const CAUSES = {
  failed: log('loss', SWEEP, 'The platform could not deliver it, and it is not here.'),
  claimed: log('loss', SHARED, 'The platform delivered it, and not here: to another receiver, or it was lost here.'),
  unobtainable: log('loss', SWEEP, 'It could be neither sent again nor taken from the log.'),
  'not-looked-at': log('explain', `${SWEEP}; ${LISTS}; or ${EXPLAIN}`, 'A stretch of time could not be searched.'),
  missing: lists('loss', LISTS, 'The platform lists it, and it is not here; it is taken from the list after a day.'),
  thin: lists('loss', LACKS, 'The platform lists it, with too little to make its event, and no event came.'),
  'z-missing': pos('loss', FETCH, 'A Z report is missing: the numbers of its POS run on without it.'),
  'z-again': pos('explain', EXPLAIN, 'A Z number was used again: a POS was restored, or two have one name.'),
  uncounted: pos('loss', RECEIPTS, 'A POS has counted more receipts, or fewer, than are here.'),
  unbalanced: pos('loss', RECEIPTS, 'The receipts that are here come to another total than the POS has counted.'),
  unclosed: pos('explain', `${FETCH}; or ${EXPLAIN}`, 'A POS made no Z report for days, and may have sold since.'),
  'not-there': there('loss', RESEND, 'A destination has acknowledged it, and does not have it.'),
  'there-twice': there('explain', TAKE_OUT, 'A destination has it more than once.'),
  'other-amount': there('explain', `put it right there, or ${RESEND}`, 'A destination has it with another amount.'),
} as const

export type Cause = keyof typeof CAUSES
export const CAUSE_NAMES = Object.keys(CAUSES) as Cause[]

/** Fully searched. `scope`: a subscription, a kind or a POS. */
export interface CoveredChange extends Range {
  source: ReconciliationSource
  scope: string
}

/** Wrongly taken for searched from an instant on: a clock was ahead. */
export type UncoveredChange = Omit<CoveredChange, 'to'>

/** What to type about this one, of the remedy of its cause. */
export function remedyFor({ id, evidence }: Pick<StoredGap, 'id' | 'evidence'>, remedy: string): string {
  return remedy.replace('<id>', String(id)).replace('<delivery>', String(evidence.destination?.delivery))
}
