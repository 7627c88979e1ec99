import { z } from 'zod'
import type { Range } from '../../domain/ledger/covered.ts'
import { isSameClock, NARROW } from '../../domain/ledger/log-clock.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { type Instant, isStillToCome } from '../../domain/values/instant.ts'
import { isTooMuch, type Listed, type Unreadable } from '../../platform/http/read.ts'
import type { EventQuery, EventRecord, LogAnswer, Platform } from '../../platform/platform.ts'
import { Held, isAboutItem } from '../pulls/days.ts'
import { type AcceptOptions, acceptPayload } from '../pulls/handover.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** An event is sent again at most so often within a day (spec, Events 3: regularly, but not for ever). */
const MOST_TRIES = 5

/** How far a run goes back behind its checkpoint: an outcome is written some time after its event arose. */
const OVERLAP = HOUR

const FIRST_LOOK = 7 * DAY

/** An event that cannot be settled holds the checkpoint back, but no longer than this: each run reads the log from there. */
const LONGEST_LOOK = 30 * DAY

export type ResendState = z.output<typeof State>

const State = z.object({
  checkpoints: z.record(z.string(), z.number()),
  tries: z.record(z.string(), z.array(z.number())),
  lost: z.array(z.string()),
  held: Held.default({}),
  /** The log reads what it is asked by the clock that it writes; null: not learned yet. */
  sameClock: z.boolean().nullable().default(null),
})

export function readResendState(state: unknown): ResendState {
  return State.safeParse(state).data ?? { checkpoints: {}, tries: {}, lost: [], held: {}, sameClock: null }
}

/** The state that the next run needs: checkpoints of subscriptions that are still ours, tries of the last day. */
export function trimmed(state: ResendState, webhookIds: readonly string[], now: Instant): ResendState {
  const checkpoints = Object.entries(state.checkpoints).filter(([id]) => webhookIds.includes(id))
  const tries = Object.entries(state.tries)
    .map(([id, all]) => [id, recent(all, now)] as const)
    .filter(([, all]) => all.length > 0)
  return { ...state, checkpoints: Object.fromEntries(checkpoints), tries: Object.fromEntries(tries) }
}

function isExhausted(state: ResendState, event: string, now: Instant): boolean {
  return recent(state.tries[event] ?? [], now).length >= MOST_TRIES
}

function addTry(state: ResendState, event: string, now: Instant): void {
  state.tries[event] = [...recent(state.tries[event] ?? [], now), now]
}

/** Where to begin reading the log of a subscription. A checkpoint that is still to come was written by a clock that was ahead. */
export function lookFrom(checkpoint: Instant | undefined, now: Instant): Instant {
  const known = checkpoint === undefined || isStillToCome(checkpoint, now) ? now - FIRST_LOOK : checkpoint
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
  /** The hub had them already: the 2xx was lost on the way. */
  had: number
  lost: { event: EventRecord; why: string }[]
  /** The platform names them as failed still; the next run goes on. */
  open: EventRecord[]
  /** Rows of the log that could not be read: any of them may have failed. */
  aside: Unreadable[]
  /** As a checkpoint, where the log could be read before those; null: all of it could. */
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

/** Rounds of listing and sending again in one run; every one but the last has settled something. */
const MOST_ROUNDS = 10

/**
 * Sends what failed again, and lists again, until nothing is left or nothing changes. Throws where the platform or the
 * store is out of reach; `tools.state` then holds what was done so far.
 */
export async function resendSubscription(ours: Ours, from: Instant, to: Instant, tools: Tools): Promise<Outcome> {
  const { platform, seen, take, now, signal, state, save } = tools
  const outcome: Outcome = { resent: 0, taken: 0, had: 0, lost: [], open: [], aside: [], readUntil: null }
  /** Settled in this run, though the platform's list still names them. */
  const done = new Set<string>()
  const resent = new Set<string>()
  let before: EventRecord[] = []
  state.sameClock ??= await learnClock(to, (narrow) => list({ ...narrow, sameClock: true }))

  for (let round = 0; round < MOST_ROUNDS; round++) {
    outcome.open = await failing()
    if (outcome.open.length === 0 || sameEvents(outcome.open, before)) break
    before = outcome.open
    const how = { success: false, sameClock: state.sameClock === true, alone: readAlone }
    const payloads = createPayloads(outcome.open, list, how)
    // One after the other, oldest first: a later change of an order must not overtake an earlier one.
    for (const event of outcome.open)
      if (isExhausted(state, event.webhookEventId, now()) || !(await resend(event))) await takeFrom(payloads, event)
    await save()
  }
  outcome.open = outcome.open.filter(({ webhookEventId }) => !done.has(webhookEventId))
  return outcome

  async function failing(): Promise<EventRecord[]> {
    const byId = new Map<string, EventRecord>()
    outcome.aside = []
    outcome.readUntil = null
    const failed = walkLog({ from, to }, state.sameClock === true, (window) => list({ ...window, success: false }))
    for await (const { window, answer } of failed) {
      const { rows, aside } = answer
      for (const event of rows) if (!done.has(event.webhookEventId)) byId.set(event.webhookEventId, event)
      if (aside.length > 0) outcome.readUntil ??= checkpointAt(window.from)
      for (const row of aside) outcome.aside.push(row)
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

const MANY = 1_500

/** After a quiet stretch may come the busiest of a chain, where the log answers for just what it is asked. */
const LONGEST = 3 * HOUR

/** A window is never shorter, however much its answer holds. */
const SHORTEST = 60_000

/**
 * Walks through a stretch of the log, oldest first, in windows of at most a day: how the log is paged is not shown. Windows follow how
 * much comes where the log answers for just what was asked (`sameClock`); elsewhere a shorter one would bring no less.
 */
async function* walkLog(
  { from, to }: Range,
  sameClock: boolean,
  list: (window: Range) => Promise<LogAnswer>,
): AsyncGenerator<{ window: Range; answer: LogAnswer }> {
  let longest = sameClock ? LONGEST : DAY
  let length = sameClock ? HOUR : DAY
  for (let at = from; at < to; ) {
    const window = { from: at, to: Math.min(at + length, to) }
    const answer = await list(window).catch((error: unknown) => {
      if (sameClock && isTooMuch(error) && window.to - window.from > SHORTEST) return null
      throw error
    })
    if (answer === null) {
      longest = Math.max(SHORTEST, Math.floor((window.to - window.from) / 2))
      length = longest
      continue
    }
    yield { window, answer }
    if (sameClock && answer.answered > MANY) length = Math.max(SHORTEST, length / 2)
    else if (answer.answered < MANY / 4) length = Math.min(longest, length * 2)
    at = window.to
  }
}

/**
 * Learns whether the log reads what it is asked by the clock that it writes: the newest that it has is asked for by its own clock.
 * A log that reads days alone, or by another clock, answers with more; null: nothing was answered, which tells nothing.
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

/** Bytes of the log that are read ahead with a payload that is wanted: minutes of a chain's log are megabytes already. */
const AHEAD = { hour: 3_600_000, minutes: 5 * 60_000 }

interface How {
  /** Only what the platform names as delivered, or as failed, is asked for. */
  success?: boolean
  /** The log answers for just what it is asked; else at least a day comes anyway. */
  sameClock: boolean
  /** Asks for one event alone, where the list shows none of it: a platform may not tell payloads in lists. Not given: it is not asked. */
  alone?: (webhookEventId: string) => Promise<EventRecord | null>
}

interface Wanted {
  webhookEventId: string
  createdAt: Instant
}

/**
 * Reads payloads of the log. One query tells those of many: where the log is asked by the day, those of the whole day.
 * Undefined: the log holds none of it.
 */
export function createPayloads(
  events: readonly Wanted[],
  list: (query: Omit<EventQuery, 'webhookId'>) => Promise<Listed<EventRecord>>,
  { success, sameClock, alone }: How,
): (event: Wanted) => Promise<unknown> {
  const wanted = new Set(events.map(({ webhookEventId }) => webhookEventId))
  const found = new Map<string, unknown>()
  /** Answers of the log are by the day, and one of them was more than is read: none will be less. */
  let isHuge = false
  return async ({ webhookEventId: id, createdAt }) => {
    if (!found.has(id) && !isHuge) await lookAhead(createdAt)
    // Where answers are pages, the newest first, those that come after it may have filled one; or they were more than is read.
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

/** Takes events as if the webhook had arrived: same kind, origin and transport key. */
export function createTake(options: AcceptOptions): Take {
  return async ({ kind, name }, { webhookEventId }, payload) => {
    const event = { kind, subscription: name, transportKey: webhookEventId, payload }
    const { status, id } = await acceptPayload(options, event)
    if (status === 'quarantined') return `it cannot be read: event ${id} is in quarantine`
    return null
  }
}
