import { z } from 'zod'
import type { Range } from '../../domain/completeness/covered.ts'
import { isSameClock, NARROW } from '../../domain/completeness/horizon.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { type Instant, isInFuture } from '../../domain/values/instant.ts'
import { isTooMuch, type Listed, type Unreadable } from '../../platform/http/read.ts'
import type { EventQuery, EventRecord, LogAnswer, Platform } from '../../platform/platform.ts'
import { Held, isAboutItem } from '../pulls/days.ts'
import { type AcceptOptions, acceptPayload } from '../pulls/ingest.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Per event and day (spec, Events 3: regularly, but not for ever). */
const MAX_TRIES = 5

/** An outcome is logged some time after its event (ms). */
const OVERLAP = HOUR

const FIRST_LOOK = 7 * DAY

/** Longest that an unsettled event holds the checkpoint back (ms). */
const LONGEST_LOOK = 30 * DAY

export type ResendState = z.output<typeof State>

const State = z.object({
  checkpoints: z.record(z.string(), z.number()),
  tries: z.record(z.string(), z.array(z.number())),
  lost: z.array(z.string()),
  held: Held.default({}),
  /** The log answers for the queried range alone. Null: not known yet. */
  sameClock: z.boolean().nullable().default(null),
})

export function readResendState(state: unknown): ResendState {
  return State.safeParse(state).data ?? { checkpoints: {}, tries: {}, lost: [], held: {}, sameClock: null }
}

/** Drops what the next run does not need. */
export function trimmed(state: ResendState, webhookIds: readonly string[], now: Instant): ResendState {
  const checkpoints = Object.entries(state.checkpoints).filter(([id]) => webhookIds.includes(id))
  const tries = Object.entries(state.tries)
    .map(([id, all]) => [id, recent(all, now)] as const)
    .filter(([, all]) => all.length > 0)
  return { ...state, checkpoints: Object.fromEntries(checkpoints), tries: Object.fromEntries(tries) }
}

function isExhausted(state: ResendState, event: string, now: Instant): boolean {
  return recent(state.tries[event] ?? [], now).length >= MAX_TRIES
}

function addTry(state: ResendState, event: string, now: Instant): void {
  state.tries[event] = [...recent(state.tries[event] ?? [], now), now]
}

/** A checkpoint in the future was written by a clock that was ahead. */
export function lookFrom(checkpoint: Instant | undefined, now: Instant): Instant {
  const known = checkpoint === undefined || isInFuture(checkpoint, now) ? now - FIRST_LOOK : checkpoint
  return Math.max(known - OVERLAP, now - LONGEST_LOOK)
}

function checkpointAt(from: Instant): Instant {
  return from + OVERLAP
}

function recent(tries: readonly Instant[], now: Instant): Instant[] {
  return tries.filter((at) => at > now - DAY)
}

export interface Ours {
  webhookId: string
  kind: string
  name: string | null
}

export interface Outcome {
  resent: number
  taken: number
  /** Already here: the 2xx was lost. */
  had: number
  lost: { event: EventRecord; why: string }[]
  /** Still failing. */
  open: EventRecord[]
  /** Unreadable rows of the log. */
  rejected: Unreadable[]
  /** Checkpoint before those. */
  readUntil: Instant | null
}

interface Tools {
  platform: Pick<Platform, 'events'>
  seen(webhookEventIds: readonly string[]): Promise<ReadonlySet<string>>
  take(ours: Ours, event: EventRecord, payload: unknown): Promise<string | null>
  now(): Instant
  signal: AbortSignal
  state: ResendState
  save(): Promise<void>
}

const MAX_ROUNDS = 10

/** Resends what failed, else takes it from the log. Throws if platform or storage is unreachable; `tools.state` then has what was done. */
export async function resendSubscription(ours: Ours, from: Instant, to: Instant, tools: Tools): Promise<Outcome> {
  const { platform, seen, take, now, signal, state, save } = tools
  const outcome: Outcome = { resent: 0, taken: 0, had: 0, lost: [], open: [], rejected: [], readUntil: null }
  /** Settled, although the platform still lists them. */
  const done = new Set<string>()
  const resent = new Set<string>()
  state.sameClock ??= await learnClock(to, (narrow) => list({ ...narrow, sameClock: true }))

  // An answer may be cut off: what was resent makes room for the rest.
  let before: EventRecord[] = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    outcome.open = await failing()
    if (outcome.open.length === 0 || sameEvents(outcome.open, before)) break
    before = outcome.open
    const how = { success: false, sameClock: state.sameClock === true, alone: readAlone }
    const payloads = createPayloads(outcome.open, list, how)
    // Oldest first: a later change of an order must not overtake an earlier one.
    for (const event of outcome.open)
      if (isExhausted(state, event.webhookEventId, now()) || !(await resend(event))) await takeFrom(payloads, event)
    await save()
  }
  outcome.open = outcome.open.filter(({ webhookEventId }) => !done.has(webhookEventId))
  return outcome

  async function failing(): Promise<EventRecord[]> {
    const byId = new Map<string, EventRecord>()
    outcome.rejected = []
    outcome.readUntil = null
    const asked = { isSameClock: () => state.sameClock === true, most: MANY }
    for await (const { window, answer } of walkLog({ from, to }, asked, (range) =>
      list({ ...range, success: false }),
    )) {
      const { rows, rejected } = answer
      for (const event of rows) if (!done.has(event.webhookEventId)) byId.set(event.webhookEventId, event)
      if (rejected.length > 0) outcome.readUntil ??= checkpointAt(window.from)
      for (const row of rejected) outcome.rejected.push(row)
    }
    const known = byId.size === 0 ? new Set() : await seen([...byId.keys()])
    const open: EventRecord[] = []
    for (const [id, event] of byId)
      if (!known.has(id)) open.push(event)
      else {
        done.add(id)
        if (!resent.has(id)) outcome.had += 1
      }
    return open.sort((a, b) => a.createdAt - b.createdAt)
  }

  async function resend(event: EventRecord): Promise<boolean> {
    signal.throwIfAborted()
    const { webhookEventId } = event
    const first = !resent.has(webhookEventId)
    addTry(state, webhookEventId, now())
    try {
      await platform.events.resend({ webhookId: ours.webhookId, webhookEventId }, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof PermanentError) return false
      if (!isAboutItem(error)) throw error
    }
    resent.add(webhookEventId)
    if (first) outcome.resent += 1
    return true
  }

  async function takeFrom(payloadOf: (event: EventRecord) => Promise<unknown>, event: EventRecord): Promise<void> {
    const why = await payloadOf(event).then(
      (payload) => (payload === undefined ? 'the log holds no payload of it' : take(ours, event, payload)),
      (error: unknown) => {
        signal.throwIfAborted()
        if (isAboutItem(error)) return `its payload cannot be read: ${error.message}`
        throw error
      },
    )
    done.add(event.webhookEventId)
    if (why === null) outcome.taken += 1
    else outcome.lost.push({ event, why })
  }

  function readAlone(webhookEventId: string): Promise<EventRecord | null> {
    signal.throwIfAborted()
    return platform.events.get({ webhookId: ours.webhookId, webhookEventId }, signal)
  }

  function list(query: Omit<EventQuery, 'webhookId'>): Promise<LogAnswer> {
    signal.throwIfAborted()
    const how = state.sameClock === true && { sameClock: true }
    return platform.events.list({ webhookId: ours.webhookId, ...query, ...how }, signal)
  }
}

function sameEvents(a: readonly EventRecord[], b: readonly EventRecord[]): boolean {
  const ids = new Set(a.map(({ webhookEventId }) => webhookEventId))
  return a.length === b.length && b.every(({ webhookEventId }) => ids.has(webhookEventId))
}

/** Failed records per window. */
const MANY = 1_500

/** The busiest hours of a chain may follow a quiet time (ms). */
const LONGEST = 3 * HOUR

const SHORTEST = 60_000

/**
 * Walks through the log, oldest first, in windows of at most a day. With `isSameClock` their length follows the number of records, about
 * `most` each; otherwise a shorter window would bring no less.
 */
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

/**
 * Learns if the log answers for the queried range alone, by the clock of its records: asks for its newest ones. Null: an empty answer
 * does not tell.
 */
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

export type Take = (ours: Ours, event: Pick<EventRecord, 'webhookEventId'>, payload: unknown) => Promise<string | null>

/** Ingests as if the webhook had come: same kind, origin and transport key. */
export function createTake(options: AcceptOptions): Take {
  return async ({ kind, name }, { webhookEventId }, payload) => {
    const event = { kind, subscription: name, transportKey: webhookEventId, payload }
    const { status, id } = await acceptPayload(options, event)
    if (status === 'quarantined') return `it cannot be read: event ${id} is in quarantine`
    return null
  }
}
