import type { Range } from '../../domain/completeness/covered.ts'
import { isSameClock, NARROW } from '../../domain/completeness/horizon.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { isTooMuch, type Listed } from '../../platform/http/read.ts'
import type { EventQuery, EventRecord, LogAnswer } from '../../platform/platform.ts'
import { isAboutItem } from '../pulls/days.ts'
import { type AcceptOptions, acceptPayload } from '../pulls/ingest.ts'
import type { OwnSubscription } from '../subscriptions/decide.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The busiest hours of a chain may follow a quiet time (ms). */
const LONGEST = 3 * HOUR

const SHORTEST = 60_000

/** Walks through the log, oldest first, in windows of about `most` records, or of a day where a shorter one brings no less. */
export async function* walkLog<Answer extends { answered: number }>(
  { from, to }: Range,
  { isSameClock, most }: { isSameClock(): boolean; most: number },
  list: (window: Range) => Promise<Answer>,
): AsyncGenerator<{ window: Range; answer: Answer }> {
  let longest = isSameClock() ? LONGEST : DAY
  let length = isSameClock() ? HOUR : DAY
  for (let at = from; at < to; ) {
    const window = { from: at, to: Math.min(at + length, to) }
    const answer = await list(window).catch((error: unknown) => {
      if (isSameClock() && isTooMuch(error) && window.to - window.from > SHORTEST) return null
      throw error
    })
    if (answer === null) {
      longest = Math.max(SHORTEST, Math.floor((window.to - window.from) / 2))
      length = longest
      continue
    }
    yield { window, answer }
    if (isSameClock() && answer.answered > most) length = Math.max(SHORTEST, Math.floor(length / 2))
    else if (answer.answered < most / 4) length = Math.min(longest, length * 2)
    at = window.to
  }
}

/** Learns from its newest records if the log answers for the queried range alone, by their clock. Null: it does not tell. */
export async function learnClock(
  bound: Instant,
  list: (narrow: Range) => Promise<Pick<LogAnswer, 'rows'>>,
): Promise<boolean | null> {
  const narrow = { from: bound - NARROW, to: bound }
  const { rows } = await list(narrow)
  return isSameClock(
    narrow,
    rows.map(({ createdAt }) => createdAt),
  )
}

/** Time that is read together with a wanted payload: minutes of a chain's log are megabytes. */
const AHEAD = { hour: 3_600_000, minutes: 5 * 60_000 }

interface How {
  /** Only delivered, or only failed ones. */
  success?: boolean
  /** The log answers for the queried range alone; else a day comes anyway. */
  sameClock: boolean
  /** Asks for one event, if lists have no payloads. */
  alone?: (webhookEventId: string) => Promise<EventRecord | null>
}

interface Wanted {
  webhookEventId: string
  createdAt: Instant
}

/** Reads payloads of the log, many with one query. Undefined: the log has none. */
export function createPayloads(
  events: readonly Wanted[],
  list: (query: Omit<EventQuery, 'webhookId'>) => Promise<Listed<EventRecord>>,
  { success, sameClock, alone }: How,
): (event: Wanted) => Promise<unknown> {
  const wanted = new Set(events.map(({ webhookEventId }) => webhookEventId))
  const found = new Map<string, unknown>()
  /** An answer by the day was too large to read. */
  let isHuge = false
  return async ({ webhookEventId: id, createdAt }) => {
    if (!found.has(id) && !isHuge) await lookAhead(createdAt)
    // A page, newest first, may have been filled by later ones.
    if (!found.has(id) && sameClock) await look(createdAt, 1_000)
    const payload = found.get(id) ?? (await alone?.(id))?.payload
    found.delete(id)
    return payload
  }

  async function lookAhead(at: Instant): Promise<void> {
    try {
      await look(at, sameClock ? AHEAD.minutes : AHEAD.hour)
    } catch (error) {
      if (!isTooMuch(error) || (!sameClock && !alone)) throw error
      isHuge = !sameClock
    }
  }

  async function look(at: Instant, ahead: number): Promise<void> {
    const window = { from: at - 1_000, to: at + ahead, includePayload: true }
    const query = success === undefined ? window : { ...window, success }
    for (const { webhookEventId, payload } of (await list(query)).rows)
      if (wanted.has(webhookEventId)) found.set(webhookEventId, payload)
  }
}

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

/** Reads a window. Paging is undocumented: an answer of a round number may be cut off, so its halves, or a wider one, are asked for. */
export async function readWindow(range: Range, ask: List, sizes: Sizes = sizesAfter(0)): Promise<Window> {
  const list = async (one: Range) => {
    const answer = await ask(one)
    sizes.largest = Math.max(sizes.largest, sizeOf(answer))
    return answer
  }
  return await readNoted(range, list, sizes)
}

async function readNoted(range: Range, list: List, sizes: Sizes): Promise<Window> {
  const whole = await list(range)
  const size = sizeOf(whole)
  if (!isTruncated(size) || size < sizes.largest) return { ...whole, cut: false }
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
  const answered = async (half: Range) => (half === earlier ? first : half === later ? second : await list(half))
  const halves = [await readNoted(earlier, answered, sizes), await readNoted(later, answered, sizes)]
  const rows = new Map(halves.flatMap((half) => half.rows.map((row) => [row.webhookEventId, row])))
  return {
    rows: [...rows.values()],
    rejected: halves.flatMap((half) => half.rejected),
    cut: halves.some(({ cut }) => cut),
  }
}

type List = (range: Range) => Promise<Listed<EventRecord>>

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

function isTruncated(size: number): boolean {
  return size > 0 && PAGES.some((page) => size % page === 0)
}

export type IngestLogEvent = (
  ours: Pick<OwnSubscription, 'kind' | 'name'>,
  event: Pick<EventRecord, 'webhookEventId'>,
  payload: unknown,
) => Promise<string | null>

/** Ingests as if the webhook had come: same kind, origin and transport key. */
export function createLogIngest(options: AcceptOptions): IngestLogEvent {
  return async ({ kind, name }, { webhookEventId }, payload) => {
    const event = { kind, subscription: name, transportKey: webhookEventId, payload }
    const { status, id } = await acceptPayload(options, event)
    if (status === 'quarantined') return `it cannot be read: event ${id} is in quarantine`
    return null
  }
}
