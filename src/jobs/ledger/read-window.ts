import type { Range } from '../../domain/ledger/covered.ts'
import type { Listed } from '../../platform/http/listed.ts'
import type { EventRecord } from '../../platform/platform.ts'

/** A window is not made narrower than this (milliseconds). */
const NARROWEST = 1_000

/** What the log holds of a window. `cut`: the answer may lack records, and nothing narrower shows that it does not. */
export interface Window extends Listed<EventRecord> {
  cut: boolean
}

/**
 * Reads a window of the log. How the log is paged is not shown: an answer of a round number of records may be the first of
 * several, so its halves are asked for, as long as that narrows it.
 */
export async function readWindow(range: Range, list: List): Promise<Window> {
  const whole = await list(range)
  const size = sizeOf(whole)
  if (!looksCut(size)) return { ...whole, cut: false }
  if (range.to - range.from <= NARROWEST) return { ...whole, cut: true }
  const middle = Math.floor((range.from + range.to) / 2)
  const [earlier, later] = [
    { from: range.from, to: middle },
    { from: middle, to: range.to },
  ]
  const first = await list(earlier)
  const second = await list(later)
  const isNarrower =
    sizeOf(first) < size || isApart({ range: earlier, answer: first }, { range: later, answer: second })
  if (!isNarrower) return { ...whole, cut: true }
  const halves = [
    await readWindow(earlier, answeredBefore(earlier, first, list)),
    await readWindow(later, answeredBefore(later, second, list)),
  ]
  const rows = new Map(halves.flatMap((half) => half.rows.map((row) => [row.webhookEventId, row])))
  return { rows: [...rows.values()], aside: halves.flatMap((half) => half.aside), cut: halves.some(({ cut }) => cut) }
}

type List = (range: Range) => Promise<Listed<EventRecord>>

/** Asks for what is not answered yet. */
function answeredBefore(range: Range, answer: Listed<EventRecord>, list: List): List {
  return async (one) => (one === range ? answer : await list(one))
}

interface Answered {
  range: Range
  answer: Listed<EventRecord>
}

/**
 * Whether two halves are answered apart, each with its own. A dialect that asks for whole days, or for more on both sides, answers both
 * with much the same: then smaller halves would say no more, and be asked for without end.
 */
function isApart(first: Answered, second: Answered): boolean {
  const ids = new Set(second.answer.rows.map(({ webhookEventId }) => webhookEventId))
  const shared = first.answer.rows.filter(({ webhookEventId }) => ids.has(webhookEventId))
  return isOfItsRange(first) && isOfItsRange(second) && shared.length * 2 <= first.answer.rows.length
}

/** One at each end may stand outside, as the platform's clock rounds. */
const AT_ENDS = 2

function isOfItsRange({ range, answer: { rows, aside } }: Answered): boolean {
  const within = rows.filter(({ createdAt }) => createdAt >= range.from && createdAt <= range.to)
  return rows.length - within.length <= Math.max(AT_ENDS, within.length) && aside.length <= rows.length
}

function sizeOf({ rows, aside }: Listed<EventRecord>): number {
  return rows.length + aside.length
}

/** As many as a page may hold: a hundred, or several. */
function looksCut(size: number): boolean {
  return size >= 100 && size % 100 === 0
}
