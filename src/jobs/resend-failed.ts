import { z } from 'zod'
import { PermanentError, RetryLaterError } from '../domain/values/errors.ts'
import { formatInstant, type Instant, isInFuture } from '../domain/values/instant.ts'
import { countTexts, pluralize, summed } from '../domain/values/text.ts'
import type { Inbox } from '../ingest/accept.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Unreadable } from '../platform/http/read.ts'
import type { EventQuery, EventRecord, LogAnswer, Platform } from '../platform/platform.ts'
import type { HubJob } from './engine/job.ts'
import { isAboutItem, mustRereadWindow, RejectedWindows, rejectedNote } from './pulls/days.ts'
import {
  createLogIngest,
  createPayloads,
  type IngestLogEvent,
  learnClock,
  readWindow,
  sizesAfter,
  walkLog,
} from './reconciliation/event-log.ts'
import { listOurs, type OwnSubscription, type WithoutList } from './subscriptions/decide.ts'

interface Options {
  platform: Pick<Platform, 'webhooks' | 'events'>
  inbox: Pick<Inbox, 'accept'>
  seen(webhookEventIds: readonly string[]): Promise<ReadonlySet<string>>
  publicUrl: string
  withoutList?: WithoutList
  clock: Pick<Clock, 'now'>
  logger: Logger
}

export const RESEND_FAILED = 'resend-failed'

/** Has failed events sent again (spec, Events 1 to 3), at most five times a day, else takes them from the log; tried for 30 days. */
export function resendFailedJob(options: Options): HubJob {
  const { platform, inbox, seen, publicUrl, clock, logger } = options
  const take = createLogIngest({ inbox, clock, logger })
  return {
    name: RESEND_FAILED,
    // Events of the time without a hub have failed.
    atStart: true,
    async run({ now, signal, state: left, save }) {
      const before = State.safeParse(left).data ?? { checkpoints: {}, tries: {}, lost: [], held: {}, sameClock: null }
      const sources = { platform, publicUrl, withoutList: options.withoutList }
      const { ours, rejected } = await listOurs(sources, signal, Object.keys(before.checkpoints).length > 0)
      // An unreadable one may be ours: its checkpoint stays.
      const kept = rejected > 0 ? Object.keys(before.checkpoints) : ours.map(({ webhookId }) => webhookId)
      const state = trimmed(before, kept, now)
      const tools = { platform, seen, take, now: clock.now, signal, state, save: () => save(state) }
      const outcomes: Outcome[] = []
      const unreadable: string[] = []
      for (const one of ours) {
        try {
          const from = lookFrom(state.checkpoints[one.webhookId], now)
          const outcome = await resendSubscription(one, from, now, tools)
          const held = { job: RESEND_FAILED, held: state.held, now, logger }
          const isHeld = mustRereadWindow(held, `${one.kind}, subscription ${one.webhookId}`, outcome.rejected)
          const readUntil = isHeld ? (outcome.readUntil ?? now) : now
          state.checkpoints[one.webhookId] = Math.min(settledUntil(outcome, now), readUntil)
          outcomes.push(outcome)
          report(one, outcome, state.lost)
        } catch (error) {
          await save(state).catch(() => undefined)
          if (signal.aborted || !isAboutItem(error)) throw error
          unreadable.push(`${one.kind}: ${error.message}`)
        }
      }
      const lost = outcomes.flatMap((outcome) => outcome.lost.map(({ event }) => event.webhookEventId))
      const next = { ...state, lost }
      const unread = rejected + outcomes.flatMap((one) => one.rejected).length
      const note = `${summaryOf(ours.length, outcomes)}${rejectedNote(unread)}`
      if (unreadable.length === 0) return { state: next, note }
      await save(next)
      throw new RetryLaterError(`${unreadable.join('; ')}. Done: ${note}`, { code: 'resend-incomplete' })
    },
  }

  function report({ kind }: Ours, { lost }: Outcome, reported: readonly string[]): void {
    for (const { event, why } of lost) {
      const { webhookEventId: eventId, createdAt } = event
      const facts = { kind, eventId, createdAt: formatInstant(createdAt), why }
      if (!reported.includes(eventId)) logger.error(facts, 'event.lost')
    }
  }
}

function settledUntil({ open, lost }: Outcome, now: Instant): Instant {
  const unsettled = [...open, ...lost.map(({ event }) => event)]
  return unsettled.reduce((least, { createdAt }) => Math.min(least, createdAt), now)
}

function summaryOf(subscriptions: number, outcomes: readonly Outcome[]): string {
  const { resent, taken, had } = summed(outcomes, ['resent', 'taken', 'had'])
  const parts = countTexts({
    ...{ 'sent again': resent, 'taken from the log': taken, 'already received': had },
    'still failing': outcomes.flatMap(({ open }) => open).length,
    lost: outcomes.flatMap(({ lost }) => lost).length,
  })
  return `${pluralize(subscriptions, 'subscription')}: ${parts.join(', ') || 'nothing failed'}`
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Per event and day (spec, Events 3: regularly, but not for ever). */
const MAX_TRIES = 5

/** An outcome is logged some time after its event (ms). */
const OVERLAP = HOUR

const FIRST_LOOK = 7 * DAY

/** Longest that an unsettled event holds the checkpoint back (ms). */
const LONGEST_LOOK = 30 * DAY

type ResendState = z.output<typeof State>

const State = z.object({
  checkpoints: z.record(z.string(), z.number()),
  tries: z.record(z.string(), z.array(z.number())),
  lost: z.array(z.string()),
  held: RejectedWindows.default({}),
  /** The log answers for the queried range alone. Null: not known yet. */
  sameClock: z.boolean().nullable().default(null),
})

/** Drops what the next run does not need. */
function trimmed(state: ResendState, webhookIds: readonly string[], now: Instant): ResendState {
  const checkpoints = Object.entries(state.checkpoints).filter(([id]) => webhookIds.includes(id))
  const tries = Object.entries(state.tries)
    .map(([id, all]) => [id, recent(all, now)] as const)
    .filter(([, all]) => all.length > 0)
  return { ...state, checkpoints: Object.fromEntries(checkpoints), tries: Object.fromEntries(tries) }
}

/** A checkpoint in the future was written by a clock that was ahead. */
function lookFrom(checkpoint: Instant | undefined, now: Instant): Instant {
  const known = checkpoint === undefined || isInFuture(checkpoint, now) ? now - FIRST_LOOK : checkpoint
  return Math.max(known - OVERLAP, now - LONGEST_LOOK)
}

function recent(tries: readonly Instant[], now: Instant): Instant[] {
  return tries.filter((at) => at > now - DAY)
}

type Ours = Pick<OwnSubscription, 'webhookId' | 'kind' | 'name'>

interface Outcome {
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
  take: IngestLogEvent
  now(): Instant
  signal: AbortSignal
  state: ResendState
  save(): Promise<void>
}

const MAX_ROUNDS = 10

/** Resends what failed, else takes it from the log. Throws if platform or storage is unreachable; `tools.state` then has what was done. */
async function resendSubscription(ours: Ours, from: Instant, to: Instant, tools: Tools): Promise<Outcome> {
  const { platform, seen, take, now, signal, state, save } = tools
  const outcome: Outcome = { resent: 0, taken: 0, had: 0, lost: [], open: [], rejected: [], readUntil: null }
  /** Settled, although the platform still lists them. */
  const done = new Set<string>()
  const resent = new Set<string>()
  state.sameClock ??= await learnClock(to, (narrow) => list({ ...narrow, sameClock: true }))

  // An answer may be cut off: what was resent makes room for the rest.
  let before: ReadonlySet<string> = new Set()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    outcome.open = await failing()
    const ids = new Set(outcome.open.map(({ webhookEventId }) => webhookEventId))
    if (ids.size === 0 || ids.symmetricDifference(before).size === 0) break
    before = ids
    const how = { success: false, sameClock: state.sameClock === true, alone: readAlone }
    const payloads = createPayloads(outcome.open, list, how)
    // Oldest first: a later change of an order must not overtake an earlier one.
    for (const event of outcome.open)
      if (recent(state.tries[event.webhookEventId] ?? [], now()).length >= MAX_TRIES || !(await resend(event)))
        await takeFrom(payloads, event)
    await save()
  }
  outcome.open = outcome.open.filter(({ webhookEventId }) => !done.has(webhookEventId))
  return outcome

  async function failing(): Promise<EventRecord[]> {
    const byId = new Map<string, EventRecord>()
    outcome.rejected = []
    outcome.readUntil = null
    const asked = { isSameClock: () => state.sameClock === true, most: MANY }
    const sizes = sizesAfter(0)
    for await (const { window, answer } of walkLog({ from, to }, asked, async (range) => {
      const read = await readWindow(range, (part) => list({ ...part, success: false }), sizes)
      return { ...read, answered: read.rows.length }
    })) {
      const { rows, rejected } = answer
      for (const event of rows) if (!done.has(event.webhookEventId)) byId.set(event.webhookEventId, event)
      if (rejected.length > 0) outcome.readUntil ??= window.from + OVERLAP
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
    state.tries[webhookEventId] = [...recent(state.tries[webhookEventId] ?? [], now()), now()]
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

/** Failed records per window. */
const MANY = 1_500
