import { coveredUntil, type Range } from '../../domain/ledger/covered.ts'
import type { GapChange, SeenGap } from '../../domain/ledger/gap.ts'
import { RETENTION } from '../../domain/ledger/horizon.ts'
import { addLateness } from '../../domain/ledger/lag.ts'
import { learnAhead } from '../../domain/ledger/log-clock.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Mappings } from '../../payloads/mapping/mapping.ts'
import { isTooMuch } from '../../platform/long-lists/too-much.ts'
import type { EventRecord, Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { allGaps } from '../../store/walk-pages.ts'
import { createPayloads } from '../resend/payloads.ts'
import type { OwnSubscription } from '../subscriptions/known.ts'
import { createLogAsking } from './ask-log.ts'
import { type LedgerState, NEVER_SWEPT, type Swept } from './ledger-state.ts'
import { matchRecords, sampleLateness } from './match.ts'
import { readWindow, type Sizes } from './read-window.ts'
import { saveGaps } from './save-gaps.ts'
import { createEmptyAnswers, unknownToLog, unshownInARow } from './unshown.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** What was looked through is looked at again for so long: a record may be written later than the lag allows for; once a day, even later. */
const OVERLAP = { usually: HOUR, daily: DAY }

/** Records that one answer should hold: a window that holds more is followed by a shorter one. Each is kept in one go. */
const MOST_RECORDS = 4_000

interface Tools {
  platform: Pick<Platform, 'events'>
  store: Pick<Store, 'seen' | 'known' | 'covered' | 'events' | 'gaps' | 'saveLedger'>
  /** Where config says that fields of payloads stand. */
  mappings: Mappings
  /** A sweep that looks back at the whole day before. */
  looksBack: boolean
  state: LedgerState
  /** When the subscriptions were listed. */
  listedAt: Instant
  /** Whether what came by a name of the hub's is of this subscription, as far as anybody can tell. */
  isOf(name: string | null): boolean
  /** The answers of the log in this run. */
  sizes: Sizes
  /** Waits until the sweep may ask again: live traffic goes first. */
  turn(): Promise<void>
  signal: AbortSignal
}

/** What a sweep of one subscription has come to. */
export interface Sweep {
  records: number
  /** Failed at the platform, and here: the 2xx was lost on the way. */
  noted: number
  lacking: number
  aside: number
  /** The windows that prove nothing, and why. */
  unproven: string[]
}

/**
 * Looks through the log of one subscription up to a frozen bound, window by window, oldest first. What a window shows and that it
 * was looked through are kept in one commit; a window that failed, or that could not be read whole, covers nothing.
 */
export async function sweep(ours: OwnSubscription, bound: Instant, now: Instant, tools: Tools): Promise<Sweep> {
  const { platform, store, mappings, looksBack, state, listedAt, isOf, sizes, turn, signal } = tools
  const { webhookId, kind, storeId } = ours
  const result: Sweep = { records: 0, noted: 0, lacking: 0, aside: 0, unproven: [] }
  const swept = state.swept[webhookId] ?? { ...NEVER_SWEPT, storeId }
  state.swept[webhookId] = swept
  // One that was for a single store could tell nothing of the others.
  if (typeof swept.storeId === 'string' && swept.storeId !== storeId) swept.widenedAt = listedAt
  Object.assign(swept, { storeId, kind, name: ours.name })
  const until = swept.from === null ? now - RETENTION : coveredUntil(await store.covered('log', webhookId), swept.from)
  const log = createLogAsking(webhookId, { platform, state, turn, signal })
  if (state.sameClock === null) await log.learnClock(bound)
  const expired = swept.from === null ? false : !(await log.reachesBack(until, swept.marker, now))
  const empty = createEmptyAnswers({ log, marker: swept.marker, until, now, unknownIn })
  // After a quiet stretch may come the busiest of a chain: a day of it would be hundreds of megabytes.
  let longest = 3 * HOUR
  // A log that is asked by the day answers with a day for each shorter window, too.
  let length = state.sameClock === true ? HOUR : DAY
  /** The log begins somewhere after `until`: it proves what lies behind the first record that it still shows. */
  let trusted = expired ? null : swept.from
  /** Every window so far proves something: behind one that does not, a record says nothing of whether the log still tells of that. */
  let isUnbroken = true
  /** From here on it is judged whether the platform knows what came; a day back at most, so that few ids are remembered. */
  const judged = Math.max(until - HOUR, now - DAY)
  const shown = new Set<string>()
  const missed = await missedBefore()
  const overlap = looksBack ? OVERLAP.daily : OVERLAP.usually
  for (let from = swept.from === null ? until : Math.max(until - overlap, swept.from); from < bound; ) {
    const window = { from, to: Math.min(from + length, bound) }
    const answered = await lookThrough(window).catch((error: unknown) => {
      if (state.sameClock === true && isTooMuch(error) && window.to - window.from > MINUTE) return null
      throw error
    })
    if (answered === null) {
      // Less is asked for, and no more than that from here on.
      longest = Math.max(MINUTE, Math.floor((window.to - window.from) / 2))
      length = longest
      continue
    }
    if (state.sameClock === true) {
      if (answered > MOST_RECORDS) length = Math.max(1_000, Math.floor(length / 2))
      else if (answered < MOST_RECORDS / 4) length = Math.min(longest, length * 2)
    }
    from = window.to
  }
  // A log that forgot was written all the time; of a subscription that was never seen before, nobody knows since when it has stood.
  if (trusted === null) {
    const whyMute = await empty.whyMute()
    if (whyMute === null) begin(expired ? bound : listedAt)
    else result.unproven.push(`${kind}: ${whyMute}`)
  }
  return result

  function ahead(): number {
    return state.ahead?.by ?? 0
  }

  /** What is needed to look for events that came in the log. */
  function seeking() {
    return { store, isOf, shown, idsIn, ahead: ahead() }
  }

  /** Why a window proves nothing of which the log shows nothing; null: it does. */
  async function whyUnbelieved(window: Range, answered: number): Promise<string | null> {
    const isMute = answered === 0 && result.records === 0
    return (isMute ? await empty.whyMute() : null) ?? (await empty.whyUnshown(window))
  }

  /** Why a window proves nothing of which the log shows these records, and nothing for a while; null: it does. */
  async function whyBroken(window: Range, records: readonly EventRecord[]): Promise<string | null> {
    const ids = new Set(records.map(({ webhookEventId }) => webhookEventId))
    const isShown = { has: (id: string) => ids.has(id) || shown.has(id) }
    // What came then was written by the clock of the log.
    const came = { from: Math.max(window.from, until, trusted ?? window.to) - ahead(), to: window.to - ahead() }
    for (const { from, to, count } of await unshownInARow(ours, came, { ...seeking(), shown: isShown })) {
      // Where it has as many of its own, another subscription has brought these.
      const own = records.filter(({ createdAt }) => createdAt >= from + ahead() && createdAt <= to + ahead())
      if (own.length < count / 2) return `the log shows none of ${count} events that came one after the other`
    }
    return null
  }

  async function unknownIn(came: Range): Promise<number | null> {
    return (await unknownToLog(ours, came, seeking()))?.size ?? null
  }

  async function idsIn(range: Range): Promise<string[] | null> {
    const { rows, cut } = await readWindow(range, (one) => log.list(one), sizes).catch((error: unknown) => {
      // More than is read: nobody knows what else there is.
      if (isTooMuch(error)) return { rows: [], cut: true }
      throw error
    })
    return cut ? null : rows.map(({ webhookEventId }) => webhookEventId)
  }

  /** The records of this kind that are known to lack, whatever a person has said of them. */
  async function missedBefore(): Promise<Set<string>> {
    const states = ['open', 'explained'] as const
    const gaps = await Promise.all(states.map((one) => allGaps(store, { road: 'log', kind, state: one })))
    return new Set(gaps.flat().map(({ subject }) => subject))
  }

  /** From here on the log proves something. */
  function begin(at: Instant): void {
    trusted = at
    Object.assign(swept, { from: at, expired, marker: null } satisfies Partial<Swept>)
  }

  async function lookThrough(window: Range): Promise<number> {
    // Where clocks have gone forward, the last hour is found behind the bound.
    const more = window.to === bound && state.sameClock === true ? HOUR : 0
    const asked = { from: window.from, to: window.to + more }
    const { rows, aside, cut } = await readWindow(asked, (range) => log.list(range), sizes)
    const records = rows
      .filter(({ createdAt }) => createdAt >= window.from && createdAt < window.to)
      .sort((a, b) => a.createdAt - b.createdAt)
    const [first] = records
    if (trusted === null && first !== undefined) begin(first.createdAt)
    for (const { webhookEventId, createdAt } of records) if (createdAt >= judged) shown.add(webhookEventId)
    const payloadOf = createPayloads(records, (query) => log.list(query, true), { sameClock: state.sameClock === true })
    const { here, unclear } = await matchRecords(kind, records, {
      store,
      mappings,
      payloadOf: async (record) => (record.payload === undefined ? await payloadOf(record) : record.payload),
    })
    const ordinary = records.filter((one) => one.createdAt >= until && here.has(one.webhookEventId))
    const latenesses = await sampleLateness(kind, ordinary, store)
    state.latenesses = latenesses.reduce<number[]>(addLateness, state.latenesses)
    state.ahead = learnAhead(state.ahead, latenesses, now)
    const gaps: GapChange[] = []
    for (const record of records) {
      if (here.has(record.webhookEventId)) {
        // One that failed at the platform, and is here, lost its 2xx on the way.
        if (!record.success) result.noted += 1
        continue
      }
      if (unclear.has(record.webhookEventId)) continue
      // One that was missed before was not written late.
      const isLate = record.createdAt < until && !missed.has(record.webhookEventId)
      if (isLate) state.latenesses = addLateness(state.latenesses, now - record.createdAt)
      result.lacking += 1
      gaps.push({ type: 'see', gap: gapOf(record) })
    }
    result.records += records.length
    result.aside += aside.length
    const isNew = trusted !== null && window.to > until
    const isEmpty = records.length === 0
    const whyUnshown = isNew ? await (isEmpty ? whyUnbelieved(window, rows.length) : whyBroken(window, records)) : null
    const whyUnclear = unclear.size > 0 ? 'something came without an event id that may be a record of it' : whyUnshown
    const why = cut ? 'the answer may lack records' : aside.length > 0 ? 'records cannot be read' : whyUnclear
    if (why !== null) result.unproven.push(`${kind}: ${why}`)
    const isProven = why === null && trusted !== null
    const range = { from: Math.max(window.from, trusted ?? window.to), to: window.to }
    await saveGaps(store, gaps, now, isProven ? [{ road: 'log', scope: webhookId, ...range }] : [])
    const last = records.at(-1)
    if (why !== null) isUnbroken = false
    if (last && isProven && isUnbroken && last.createdAt >= (swept.marker?.at ?? 0))
      swept.marker = { id: last.webhookEventId, at: last.createdAt }
    return rows.length
  }

  function gapOf({ webhookEventId, createdAt, statusCode, status, success }: EventRecord): SeenGap {
    const cause = success ? 'claimed' : 'failed'
    const log = { webhookId, status: statusCode ?? status, createdAt }
    const where = { road: 'log', kind, storeId, destination: null, day: null } as const
    return { ...where, cause, subject: webhookEventId, at: createdAt, evidence: { log } }
  }
}
