import { z } from 'zod'
import { JOBS } from '../../config/jobs.ts'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { createMask } from '../../lib/http/http-mask.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Subscription } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob, Job } from '../engine/job.ts'
import { asideNote } from '../pulls/held.ts'
import { type Made, subscribeBlindly } from './blind-subscriptions.ts'
import { readCallback } from './callback-url.ts'
import { decide, type SubscriptionWishes } from './decide.ts'
import { type GivenIds, givenSubscriptions, Known, type OwnSubscription } from './known-subscriptions.ts'
import { driftedKinds, Left, leftBy } from './left.ts'
import { type Attempt, applyChanges, type Changes, type Created } from './subscription-changes.ts'
import { type Failure, Found, failureText, faultsOf, notOffered, type Since } from './subscription-faults.ts'
import { apartUnseen, nameOf, notShown, Unseen, unseenOf } from './unseen.ts'

interface Options extends SubscriptionWishes {
  /** The ids of subscriptions that config names, by kind. */
  ids?: GivenIds
  logger: Logger
  /** When it runs besides at start; a cron expression in UTC. */
  schedule?: string
}

/** The kinds that were subscribed last time, and those that are still to be taken down. */
const State = z
  .object({
    kinds: z.array(z.string()),
    /** Where the platform shows no list: what the hub has made (see subscribeBlindly). */
    made: z.record(z.string(), z.object({ url: z.string(), sure: z.boolean() })).default({}),
    known: Known,
    found: Found,
    left: Left,
    unseen: Unseen,
    /** The list was empty at the last run, although ours had been on it. */
    wasEmpty: z.boolean().default(false),
  })
  .catch({ kinds: [], made: {}, known: [], found: [], left: {}, unseen: [], wasEmpty: false })

/** Trouble looks like that, too; what was subscribed again meanwhile would send everything twice. */
const EMPTY =
  'the platform lists no subscription at all, and had ours; nothing was changed. If the next run is told the same, they are made anew'

/** The kinds that the last run has subscribed. */
export async function keptKinds(store: Pick<Store, 'jobs'>): Promise<string[]> {
  const row = (await store.jobs()).find(({ name }) => name === 'subscriptions')
  return State.parse(row?.state ? JSON.parse(row.state) : {}).kinds
}

/**
 * Brings the platform's webhook subscriptions to what config wants (spec, Webhooks): one for each kind. Ours with an old
 * token, another name or another path are moved over, ours too many for a kind are deleted, what others subscribed is left
 * alone. A kind that the hub had subscribed and that is not in the list of config any more is unsubscribed; any other of
 * ours that is not wanted stays and is named. Fails at the end if something could not be done; the rest is done. Where the
 * platform shows no list, each kind is subscribed once, and no more can be done.
 */
export function subscriptionsJob(options: Options): HubJob {
  const { platform, wanted, logger, schedule = JOBS.subscriptions.schedule } = options
  const given = givenSubscriptions(options.ids ?? {})
  const { webhooks } = platform
  return {
    name: 'subscriptions',
    schedule,
    atStart: true,
    async run({ now, signal, state, save }) {
      const was = State.parse(state)
      const { kinds: before, made, known: knownBefore, left, found: foundBefore, unseen: unseenBefore } = was
      const since = { before: foundBefore, now }
      const { kinds: subscribed, strange, dropped, remembered, found: seen } = await decide(options, before, signal)
      if (seen === null) return blindly(subscribed, strange, { made, known: knownBefore, since, signal, save })
      const { changes, listed } = seen
      const { rows: all, aside } = listed
      const { fresh, still } = apartUnseen(changes.create, unseenBefore)
      const isEmpty = all.length === 0 && aside.length === 0
      if (isEmpty && fresh.length > 0 && before.length > 0 && !was.wasEmpty) {
        await save({ ...was, wasEmpty: true })
        throw new RetryLaterError(EMPTY, { code: 'no-subscriptions' })
      }
      const drifted = driftedKinds(left, all)
      if (drifted.length > 0) logger.warn({ kinds: drifted }, 'subscriptions.drifted')

      const failed = [...strange.map(notOffered), ...still.map(notShown)]
      const attempt = createAttempt({ signal, failed, mask: maskOf(all) })
      const { done, created } = await applyChanges({ ...changes, create: fresh }, webhooks, attempt)
      const unseen = [...still.map(nameOf), ...(await unseenOf(created, webhooks, signal))]

      const note = `${[...done, ...leftOver(changes)].join('; ')}${asideNote(aside.length)}`
      if (changes.left.length > 0) logger.warn({ kinds: kindsOf(changes.left) }, 'subscriptions.left')
      if (changes.limited.length > 0) logger.warn({ kinds: changes.limited }, 'subscriptions.limited')
      const found = faultsOf(wanted.subscription, failed, { ...changes, drifted }, since)
      // Ids of what the list does not show, or not so that it can be read: the others are on it.
      const ids = new Set(all.map(({ id }) => id))
      const known = aside.length === 0 ? [] : [...knownBefore, ...created.flatMap(ownOf)]
      const kept = { made, known: known.filter(({ webhookId }) => !ids.has(webhookId)), found, unseen }
      if (failed.length === 0) return { state: { ...kept, kinds: remembered, left: leftBy(changes, wanted) }, note }
      await save({ ...kept, kinds: [...new Set([...remembered, ...dropped])], left: {} })
      throw incomplete(failed, note)
    },
  }

  async function blindly(
    kinds: readonly string[],
    strange: readonly string[],
    {
      since,
      signal,
      save,
      ...before
    }: Pick<Parameters<Job['run']>[0], 'signal' | 'save'> & {
      made: Made
      known: readonly OwnSubscription[]
      since: Since
    },
  ) {
    const keep = (now: Made, ids: readonly OwnSubscription[]) =>
      save({ kinds, made: now, known: ids, found: since.before })
    const asked = { wanted, kinds, ...before, given, webhooks, signal, keep }
    const { done, faults, unsure, withoutId, ...kept } = await subscribeBlindly(asked)
    if (withoutId.length > 0)
      logger.warn({ kinds: withoutId, todo: 'platform.webhooks.ids' }, 'subscriptions.without-id')
    if (unsure.length > 0) logger.warn({ kinds: unsure }, 'subscriptions.unsure')
    const failed = [...faults, ...strange.map(notOffered)]
    const note = done.join('; ')
    const found = faultsOf(wanted.subscription, failed, { unsure }, since)
    if (failed.length === 0) return { state: { kinds, ...kept, found }, note }
    await save({ kinds, ...kept, found })
    throw incomplete(failed, note)
  }

  /** The error of a round that was done in part. Each failure is logged, too. */
  function incomplete(failed: readonly Failure[], note: string): RetryLaterError {
    const why = failed.map(failureText)
    for (const one of why) logger.error({ why: one }, 'subscription.failed')
    return new RetryLaterError(`${why.join('; ')}. Done: ${note}`, { code: 'subscriptions-incomplete' })
  }

  /** One that was made, by the id that the platform answered. */
  function ownOf({ event, storeId, webhookId }: Created): OwnSubscription[] {
    return webhookId === null
      ? []
      : [{ webhookId, kind: event, name: storeId ?? wanted.subscription, storeId: storeId ?? null }]
  }

  /** Hides our tokens, the old ones too, in what the platform says. */
  function maskOf(listed: readonly Subscription[]) {
    const old = listed.flatMap(({ url }) => readCallback(url, wanted.publicUrl)?.token ?? [])
    return createMask([wanted.token, ...old])
  }
}

interface Attempting {
  signal: AbortSignal
  /** Where failures are put. */
  failed: Failure[]
  mask: (text: string) => string
}

/** Tries each change; once the platform is out of reach, the rest is not tried. */
function createAttempt({ signal, failed, mask }: Attempting): Attempt {
  let unreachable = false
  return async (doing, kind, change) => {
    signal.throwIfAborted()
    try {
      if (!unreachable) await change()
      else failed.push({ doing, kind, why: 'not tried' })
      return !unreachable
    } catch (error) {
      if (!isOfCall(error)) throw error
      signal.throwIfAborted()
      unreachable = error instanceof RetryLaterError && error.scope === 'destination'
      // The error itself is not passed on: what it holds of the answer may repeat the URL, and with it the token.
      failed.push({ doing, kind, why: mask(error.message) })
      return false
    }
  }
}

function isOfCall(error: unknown): error is Error {
  return error instanceof PermanentError || error instanceof RetryLaterError || error instanceof UnknownOutcomeError
}

function leftOver({ left, doubtful, limited }: Pick<Changes, 'left' | 'doubtful' | 'limited'>): string[] {
  const few = `limited to stores, left so, since platform.webhooks.stores does not say all: ${limited.join(', ')}`
  if (limited.length > 0) return [few, ...leftOver({ left, doubtful, limited: [] })]
  const unread = `may be among those that cannot be read, so not subscribed again: ${doubtful.join(', ')}`
  if (doubtful.length > 0) return [unread, ...leftOver({ left, doubtful: [], limited: [] })]
  return left.length === 0 ? [] : [`not wanted by config, left as they are: ${kindsOf(left).join(', ')}`]
}

function kindsOf(subscriptions: readonly Subscription[]): string[] {
  return [...new Set(subscriptions.map(({ event }) => event))]
}
