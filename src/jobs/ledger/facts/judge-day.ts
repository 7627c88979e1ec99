import type { Range } from '../../../domain/ledger/covered.ts'
import { holdsUp, judgedBy } from '../../../domain/ledger/facts/bound.ts'
import { type Standing, untoldGap } from '../../../domain/ledger/facts/fact.ts'
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
  const { road, known, now, store } = options
  const { kind } = road
  const shown = await shownBy(options)
  const { judged, provenTo, standings } = await standingsBy(shown.ours, options)
  if (standings.includes('told') && !known.includes(kind)) known.push(kind)
  const gaps = await gapsOf(shown.days, options)
  const absent = absentFrom(shown.listed, gaps, options)
  // The columns may be the wrong ones: then the oldest fact of each store holds its watermark, and nothing is taken.
  const isUnlearned = road.learns && !known.includes(kind) && standings.includes('untold')
  const why = isUnlearned ? UNLEARNED : absent.why
  const { changes, untold, accepted } = await changesOf({ judged, standings, gaps, isUnlearned }, options)
  for (const { key } of absent.takenBack) changes.push({ type: 'mend', key, reason: GONE })
  await saveGaps(store, changes, now)
  return { why, untold, accepted, provenTo, young: shown.young }
}

/** The facts that can be judged, with what the hub has of each, and up to where nothing is left that cannot. */
async function standingsBy(facts: readonly ListedFact[], { road, read, before, span, until, lag }: Options) {
  const { judged: old, doubtful } = judgedBy(facts, span)
  const all = [...old, ...doubtful]
  const standings = await road.standings(all, lag, read.facts)
  const young = new Set(before.young)
  const held = doubtful.filter((fact, index) => {
    const isTold = standings[old.length + index] !== 'untold'
    return holdsUp(fact, isTold, { until, wasThere: young.has(fact.subject) })
  })
  const isHeld = new Set(held)
  return {
    judged: all.filter((fact) => !isHeld.has(fact)),
    standings: standings.filter((_, index) => !isHeld.has(all[index] as ListedFact)),
    provenTo: held.reduce((least, { earliest }) => Math.min(least, earliest), span.to),
  }
}

/** What a list shows: the facts of stores whose events come, the days and the names of all, and those that are too young to be judged. */
async function shownBy({ day, read, span, watched }: Options) {
  const ours: ListedFact[] = []
  const days = new Set([day])
  const listed = new Set<string>()
  const young: string[] = []
  await eachInSlices(read.facts, (fact) => {
    days.add(fact.day)
    listed.add(fact.subject)
    if (fact.latest >= span.to) young.push(fact.subject)
    if (isOurs(fact, watched)) ours.push(fact)
  })
  return { ours, days, listed, young }
}

/** Whether events of a fact come: of its store, or of each that shares its stock. */
function isOurs({ storeId, mayBeOf = [] }: ListedFact, watched: Options['watched']): boolean {
  return watched(storeId) || (mayBeOf.length > 0 && mayBeOf.every(watched))
}

/** The gaps of facts of some days, by what they are of. */
async function gapsOf(days: Iterable<string>, { road: { kind }, store }: Options): Promise<Map<string, KeptGap>> {
  const gaps = new Map<string, KeptGap>()
  // That of a day as such is of no fact.
  for (const day of days)
    for (const gap of await allGaps(store, { road: 'facts', kind, day }))
      if (gap.cause !== 'unlisted') gaps.set(gap.subject, gap)
  return gaps
}

/** What the list showed before and does not any more: it was taken back, or why the list is not believed. Pure. */
function absentFrom(
  listed: ReadonlySet<string>,
  gaps: ReadonlyMap<string, KeptGap>,
  { road, day, read, before, isWhole }: Options,
): { takenBack: KeptGap[]; why: string | null } {
  const gone = [...gaps.values()].filter((gap) => gap.day === day && gap.state === 'open' && !listed.has(gap.subject))
  const goneRows = gone.reduce((sum, { evidence }) => sum + Number(evidence.facts?.lines ?? 1), 0)
  // What was taken back takes its own rows along, and no others.
  const isTakenBack = isWhole && road.voids && read.rows + goneRows >= before.rows
  const lacked = road.voids ? undefined : before.young.find((subject) => !listed.has(subject))
  const missing = gone.length > 0 && !isTakenBack ? gone[0]?.subject : lacked
  const why = missing === undefined ? null : `the list lacks ${missing}, of which it told before`
  return { takenBack: isTakenBack ? gone : [], why }
}

interface Judging {
  judged: readonly ListedFact[]
  standings: readonly Standing[]
  gaps: ReadonlyMap<string, KeptGap>
  isUnlearned: boolean
}

/** The changes of gaps that the facts of a day come to; what is accepted is accepted by then. */
async function changesOf({ judged, standings, gaps, isUnlearned }: Judging, options: Options) {
  const { road, day, isWhole, lag, log, now, accept, signal } = options
  const { kind } = road
  const held = new Set<string | null>()
  const changes: GapChange[] = []
  const result = { changes, untold: 0, accepted: 0 }
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
