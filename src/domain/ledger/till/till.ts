import type { Instant } from '../../values/instant.ts'
import { wallClockInstant } from '../../values/store-time.ts'
import type { SeenGap } from '../gap.ts'
import { type Group, groupsOf, inOrder, joined } from './groups.ts'
import { breakBetween, judge, type Link } from './judge.ts'
import type { Meanings, TillReceipt, TillReport } from './report.ts'
import { balanceGap, breakGap, type OfTill } from './till-gap.ts'

/** What a till's reports are held against. */
export interface Rules {
  meanings: Meanings
  /** How long after a till was closed the last of its receipts may come (milliseconds). */
  patience: number
}

/** What is remembered of a till between two looks at it. */
export interface TillMemory {
  /** From here on its reports prove something; null: none has been judged. */
  begins: Instant | null
  /** Settlements that need no further look. */
  done: readonly string[]
  /** The newest report that was judged, and none before it waits; where there is none, the newest that waits. */
  last: Link | null
}

export const NEW_TILL: TillMemory = { begins: null, done: [], last: null }

interface Asked {
  /** The till's reports of some days, in any order. */
  reports: readonly TillReport[]
  /** The till's receipts, of the days of every report that is not done at least. */
  receipts: readonly TillReceipt[]
  till: OfTill
  memory: TillMemory
  /** Tills of its store were looked at before it was there: it is new, and not just unknown. */
  isWatched: boolean
  rules: Pick<Rules, 'patience'>
  now: Instant
}

/** What a look at a till has shown. */
export interface LookedAt {
  gaps: SeenGap[]
  /** Settlements that were judged now or before: receipts that are no gap of theirs are none any more. */
  judged: string[]
  /** Settlements that were held against the one before them: a break that is no gap of theirs is none any more. */
  linked: string[]
  memory: TillMemory
  /** The close of the last report that was judged, where none before it waits; null: none was. */
  until: Instant | null
  /** The last sale that it counts: one behind it nobody has counted yet. */
  countedUntil: Instant | null
  /** There is a report of which nothing can be said yet. */
  waits: boolean
}

/** Judges the reports of one till: by those before them, and by the receipts that are here. */
export function lookAtTill({ reports, receipts, till, memory, isWatched, rules, now }: Asked): LookedAt {
  const { zone } = till
  const ordered = inOrder(reports, zone)
  const done = new Set(memory.done)
  const judged = memory.last === null ? [] : [memory.last.settlementId]
  const result: LookedAt = { gaps: [], judged, linked: [], memory, until: null, countedUntil: null, waits: false }
  let { begins } = memory
  let previous: Link | null = before(memory.last, ordered)
  /** The newest that was judged, and none before it waits: what comes behind is held against it, however long that takes. */
  let newest: Link | null = null
  result.until = previous?.closedAt ?? null
  result.countedUntil = result.until
  for (const group of groupsOf(ordered, zone)) {
    const last = group.at(-1) ?? group[0]
    // Where an old gap is looked at again, the report before it may not be read, and is known all the same.
    const isBefore = memory.begins === null || last.closedAt <= memory.begins
    const isFirst = previous === null && isBefore && !(isWatched && group[0].number === 1)
    const isDone = group.every(({ settlementId }) => done.has(settlementId))
    const { patience } = rules
    const judgement = isDone ? ({ is: 'balanced' } as const) : judge(group, { patience, receipts, zone, now, isFirst })
    if (judgement.is === 'waits') {
      result.waits = true
      previous = last
      continue
    }
    for (const [nth, one] of group.entries()) {
      const link = group[nth - 1] ?? previous
      if (link === null) continue
      const found = breakBetween(link, one)
      if (found !== null) result.gaps.push(breakGap(one, link, found, till))
      result.linked.push(one.settlementId)
    }
    if (judgement.is === 'differs') result.gaps.push(balanceGap(last, judgement.differences, till))
    else for (const { settlementId } of group) done.add(settlementId)
    begins ??= judgement.is === 'balanced' ? beginOf(group, zone) : last.closedAt
    if (judgement.is !== 'begins') result.judged.push(...group.map(({ settlementId }) => settlementId))
    if (!result.waits) {
      newest = linkOf(last)
      result.until = last.closedAt
      result.countedUntil = lastSaleOf(joined(group), zone)
    }
    previous = linkOf(last)
  }
  const known = new Set(ordered.map(({ settlementId }) => settlementId))
  result.memory = {
    begins,
    done: [...done].filter((id) => known.has(id)),
    last: newest ?? memory.last ?? (previous === null ? null : linkOf(previous)),
  }
  return result
}

/** The newest that is remembered, where all that are here are behind it; null: what was before them nobody knows. */
function before(last: Link | null, [first]: readonly TillReport[]): Link | null {
  return last !== null && (first === undefined || last.closedAt < first.closedAt) ? last : null
}

function linkOf({ settlementId, place, number, counter, closedAt }: Link): Link {
  return { settlementId, place, number, counter, closedAt }
}

function lastSaleOf({ to, closedAt }: TillReport, zone: string | null): Instant {
  return (to === null ? null : wallClockInstant(to, zone)) ?? closedAt
}

/** The first sale of a group. */
function beginOf([{ from, closedAt }]: Group, zone: string | null): Instant {
  return (from === null ? null : wallClockInstant(from, zone)) ?? closedAt
}
