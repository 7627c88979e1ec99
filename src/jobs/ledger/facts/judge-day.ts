import type { Range } from '../../../domain/ledger/covered.ts'
import { untoldGap } from '../../../domain/ledger/facts/fact.ts'
import { type GapChange, hasStood, type KeptGap } from '../../../domain/ledger/gap.ts'
import { PULLED } from '../../../domain/queue/event.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { partsOf } from '../../../lib/collections.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'
import { type AcceptOptions, acceptPayload } from '../../pulls/handover.ts'
import { saveGaps } from '../save-gaps.ts'
import { BATCH, type DayRead, type FactList, type ListedFact } from './list.ts'

/** `why`: it was not taken. */
export type AcceptFact = (kind: string, payload: object) => Promise<{ reason: string } | { why: string }>

/** Under the same business key as the webhook: whichever comes later is a duplicate. */
export function createAcceptFact(options: AcceptOptions): AcceptFact {
  return async (kind, payload) => {
    const { status, id } = await acceptPayload(options, { kind, subscription: PULLED, transportKey: null, payload })
    if (status === 'duplicate') return { reason: HERE }
    if (status === 'accepted') return { reason: ACCEPTED }
    return { why: `event ${id} is ${status === 'conflict' ? 'in conflict with another' : 'in quarantine'}` }
  }
}

const ACCEPTED = 'accepted from the list, once'
const HERE = 'it has come'
const GONE = 'the list does not tell of it any more'

/** So long a listed record waits for its webhook or the log, which say more (ms). */
const WAITS = 86_400_000

const HOUR = 3_600_000

const TOGETHER = 100

interface Options {
  list: FactList
  day: string
  read: DayRead
  isWhole: boolean
  span: Range
  /** End of the proof so far. */
  until: Instant
  now: Instant
  watched(storeId: string | null): boolean
  store: Pick<Store, 'gaps' | 'saveLedger'>
  accept: AcceptFact
  signal: AbortSignal
}

export interface DayJudged {
  untold: number
  accepted: number
  /** Nothing is proven from here on. */
  provenTo: Instant
}

/**
 * Compares the records of a day with what is here. A missing one is a gap at once, and is taken from the list a day later. One that is
 * not listed any more was voided.
 */
export async function judgeDay(options: Options): Promise<DayJudged> {
  const { list, day, read, isWhole, span, until, watched, now, store } = options
  const gaps = await gapsOf(new Set([day, ...read.facts.map((fact) => fact.day)]), options)
  const lacking: ListedFact[] = []
  const changes: GapChange[] = []
  const missed = new Set(gaps.keys())
  let provenTo = span.to
  for (const some of partsOf(read.facts, BATCH)) {
    for (const { subject } of some) missed.delete(subject)
    const asked = some.filter((one) => isOurs(one, watched) && one.latest >= span.from && one.earliest < span.to)
    const here = await list.here(asked)
    for (const [nth, fact] of asked.entries()) {
      const gap = gaps.get(fact.subject)
      if (here[nth] !== true) {
        if (isYoung(fact)) provenTo = Math.min(provenTo, fact.earliest)
        else lacking.push(fact)
      } else if (gap?.state === 'open') changes.push({ type: 'mend', key: gap.key, reason: HERE })
    }
  }
  if (isWhole && list.voids)
    for (const gap of gaps.values())
      if (gap.day === day && gap.state === 'open' && missed.has(gap.subject))
        changes.push({ type: 'mend', key: gap.key, reason: GONE })
  const taken = await takenOrMissing(lacking, gaps, options)
  await saveGaps(store, [...changes, ...taken], now)
  const accepted = taken.filter(({ type }) => type === 'mend').length
  return { untold: taken.length - accepted, accepted, provenTo }

  /** Possibly after the cut-off; but not if it is of the hour that comes twice, and proven already. */
  function isYoung({ earliest, latest }: ListedFact): boolean {
    return latest >= span.to && !(earliest < until && latest - earliest <= HOUR)
  }
}

/** True if events of its store come, or of each store that shares its stock. */
function isOurs({ storeId, mayBeOf = [] }: ListedFact, watched: Options['watched']): boolean {
  return watched(storeId) || (mayBeOf.length > 0 && mayBeOf.every(watched))
}

/** By subject. */
async function gapsOf(days: Iterable<string>, { list: { kind }, store }: Options): Promise<Map<string, KeptGap>> {
  const gaps = new Map<string, KeptGap>()
  // That of a day as such is of no record.
  for (const day of days)
    for (const gap of await allGaps(store, { road: 'facts', kind, day }))
      if (gap.cause !== 'not-looked-at') gaps.set(gap.subject, gap)
  return gaps
}

/** Oldest first. */
async function takenOrMissing(
  lacking: readonly ListedFact[],
  gaps: ReadonlyMap<string, KeptGap>,
  { list, day, isWhole, now, accept, signal }: Options,
): Promise<GapChange[]> {
  const isDue = ({ subject, lacks }: ListedFact) => {
    const gap = gaps.get(subject)
    return lacks === null && isWhole && gap?.state === 'open' && hasStood(gap, WAITS, now)
  }
  const due = new Set(lacking.filter(isDue).map(({ subject }) => subject))
  const payloads = due.size === 0 ? new Map<string, object>() : await list.payloads(day, due, signal)
  const oldestFirst = lacking.toSorted((a, b) => a.earliest - b.earliest)
  const changes: GapChange[] = []
  for (const some of partsOf(oldestFirst, TOGETHER)) {
    signal.throwIfAborted()
    changes.push(...(await Promise.all(some.map(changeOf))))
  }
  return changes

  async function changeOf(fact: ListedFact): Promise<GapChange> {
    // The day whose list names it is read again.
    const seen = { ...untoldGap(list.kind, list.list, fact), day }
    const gap = gaps.get(fact.subject)
    const payload = payloads.get(fact.subject)
    if (gap === undefined || payload === undefined) return { type: 'see', gap: seen }
    const done = await accept(list.kind, payload)
    if ('reason' in done) return { type: 'mend', key: gap.key, reason: done.reason }
    return { type: 'see', gap: { ...seen, evidence: { facts: { ...seen.evidence.facts, why: done.why } } } }
  }
}
