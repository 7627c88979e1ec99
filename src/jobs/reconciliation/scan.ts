import { hash } from 'node:crypto'
import { z } from 'zod'
import { coveredUntil, type Range } from '../../domain/completeness/covered.ts'
import type { CoveredChange, DetectedGap, GapChange } from '../../domain/completeness/gap.ts'
import {
  isOtherClock,
  isStillKept,
  logReachesBack,
  RETENTION,
  updateLogSkew,
} from '../../domain/completeness/horizon.ts'
import { PLATFORM, PULLED } from '../../domain/queue/event.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { chunksOf } from '../../lib/collections.ts'
import { jsonOf } from '../../lib/json.ts'
import { evaluate } from '../../lib/jsonata.ts'
import { kindOf } from '../../platform/payloads/kinds.ts'
import { type Mappings, mapped } from '../../platform/payloads/mapping/mapping.ts'
import type { EventQuery, EventRecord, LogAnswer, Platform } from '../../platform/platform.ts'
import type { EventIdentity } from '../../storage/accepting.ts'
import type { Storage } from '../../storage/storage.ts'
import type { OwnSubscription } from '../subscriptions/decide.ts'
import { createPayloads, learnClock, readWindow, type Sizes, type Window, walkLog } from './event-log.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Scanned time is scanned again: records may be written later than the allowed lateness. */
const OVERLAP = { usually: HOUR, daily: DAY }

/** Asked for behind the cut-off: clocks change, and the log's may be ahead. */
const BEHIND_BOUND = 3 * HOUR

/** Records per window, roughly: larger ones are followed by shorter windows. */
const MAX_RECORDS = 4_000

/** Records per question: webhooks wait for it (some 20 ms). */
const BATCH_SIZE = 2_000

/** A log scanned this recently reaches back. */
const LATELY = 2 * HOUR

interface Tools {
  platform: Pick<Platform, 'events'>
  storage: Pick<Storage, 'seen' | 'known' | 'covered' | 'saveReconciliation'>
  mappings: Mappings
  looksBack: boolean
  state: LogState
  listedAt: Instant
  sizes: Sizes
  turn(): Promise<void>
  signal: AbortSignal
}

export interface Scan {
  records: number
  /** Failed at the platform, but here: the 2xx was lost. */
  noted: number
  lacking: number
  rejected: number
  unproven: string[]
}

/** Scans the log of one subscription, oldest first. Gaps and coverage of a window are one commit; an incomplete one covers nothing. */
export async function scan(ours: OwnSubscription, bound: Instant, now: Instant, tools: Tools): Promise<Scan> {
  const { storage, mappings, looksBack, state, listedAt, sizes } = tools
  const { webhookId, kind, storeId } = ours
  const result: Scan = { records: 0, noted: 0, lacking: 0, rejected: 0, unproven: [] }
  const scanned: Scanned = state.scanned[webhookId] ?? { ...NEVER_SCANNED, storeId }
  state.scanned[webhookId] = scanned
  // For a single store it said nothing of the others.
  if (typeof scanned.storeId === 'string' && scanned.storeId !== storeId) scanned.widenedAt = listedAt
  Object.assign(scanned, { storeId, kind, name: ours.name })
  const { from: begun, marker } = scanned
  const until = begun === null ? now - RETENTION : coveredUntil(await storage.covered('log', webhookId), begun)
  const log = createLogAsking(webhookId, tools)
  state.sameClock ??= await learnClock(bound, (narrow) => log.list(narrow, false, true))
  const expired = begun === null ? false : !(await log.reachesBack(until, marker, now))
  /** Null: not checked yet whether an empty answer can be believed. */
  let lostItsMarker: boolean | null = marker === null || !isStillKept(marker.at, now) ? false : null
  /** Where the log begins after `until`, its first record begins the proof. */
  let trusted = expired ? null : begun
  let isUnbroken = true
  const overlap = looksBack ? OVERLAP.daily : OVERLAP.usually
  const unscanned = { from: begun === null ? until : Math.max(until - overlap, begun), to: bound }
  const asked = { isSameClock: () => state.sameClock === true, most: MAX_RECORDS }
  for await (const { window, answer } of walkLog(unscanned, asked, readAsked)) await judge(window, answer)
  if (trusted === null) {
    if (await isMuteNow()) result.unproven.push(`${kind}: ${MUTE}`)
    else begin(expired ? bound : listedAt)
  }
  return result

  async function isMuteNow(): Promise<boolean> {
    if (result.records > 0) return false
    if (marker !== null) lostItsMarker ??= !(await log.shows(marker))
    return lostItsMarker === true
  }

  function begin(at: Instant): void {
    trusted = at
    Object.assign(scanned, { from: at, expired, marker: null } satisfies Partial<Scanned>)
  }

  async function readAsked(window: Range) {
    const range = { from: window.from, to: window.to + (window.to === bound ? BEHIND_BOUND : 0) }
    const answer = await readWindow(range, (part) => log.list(part), sizes)
    return { ...answer, answered: answer.rows.length }
  }

  async function judge(window: Range, { rows, rejected, cut }: Window): Promise<void> {
    for (const { createdAt } of rows) state.ahead = updateLogSkew(state.ahead, createdAt, now)
    const records = rows
      .filter(({ createdAt }) => createdAt >= window.from && createdAt < window.to)
      .sort((a, b) => a.createdAt - b.createdAt)
    const [first] = records
    if (trusted === null && first !== undefined) begin(first.createdAt)
    const payloadOf = createPayloads(records, (query) => log.list(query, true), { sameClock: state.sameClock === true })
    const { here, unclear } = await matchRecords(records, async (record) => record.payload ?? (await payloadOf(record)))
    const gaps: GapChange[] = []
    for (const record of records) {
      if (here.has(record.webhookEventId)) result.noted += record.success ? 0 : 1
      else if (!unclear.has(record.webhookEventId)) gaps.push({ type: 'see', gap: gapOf(record) })
    }
    result.lacking += gaps.length
    result.records += records.length
    result.rejected += rejected.length
    const why = cut
      ? 'the answer may lack records'
      : rejected.length > 0
        ? 'records cannot be read'
        : unclear.size > 0
          ? 'something came without an event id that may be a record of it'
          : trusted !== null && window.to > until && rows.length === 0 && (await isMuteNow())
            ? MUTE
            : null
    if (why !== null) result.unproven.push(`${kind}: ${why}`)
    state.hasShown ||= rows.length > 0
    const isProven = why === null && trusted !== null && state.hasShown
    const range = { from: Math.max(window.from, trusted ?? window.to), to: window.to }
    await saveGaps(storage, gaps, now, isProven ? [{ source: 'log', scope: webhookId, ...range }] : [])
    const last = records.at(-1)
    if (why !== null) isUnbroken = false
    if (last && isProven && isUnbroken && last.createdAt >= (scanned.marker?.at ?? 0))
      scanned.marker = { id: last.webhookEventId, at: last.createdAt }
  }

  function gapOf({ webhookEventId, createdAt, statusCode, status, success }: EventRecord): DetectedGap {
    const cause = success ? 'claimed' : 'failed'
    const log = { webhookId, status: statusCode ?? status, createdAt }
    const where = { source: 'log', kind, storeId, destination: null, day: null } as const
    return { ...where, cause, subject: webhookEventId, at: createdAt, evidence: { log } }
  }

  /** `unclear`: something is here without an event id that may be the record. */
  async function matchRecords(
    records: readonly EventRecord[],
    payloadOf: (record: EventRecord) => Promise<unknown>,
  ): Promise<{ here: Set<string>; unclear: Set<string> }> {
    const matched = { here: new Set<string>(), unclear: new Set<string>() }
    for (const some of chunksOf(records, BATCH_SIZE)) {
      const ids = some.map(({ webhookEventId }) => webhookEventId)
      const seen = await storage.seen(PLATFORM, ids)
      for (const id of seen) matched.here.add(id)
      // What failed did not arrive.
      await matchByContent(some.filter(({ webhookEventId, success }) => success && !seen.has(webhookEventId)))
    }
    return matched

    /** Pulled events, and those from before the header was configured, have no event id. */
    async function matchByContent(unseen: readonly EventRecord[]): Promise<void> {
      const known = kindOf(kind)
      const named: { id: string; key: EventIdentity & { bodyHash: string } }[] = []
      for (const record of unseen) {
        const payload = await payloadOf(record)
        if (payload === undefined) continue
        const of = mapped({ kind, subscription: null }, payload, mappings, evaluate)
        const identity = known?.identity?.(of, PLATFORM)?.key ?? null
        const bodyHash = hash('sha256', jsonOf(payload).text).slice(0, 32)
        const key = { kind, origin: PLATFORM, transportKey: null, identity, bodyHash }
        named.push({ id: record.webhookEventId, key })
      }
      const events = named.length === 0 ? [] : await storage.known(named.map(({ key }) => key))
      for (const [index, { id, key }] of named.entries()) {
        const event = events[index]
        if (!event) continue
        if (event.by === 'identity' && known?.nature === 'immutable') matched.here.add(id)
        else if (event.hasKey) continue
        else if (event.bodyHash === key.bodyHash) matched.here.add(id)
        else if (event.subscription !== PULLED) matched.unclear.add(id)
      }
    }
  }
}

const MUTE = 'the log shows nothing, not even what it has shown before'

type Marker = NonNullable<Scanned['marker']>

function createLogAsking(webhookId: string, { platform, state, turn, signal }: Tools) {
  async function list(
    range: Omit<EventQuery, 'webhookId'>,
    includePayload = false,
    sameClock = state.sameClock === true,
  ) {
    signal.throwIfAborted()
    await turn()
    const how = { ...(includePayload && { includePayload }), ...(sameClock && { sameClock }) }
    const answer = await platform.events.list({ webhookId, ...range, ...how }, signal)
    if (sameClock && state.sameClock === true) holdToClock(range, answer)
    return answer
  }

  /** Throws RetryLaterError if the log answers by another clock than before: the answer is incomplete. */
  function holdToClock(asked: Range, { rows }: LogAnswer): void {
    const shown = rows.map(({ createdAt }) => createdAt)
    if (!isOtherClock(asked, shown)) return
    state.sameClock = null
    throw new RetryLaterError('the log is asked by another clock than before: the next run asks it again', {
      code: 'other-clock',
    })
  }

  async function showsBy(sameClock: boolean, { id, at }: Marker): Promise<boolean> {
    const { rows } = await list({ from: at - 1_000, to: at + 1_000 }, false, sameClock)
    return rows.some(({ webhookEventId }) => webhookEventId === id)
  }

  async function shows(marker: Marker): Promise<boolean> {
    if (await showsBy(state.sameClock === true, marker)) return true
    // Clocks may have changed.
    const isShown = state.sameClock === true && (await showsBy(false, marker))
    if (isShown) state.sameClock = null
    return isShown
  }

  return {
    list,
    shows,

    /** `marker`: newest record of what was scanned. */
    async reachesBack(from: Instant, marker: Scanned['marker'], now: Instant): Promise<boolean> {
      if (now - from < LATELY) return true
      if (marker === null) return logReachesBack({ from, now, marker: null })
      return logReachesBack({ from, now, marker: { at: marker.at, isShown: await shows(marker) } })
    },
  }
}

const Scanned = z.object({
  /** Begin of the proof by its log. Null: never scanned. */
  from: z.number().nullable(),
  /** Kind and name of its webhooks, in case its address is changed by others. */
  kind: z.string().nullable().default(null),
  name: z.string().nullable().default(null),
  /** Null: all stores. */
  storeId: z.string().nullable(),
  /** Since when it is for these stores; before, for fewer. Null: always. */
  widenedAt: z.number().nullable().default(null),
  /** The log did not reach back to where the scan should have begun. */
  expired: z.boolean(),
  /** Newest record before the unscanned time: while the log shows it, it reaches back to it. */
  marker: z.object({ id: z.string(), at: z.number() }).nullable(),
})
type Scanned = z.output<typeof Scanned>

const NEVER_SCANNED = { kind: null, name: null, from: null, widenedAt: null, expired: false, marker: null }

export type LogState = z.output<typeof State>

const State = z.object({
  /** How far the log's clock is ahead (ms). */
  ahead: z.object({ by: z.number(), at: z.number() }).nullable().default(null),
  /** The log answers for the queried range alone, by the clock of its records. Null: not known yet. */
  sameClock: z.boolean().nullable().default(null),
  /** A record of any subscription was seen; until then an empty answer proves nothing. */
  hasShown: z.boolean().default(false),
  /** Largest answer so far. */
  largest: z.number().default(0),
  lookedBackAt: z.number().nullable().default(null),
  scanned: z.record(z.string(), Scanned),
})

export function readLogState(state: unknown): LogState {
  return State.safeParse(state).data ?? State.parse({ scanned: {} })
}

/** Records this close to the end of the log's retention may be deleted (ms). */
const MARGIN = 3_600_000

/** Uncovers time in the future: the clock was ahead when it was written. The log is read again from its newest known record on. */
export async function removeFutureCoverage(
  { webhookId, kind, storeId }: OwnSubscription,
  { scanned: all }: LogState,
  now: Instant,
  storage: Pick<Storage, 'covered' | 'saveReconciliation'>,
): Promise<void> {
  const scanned = all[webhookId]
  if (scanned === undefined || scanned.from === null) return
  const { from, marker } = scanned
  const scopes = [webhookId, `${kind}/${storeId ?? ''}`]
  const ends = await Promise.all(scopes.map(async (scope) => (await storage.covered('log', scope)).at(-1)?.to ?? 0))
  if (from <= now && ends.every((end) => end <= now)) return
  const shown = marker === null || marker.at > now ? from : marker.at
  const cut = Math.min(Math.max(shown, now - RETENTION + MARGIN), now)
  await storage.saveReconciliation({ uncovered: scopes.map((scope) => ({ source: 'log', scope, from: cut })) }, now)
  // Scan as if for the first time.
  if (from > now) Object.assign(scanned, { ...NEVER_SCANNED, kind, storeId })
}

/** What reconciliation stores. */
export type ReconciledStorage = Pick<Storage, 'covered' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveReconciliation'>

/** Share of the platform's rate for each of the two reconciliation jobs. */
export const SHARE = 0.1

/** Gaps per commit: webhooks wait for it. */
const TOGETHER = 250

/** Saves gaps, and with the last of them what is covered: nothing is covered whose gaps are not saved. Returns how many gaps there were. */
export async function saveGaps(
  storage: Pick<Storage, 'saveReconciliation'>,
  changes: Iterable<GapChange>,
  now: Instant,
  covered: CoveredChange[] = [],
): Promise<number> {
  let count = 0
  let last: GapChange[] = []
  for (const part of chunksOf(changes, TOGETHER)) {
    if (last.length > 0) await storage.saveReconciliation({ gaps: last }, now)
    last = part
    count += part.length
  }
  if (last.length > 0 || covered.length > 0) await storage.saveReconciliation({ gaps: last, covered }, now)
  return count
}
