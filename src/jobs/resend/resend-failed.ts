import { RetryLaterError } from '../../domain/values/errors.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { Inbox } from '../../ingest/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Platform } from '../../platform/platform.ts'
import type { HubJob } from '../engine/job.ts'
import { holds, isAboutItem, rejectedNote } from '../pulls/days.ts'
import { listOurs, type WithoutList } from '../subscriptions/decide.ts'
import {
  createTake,
  lookFrom,
  type Ours,
  type Outcome,
  readResendState,
  resendSubscription,
  trimmed,
} from './resend-subscription.ts'

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

/**
 * Recovers what the platform could not deliver (spec, Events 1 to 3): each failed event is resent, at most five times a day, then taken
 * from the log under the keys of its webhook. What neither helps is logged by name, and tried for 30 days.
 */
export function resendFailedJob(options: Options): HubJob {
  const { platform, inbox, seen, publicUrl, clock, logger } = options
  const take = createTake({ inbox, clock, logger })
  return {
    name: RESEND_FAILED,
    // Events of the time without a hub have failed.
    atStart: true,
    async run({ now, signal, state: left, save }) {
      const before = readResendState(left)
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
          const isHeld = holds(
            { job: RESEND_FAILED, held: state.held, now, logger },
            `${one.kind}, subscription ${one.webhookId}`,
            outcome.rejected,
          )
          state.checkpoints[one.webhookId] = Math.min(
            settledUntil(outcome, now),
            (isHeld ? outcome.readUntil : null) ?? now,
          )
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
      const note = `${summaryOf(ours.length, outcomes)}${rejectedNote(rejected + outcomes.reduce((sum, one) => sum + one.rejected.length, 0))}`
      if (unreadable.length === 0) return { state: next, note }
      await save(next)
      throw new RetryLaterError(`${unreadable.join('; ')}. Done: ${note}`, { code: 'resend-incomplete' })
    },
  }

  function report({ kind }: Ours, { lost }: Outcome, reported: readonly string[]): void {
    for (const { event, why } of lost)
      if (!reported.includes(event.webhookEventId))
        logger.error(
          { kind, eventId: event.webhookEventId, createdAt: formatInstant(event.createdAt), why },
          'event.lost',
        )
  }
}

function settledUntil({ open, lost }: Outcome, now: Instant): Instant {
  const unsettled = [...open, ...lost.map(({ event }) => event)]
  return unsettled.reduce((least, { createdAt }) => Math.min(least, createdAt), now)
}

function summaryOf(subscriptions: number, outcomes: readonly Outcome[]): string {
  const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((total, one) => total + count(one), 0)
  const counts = [
    [sum(({ resent }) => resent), 'sent again'],
    [sum(({ taken }) => taken), 'taken from the log'],
    [sum(({ had }) => had), 'already received'],
    [sum(({ open }) => open.length), 'still failing'],
    [sum(({ lost }) => lost.length), 'lost'],
  ] as const
  const parts = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return `${pluralize(subscriptions, 'subscription')}: ${parts.length === 0 ? 'nothing failed' : parts.join(', ')}`
}
