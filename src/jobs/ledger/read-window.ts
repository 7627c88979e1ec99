import type { Range } from '../../domain/ledger/covered.ts'
import type { Listed } from '../../platform/http/read.ts'
import type { EventRecord } from '../../platform/platform.ts'
import { isAboutItem } from '../pulls/days.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** So much more is asked for on both sides, one after the other, where nothing narrower tells (milliseconds). */
const WIDER = [HOUR, DAY, 7 * DAY]

/** Sizes of pages, and parts of larger ones. */
const PAGES = [10, 25, 64]

/** A window is not made narrower than this (milliseconds). */
const NARROWEST = 1_000

export interface Sizes {
  /** How many records one of them had in this run, at most; and in all runs before. */
  largest: number
  before: number
  /** Sizes that a page may have, of answers of this run: the platform may have begun to answer in pages since. */
  round: Set<number>
}

export function sizesAfter(before: number): Sizes {
  return { largest: 0, before, round: new Set() }
}

export interface Window extends Listed<EventRecord> {
  cut: boolean
}

/**
 * Reads a window of the log. How the log is paged is not shown: an answer of a round number of records may be the first of several pages.
 * Its halves are asked for; where these say no less, more than the window: a log that has answered with more has no such page.
 */
export async function readWindow(range: Range, ask: List, sizes: Sizes = sizesAfter(0)): Promise<Window> {
  return await readNoted(range, noted(ask, sizes), sizes)
}

async function readNoted(range: Range, list: List, sizes: Sizes): Promise<Window> {
  const whole = await list(range)
  const size = sizeOf(whole)
  if (!looksCut(size) || size < sizes.largest) return { ...whole, cut: false }
  const isNew = !sizes.round.has(size)
  sizes.round.add(size)
  if (isNew && size < sizes.before) return { ...whole, cut: false }
  const asItIs = async () => ({ ...whole, cut: !(await isNoPage(range, whole, list)) })
  if (range.to - range.from <= NARROWEST) return await asItIs()
  const middle = Math.floor((range.from + range.to) / 2)
  const [earlier, later] = [
    { from: range.from, to: middle },
    { from: middle, to: range.to },
  ]
  const first = await list(earlier)
  const second = await list(later)
  const isNarrower =
    sizeOf(first) < size || isApart({ range: earlier, answer: first }, { range: later, answer: second })
  if (!isNarrower) return await asItIs()
  const halves = [
    await readNoted(earlier, answeredBefore(earlier, first, list), sizes),
    await readNoted(later, answeredBefore(later, second, list), sizes),
  ]
  const rows = new Map(halves.flatMap((half) => half.rows.map((row) => [row.webhookEventId, row])))
  return { rows: [...rows.values()], aside: halves.flatMap((half) => half.aside), cut: halves.some(({ cut }) => cut) }
}

type List = (range: Range) => Promise<Listed<EventRecord>>

function noted(list: List, sizes: Sizes): List {
  return async (range) => {
    const answer = await list(range)
    sizes.largest = Math.max(sizes.largest, sizeOf(answer))
    return answer
  }
}

function answeredBefore(range: Range, answer: Listed<EventRecord>, list: List): List {
  return async (one) => (one === range ? answer : await list(one))
}

/** Whether the log answers a wider question with more than it had for a window, and with nothing of that window besides. */
async function isNoPage({ from, to }: Range, whole: Listed<EventRecord>, list: List): Promise<boolean> {
  const ids = new Set(whole.rows.map(({ webhookEventId }) => webhookEventId))
  for (const more of WIDER) {
    const wider = await list({ from: from - more, to: to + more }).catch(orNothing)
    if (wider === null) return false
    if (sizeOf(wider) <= sizeOf(whole)) continue
    return wider.rows.every((row) => row.createdAt < from || row.createdAt >= to || ids.has(row.webhookEventId))
  }
  return false
}

/** A wider answer may be more than can be read: then it tells nothing. */
function orNothing(error: unknown): null {
  if (isAboutItem(error)) return null
  throw error
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

/** As many as a page may hold: pages are of 10, 20, 25, 50, 64, 100 and so on, or of several of these. */
function looksCut(size: number): boolean {
  return size > 0 && PAGES.some((page) => size % page === 0)
}
