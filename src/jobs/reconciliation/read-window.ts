import type { Range } from '../../domain/completeness/covered.ts'
import type { Listed } from '../../platform/http/read.ts'
import type { EventRecord } from '../../platform/platform.ts'
import { isAboutItem } from '../pulls/days.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Extra time on both sides, tried in turn (ms). */
const WIDER = [HOUR, DAY, 7 * DAY]

/** Page sizes: a page is a multiple of one of them. */
const PAGES = [10, 25, 64]

/** (ms) */
const NARROWEST = 1_000

export interface Sizes {
  /** Largest answer of this run, and of those before. */
  largest: number
  before: number
  /** Possible page sizes seen in this run: the platform may have begun to page. */
  round: Set<number>
}

export function sizesAfter(before: number): Sizes {
  return { largest: 0, before, round: new Set() }
}

export interface Window extends Listed<EventRecord> {
  cut: boolean
}

/**
 * Reads a window of the log. Paging is not documented: an answer of a round number of records may be cut off. Its halves are asked for,
 * else a wider window: a larger answer shows that this is no page size.
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
    sizeOf(first) < size || isIsolated({ range: earlier, answer: first }, { range: later, answer: second })
  if (!isNarrower) return await asItIs()
  const halves = [
    await readNoted(earlier, answeredBefore(earlier, first, list), sizes),
    await readNoted(later, answeredBefore(later, second, list), sizes),
  ]
  const rows = new Map(halves.flatMap((half) => half.rows.map((row) => [row.webhookEventId, row])))
  return {
    rows: [...rows.values()],
    rejected: halves.flatMap((half) => half.rejected),
    cut: halves.some(({ cut }) => cut),
  }
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

/** True if a wider window has more records, and none else of this window. */
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

/** A wider answer may be too large to read. */
function orNothing(error: unknown): null {
  if (isAboutItem(error)) return null
  throw error
}

interface Answered {
  range: Range
  answer: Listed<EventRecord>
}

/** True if each half is answered with its own records. A log that is asked by day answers both halves alike: halving it would never end. */
function isIsolated(first: Answered, second: Answered): boolean {
  const ids = new Set(second.answer.rows.map(({ webhookEventId }) => webhookEventId))
  const shared = first.answer.rows.filter(({ webhookEventId }) => ids.has(webhookEventId))
  return isOfItsRange(first) && isOfItsRange(second) && shared.length * 2 <= first.answer.rows.length
}

/** The platform's clock rounds. */
const AT_ENDS = 2

function isOfItsRange({ range, answer: { rows, rejected } }: Answered): boolean {
  const within = rows.filter(({ createdAt }) => createdAt >= range.from && createdAt <= range.to)
  return rows.length - within.length <= Math.max(AT_ENDS, within.length) && rejected.length <= rows.length
}

function sizeOf({ rows, rejected }: Listed<EventRecord>): number {
  return rows.length + rejected.length
}

function looksCut(size: number): boolean {
  return size > 0 && PAGES.some((page) => size % page === 0)
}
