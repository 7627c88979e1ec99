import type { Range } from '../../domain/ledger/covered.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Unreadable } from '../../platform/http/listed.ts'
import { isTooMuch } from '../../platform/long-lists/too-much.ts'
import type { EventQuery, EventRecord, LogAnswer, Platform } from '../../platform/platform.ts'
import { isAboutItem } from '../pulls/in-turn.ts'
import { learnClock } from './learn-clock.ts'
import { createPayloads } from './payloads.ts'
import { addTry, checkpointAt, isExhausted, type ResendState } from './resend-state.ts'

/** A subscription of ours. */
export interface Ours {
  webhookId: string
  kind: string
  /** The hub's name for it; null: the URL has none. */
  name: string | null
}

/** The end of the failed events of one subscription. */
export interface Outcome {
  resent: number
  /** Taken from their payload in the log. */
  taken: number
  /** The hub had them already: the 2xx was lost on the way. */
  had: number
  /** Neither sent again nor taken, and why. */
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
  /** The transport keys among these that the hub has taken. An event that it refused (too large) does not count. */
  seen(webhookEventIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Takes an event from its payload. A text: why it could not be read. */
  take(ours: Ours, event: EventRecord, payload: unknown): Promise<string | null>
  now(): Instant
  signal: AbortSignal
  /** Changed as events are sent again. */
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

  /** Events that failed, as the platform says, oldest first, without those that the hub has all the same. */
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

  /** False: it is of no use to try. */
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

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A window whose answer held more records than this is followed by a shorter one. */
const MANY = 1_500

/** After a quiet stretch may come the busiest of a chain, where the log answers for just what it is asked. */
const LONGEST = 3 * HOUR

/** A window is never shorter, however much its answer holds. */
const SHORTEST = 60_000

/**
 * Walks through a stretch of the log, oldest first, in windows of at most a day: how the log is paged is not shown. Where it answers
 * for just what was asked (`sameClock`), windows follow how much comes: a chain's day is hundreds of megabytes. Elsewhere a shorter
 * window would bring no less. One whose answer is more than is read is asked for again in parts, and so is all that follows.
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
