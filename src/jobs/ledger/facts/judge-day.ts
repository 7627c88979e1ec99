import type { Range } from '../../../domain/ledger/covered.ts'
import { judgedBy } from '../../../domain/ledger/facts/bound.ts'
import { untoldGap } from '../../../domain/ledger/facts/fact.ts'
import { type LogOfKind, mayStillCome } from '../../../domain/ledger/facts/may-come.ts'
import { type GapChange, gapKey, hasStood, type KeptGap } from '../../../domain/ledger/gap.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'
import { saveGaps } from '../save-gaps.ts'
import { ACCEPTED, type AcceptFact, acceptOrKeep, GONE, TOLD } from './accept.ts'
import type { DayRead, FactRoad, ListedFact } from './road.ts'

interface Options {
  road: FactRoad
  day: string
  read: DayRead
  /** The list was read to its end: what it lacks is not there. */
  isWhole: boolean
  /** Rows that the list had before, and what it showed that was too young to be judged. */
  before: { rows: number; young: readonly string[] }
  /** From where events could tell to the frozen bound. */
  span: Range
  /** Up to there all has been said to be proven. */
  until: Instant
  lag: number
  log: LogOfKind
  /** Kinds of which an event has been known again by the columns that config names; changed where one is. */
  known: string[]
  now: Instant
  /** Whether a subscription of ours is for this store. */
  watched(storeId: string | null): boolean
  store: Pick<Store, 'gaps' | 'saveLedger'>
  accept: AcceptFact
  signal: AbortSignal
}

/** What became of the facts of a day. */
export interface DayJudged {
  /** Why it proves nothing after all; null: it does. */
  why: string | null
  untold: number
  accepted: number
  /** Nothing from here on is proven. */
  provenTo: Instant
  /** What was too young to be judged. */
  young: string[]
}

export const UNLEARNED = 'no event has been known again yet by the columns that config names: are they the right ones?'

/**
 * Holds the facts of a day against what events said. What no event told of is a gap at once, and is accepted when nothing has told of
 * it a lag later: its webhook may be on its way. What the list does not show any more was taken back.
 */
export async function judgeDay(options: Options): Promise<DayJudged> {
  const { road, day, read, isWhole, before, span, until, lag, log, known, now, watched, store, accept, signal } =
    options
  const { kind } = road
  const ours: ListedFact[] = []
  const days = new Set([day])
  await eachInSlices(read.facts, (fact) => {
    days.add(fact.day)
    if (isOurs(fact, watched)) ours.push(fact)
  })
  const { judged, provenTo } = judgedBy(ours, span, until)
  const standings = await road.standings(judged, lag, read.facts)
  if (standings.includes('told') && !known.includes(kind)) known.push(kind)
  const gaps = new Map<string, KeptGap>()
  for (const one of days)
    for (const gap of await allGaps(store, { road: 'facts', kind, day: one }))
      // That of a day as such is of no fact.
      if (gap.cause !== 'unlisted') gaps.set(gap.subject, gap)
  const young: string[] = []
  const listed = new Set<string>()
  await eachInSlices(read.facts, ({ subject, latest }) => {
    listed.add(subject)
    if (latest >= span.to) young.push(subject)
  })
  const result: DayJudged = { why: null, untold: 0, accepted: 0, provenTo, young }
  const gone = [...gaps.values()].filter((gap) => gap.day === day && gap.state === 'open' && !listed.has(gap.subject))
  const goneRows = gone.reduce((sum, { evidence }) => sum + Number(evidence.facts?.lines ?? 1), 0)
  // What was taken back takes its own rows along, and no others.
  const isTakenBack = isWhole && road.voids && read.rows + goneRows >= before.rows
  const lacked = road.voids ? undefined : before.young.find((subject) => !listed.has(subject))
  const missing = gone.length > 0 && !isTakenBack ? gone[0]?.subject : lacked
  if (missing !== undefined) result.why = `the list lacks ${missing}, of which it told before`
  // The columns may be the wrong ones: then the oldest fact of each store holds its watermark, and nothing is taken.
  const isUnlearned = road.learns && !known.includes(kind) && standings.includes('untold')
  if (isUnlearned) result.why = UNLEARNED
  const held = new Set<string | null>()
  const changes: GapChange[] = []
  // Nearly all facts were told of by an event, and there is nothing to do.
  const toDo: [number, ListedFact][] = []
  await eachInSlices(judged.entries(), ([index, fact]) => {
    if (standings[index] !== 'told' || gaps.get(fact.subject)?.state === 'open') toDo.push([index, fact])
  })
  const oldestFirst = toDo.sort(([, a], [, b]) => a.earliest - b.earliest)
  for (const [index, fact] of oldestFirst) {
    signal.throwIfAborted()
    const gap = gaps.get(fact.subject) ?? null
    const standing = standings[index]
    if (isUnlearned && standing === 'untold' && held.has(fact.storeId)) continue
    held.add(fact.storeId)
    if (standing === 'untold') await lacking(fact, gap)
    else if (gap?.state === 'open') mend(gap.key, standing === 'pulled' ? ACCEPTED : TOLD)
    else if (standing === 'pulled' && gap === null) {
      // Another job has taken it: the history says so.
      const seen = gapOf(fact)
      changes.push({ type: 'see', gap: seen })
      mend(gapKey(seen), ACCEPTED)
      result.accepted += 1
    }
  }
  if (isTakenBack) for (const { key } of gone) mend(key, GONE)
  await saveGaps(store, changes, now)
  return result

  /** A gap is of the day whose list tells of it: that one is read again, and its list alone may tell of it no more. */
  function gapOf(fact: ListedFact): ReturnType<typeof untoldGap> {
    return { ...untoldGap(kind, road.list, fact), day }
  }

  function mend(key: string, reason: string): void {
    changes.push({ type: 'mend', key, reason })
  }

  async function lacking(fact: ListedFact, gap: KeptGap | null): Promise<void> {
    const seen = gapOf(fact)
    const hasWaited = gap?.state === 'open' && hasStood(gap, lag, now)
    const isAwaited = fact.isThin === true && mayStillCome(fact, log)
    if (fact.payload === null || !hasWaited || !isWhole || isUnlearned || isAwaited) {
      result.untold += 1
      changes.push({ type: 'see', gap: seen })
      return
    }
    const change = await acceptOrKeep(gap, seen, fact.payload, accept)
    changes.push(change)
    if (change.type === 'mend') result.accepted += 1
    else result.untold += 1
  }
}

/** Whether events of a fact come: of its store, or of each that shares its stock. */
function isOurs({ storeId, mayBeOf = [] }: ListedFact, watched: Options['watched']): boolean {
  return watched(storeId) || (mayBeOf.length > 0 && mayBeOf.every(watched))
}
