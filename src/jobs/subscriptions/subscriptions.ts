import { z } from 'zod'
import { JOBS } from '../../config/jobs.ts'
import { type KnownStore, numberKey, presentOf } from '../../domain/places/store-index.ts'
import { isNotThere, PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { createMask } from '../../lib/http/http-mask.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Listed } from '../../platform/http/listed.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import { asideNote } from '../engine/held.ts'
import type { HubJob, Job } from '../engine/job.ts'
import { type Made, subscribeBlindly } from './blind-subscriptions.ts'
import { type Callback, readCallback } from './callback-url.ts'
import {
  type Attempt,
  applyChanges,
  type Changes,
  doubtfulKinds,
  type SubscribedStores,
  subscriptionChanges,
} from './subscription-changes.ts'
import { type Failure, Found, failureText, faultsOf, notOffered, type Since } from './subscription-faults.ts'

/** As config names them: numbers, or countries such as NO. */
type StoresWanted = 'all' | readonly string[] | undefined

interface Options {
  platform: Pick<Platform, 'webhooks'>
  /** Whether the list of subscriptions is known to be there: its 404 proves nothing else. */
  isListProven(): Promise<boolean>
  /** The callback to subscribe with, and the kinds; `all`: whatever the platform offers, unknown new ones too. */
  wanted: Callback & { kinds: 'all' | readonly string[]; stores?: StoresWanted }
  /** The platform's stores, as far as they are known: config names them by number or country. */
  known?(): Promise<readonly KnownStore[]>
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
    found: Found,
  })
  .catch({ kinds: [], made: {}, found: [] })

/**
 * Brings the platform's webhook subscriptions to what config wants (spec, Webhooks): one for each kind. Ours with an old
 * token, another name or another path are moved over, ours too many for a kind are deleted, what others subscribed is left
 * alone. A kind that the hub had subscribed and that is not in the list of config any more is unsubscribed; any other of
 * ours that is not wanted stays and is named. Fails at the end if something could not be done; the rest is done. Where the
 * platform shows no list, each kind is subscribed once, and no more can be done.
 */
export function subscriptionsJob(options: Options): HubJob {
  const { platform, isListProven, wanted, known, logger, schedule = JOBS.subscriptions.schedule } = options
  const { webhooks } = platform
  return {
    name: 'subscriptions',
    schedule,
    atStart: true,
    async run({ now, signal, state, save }) {
      const [list, offered] = await Promise.all([listIfThere(signal), webhooks.types(signal)])
      const types = offered.rows
      if (types.length === 0)
        throw new RetryLaterError('the platform names no kinds (WebhooksTypes); nothing was changed', {
          code: 'no-kinds',
        })
      const kinds = [...new Set(wanted.kinds === 'all' ? types : wanted.kinds)]
      // A kind that is not offered may be among those that could not be read.
      const strange = offered.aside.length > 0 ? [] : kinds.filter((kind) => !types.includes(kind))
      const subscribed = kinds.filter((kind) => types.includes(kind))
      // A kind that is missing may be misspelt: nothing is taken down while the list names one that does not exist.
      const knowingly = wanted.kinds !== 'all' && strange.length === 0
      const { kinds: before, made, found: foundBefore } = State.parse(state)
      const since = { before: foundBefore, now }
      if (list === null) return blindly(subscribed, strange, made, { since, signal, save })
      const { rows: listed, aside } = list
      const dropped = before.filter((kind) => !kinds.includes(kind))
      const doubtful = doubtfulKinds(aside, before, wanted)
      const stores = wantedStores(wanted.stores, (await known?.()) ?? [])
      const changes = subscriptionChanges(
        listed,
        { kinds: subscribed, dropped: knowingly ? dropped : [], doubtful, stores },
        wanted,
      )

      const failed = strange.map(notOffered)
      const attempt = createAttempt({ signal, failed, mask: maskOf(listed) })
      const done = await applyChanges(changes, webhooks, attempt)

      const note = `${[...done, ...leftOver(changes)].join('; ')}${asideNote(aside.length)}`
      if (changes.left.length > 0) logger.warn({ kinds: kindsOf(changes.left) }, 'subscriptions.left')
      if (changes.limited.length > 0) logger.warn({ kinds: changes.limited }, 'subscriptions.limited')
      const found = faultsOf(wanted.subscription, failed, changes, since)
      if (failed.length === 0) return { state: { kinds: subscribed, made, found }, note }
      await save({ kinds: [...new Set([...subscribed, ...dropped])], made, found })
      throw incomplete(failed, note)
    },
  }

  /** null: there is none, as far as anybody shows. */
  async function listIfThere(signal: AbortSignal): Promise<Listed<Subscription> | null> {
    try {
      return await webhooks.list(signal)
    } catch (error) {
      if (isNotThere(error) && !(await isListProven())) return null
      throw error
    }
  }

  async function blindly(
    kinds: readonly string[],
    strange: readonly string[],
    made: Made,
    { since, signal, save }: Pick<Parameters<Job['run']>[0], 'signal' | 'save'> & { since: Since },
  ) {
    const keep = (now: Made) => save({ kinds, made: now, found: since.before })
    const { done, faults, unsure, ...kept } = await subscribeBlindly({ wanted, kinds, made, webhooks, signal, keep })
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

  /** Hides our tokens, the old ones too, in what the platform says. */
  function maskOf(listed: readonly Subscription[]) {
    const old = listed.flatMap(({ url }) => readCallback(url, wanted.publicUrl)?.token ?? [])
    return createMask([wanted.token, ...old])
  }
}

/** Store numbers and countries of config as the platform's ids. Throws a RetryLaterError where one of them is not known. */
function wantedStores(wanted: StoresWanted, known: readonly KnownStore[]): SubscribedStores {
  if (wanted === undefined || wanted === 'all') return wanted
  const present = presentOf(known)
  const ids = wanted.map((entry) =>
    present.filter(({ number, countryCode }) =>
      /^[a-z]{2}$/i.test(entry.trim())
        ? countryCode === entry.trim().toUpperCase()
        : number !== null && numberKey(number) === numberKey(entry),
    ),
  )
  const strange = wanted.filter((_, index) => ids[index]?.length === 0)
  if (strange.length > 0)
    throw new RetryLaterError(
      `platform.webhooks.stores: no store ${strange.join(', ')} is known; nothing was changed`,
      { code: 'no-such-store' },
    )
  return [...new Set(ids.flat().map(({ storeId }) => storeId))]
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
