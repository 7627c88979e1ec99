import { coveredUntil, merged, type Range } from '../../../domain/ledger/covered.ts'
import {
  isAllProven,
  provenBy,
  type UnprovenDay,
  unlistedDays,
  unlistedGap,
  unlistedStretch,
} from '../../../domain/ledger/facts/fact.ts'
import { type GapChange, gapKey, type KeptGap } from '../../../domain/ledger/gap.ts'
import { addDays, type Instant } from '../../../domain/values/instant.ts'
import { toStoreLocal } from '../../../domain/values/store-time.ts'
import { daysOf } from '../../../platform/odata/odata.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'
import { isAboutItem } from '../../pulls/days.ts'
import type { FactsState } from './facts-state.ts'
import { type AcceptFact, judgeDay } from './judge-day.ts'
import type { FactList } from './list.ts'

interface Options {
  list: FactList
  state: FactsState
  span: Range
  now: Instant
  zones: readonly string[]
  lastDay: string
  watched(storeId: string | null): boolean
  store: Pick<Store, 'gaps' | 'saveLedger' | 'covered'>
  accept: AcceptFact
  turn(): Promise<void>
  save(state: FactsState): Promise<void>
  signal: AbortSignal
}

export interface Compared {
  kind: string
  facts: number
  untold: number
  accepted: number
  unproven: string[]
}

const READ = 'the list was read, and has what it should have'

/** Proven days that are read again: offline POS are late, and lines are voided. */
const OVERLAP = 2

/** Days whose counts are stored: the state of a job is read whole. */
const DAYS_COUNTED = 8

/** Days per run besides the newest, oldest first. */
const MOST_DAYS = 31

/**
 * Compares the days of one list up to a cut-off, oldest first. An incomplete day covers nothing, and is a gap a day later; days with open
 * gaps are read again.
 */
export async function compareKind(options: Options): Promise<Compared> {
  const { list, state, span, zones, lastDay, store, turn, save, signal } = options
  const { kind } = list
  const result: Compared = { kind, facts: 0, untold: 0, accepted: 0, unproven: [] }
  const whole: string[] = []
  let provenTo = span.to
  const { [kind]: rows = {} } = state.rows
  Object.assign(state.rows, { [kind]: rows })
  const covered = await store.covered('facts', kind)
  const proven = merged([...covered, ...(await explainedDays(kind, store))])
  const until = coveredUntil(proven, span.from)
  const open = await allGaps(store, { road: 'facts', state: 'open', kind })
  const unproven: UnprovenDay[] = []
  for (const day of daysToRead()) {
    signal.throwIfAborted()
    try {
      await turn()
      const read = await list.read(day, span.to, signal)
      const had = rows[day] ?? 0
      const isShort = read.rows < (list.voids ? had / 2 : had)
      const why = read.why ?? (isShort ? `the list has ${read.rows} rows, and had ${had}` : null)
      // Listed records exist, even if the list is incomplete.
      const judged = await judgeDay({ ...options, until, day, read, isWhole: why === null })
      result.untold += judged.untold
      result.accepted += judged.accepted
      result.facts += read.facts.length
      if (why === null) {
        provenTo = Math.min(provenTo, judged.provenTo)
        rows[day] = read.rows
        whole.push(day)
        state.counts[kind] = { ...state.counts[kind], [day]: read.counts ?? [] }
      } else unproven.push({ day, why })
      await save(state)
    } catch (error) {
      if (signal.aborted || !isAboutItem(error)) throw error
      unproven.push({ day, why: error.message })
    }
  }
  for (const { day, why } of unproven) result.unproven.push(`${kind} of ${day}: ${why}`)
  const now = provenBy(whole, zones, provenTo).map((range) => ({ road: 'facts' as const, scope: kind, ...range }))
  await store.saveLedger({ covered: now, gaps: ofDays() }, options.now)
  const since = addDays(lastDay, -MOST_DAYS)
  const counted = Object.entries(state.counts[kind] ?? {}).filter(([day]) => day > addDays(lastDay, -DAYS_COUNTED))
  state.counts[kind] = Object.fromEntries(counted.filter(([day]) => day <= lastDay))
  // Days in the future were read by a clock that was ahead.
  state.rows[kind] = Object.fromEntries(Object.entries(rows).filter(([day]) => day >= since && day <= lastDay))
  return result

  function daysToRead(): string[] {
    const [first = lastDay] = zones.map((zone) => toStoreLocal(until, zone).slice(0, 10)).sort()
    const [beginning = first] = zones.map((zone) => toStoreLocal(span.from, zone).slice(0, 10)).sort()
    const again = addDays(first, -OVERLAP)
    const from = again < beginning ? beginning : again
    const days = from > lastDay ? [] : daysOf({ from, to: lastDay })
    // A day that stays unproven must not stop later ones.
    const isDue = (day: string) => day < first || day >= addDays(lastDay, -OVERLAP) || !isAllProven(day, zones, proven)
    const due = days.filter(isDue)
    const next = due.filter((day, nth) => nth < MOST_DAYS || day >= addDays(lastDay, -OVERLAP))
    const more = [...new Set(open.flatMap(({ day }) => day ?? []))].filter((day) => !next.includes(day)).sort()
    return [...more.slice(0, MOST_DAYS), ...next]
  }

  function ofDays(): GapChange[] {
    // What an operator has explained stays explained.
    const isOpen = ({ day }: UnprovenDay) => !isAllProven(day, zones, proven)
    const days = unlistedDays(unproven.filter(isOpen), zones, options.now)
    const seen = days === null ? [] : [unlistedGap(kind, list.list, days, { zones, until })]
    const keys = new Set(seen.map(gapKey))
    const isOver = ({ cause, key }: KeptGap) => cause === 'not-looked-at' && !keys.has(key)
    return [
      ...seen.map((gap) => ({ type: 'see' as const, gap })),
      ...open.filter(isOver).map(({ key }) => ({ type: 'mend' as const, key, reason: READ })),
    ]
  }
}

export async function explainedDays(kind: string, store: Pick<Store, 'gaps'>): Promise<Range[]> {
  const explained = await allGaps(store, { road: 'facts', cause: 'not-looked-at', kind, state: 'explained' })
  return explained.flatMap((gap) => unlistedStretch(gap) ?? [])
}
