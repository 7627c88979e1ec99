import { z } from 'zod'
import type { SubscriptionFault } from '../../domain/health/hub-health.ts'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { countTexts, digestOf } from '../../domain/values/text.ts'
import { createMask } from '../../lib/http/http-verdict.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import type { Storage } from '../../storage/storage.ts'
import { type HubJob, type JobRun, readJobState } from '../engine/job.ts'
import { rejectedNote } from '../pulls/days.ts'
import {
  type Attempt,
  applyChanges,
  type Changes,
  type Created,
  callbackUrl,
  type DesiredSubscriptions,
  driftedKinds,
  type GivenIds,
  givenSubscriptions,
  Left,
  leftBy,
  type Operation,
  type OwnSubscription,
  planSubscriptions,
  readCallback,
  StoredSubscriptions,
  type SubscriptionPlan,
} from './decide.ts'

interface Options extends DesiredSubscriptions {
  ids?: GivenIds
  logger: Logger
}

/** Created, but not listed (digests, since URLs hold the token): created again they would send each event twice. */
const Unseen = z.array(z.string()).default([])

const Found = z
  .array(z.object({ name: z.string(), why: z.string(), since: z.number(), harmless: z.boolean() }))
  .default([])

const State = z
  .object({
    kinds: z.array(z.string()),
    /** By kind. `url`: a digest, since it holds the token; not `sure`: creation went unanswered. */
    made: z.record(z.string(), z.object({ url: z.string(), sure: z.boolean() })).default({}),
    known: StoredSubscriptions,
    found: Found,
    left: Left,
    unseen: Unseen,
    wasEmpty: z.boolean().default(false),
  })
  .catch({ kinds: [], made: {}, known: [], found: [], left: {}, unseen: [], wasEmpty: false })

/** An error of the platform looks like that: creating them again would send everything twice. */
const EMPTY =
  'the platform lists no subscription at all, and had ours; nothing was changed. If the next run is told the same, they are made anew'

export async function readSubscribedKinds(storage: Pick<Storage, 'jobs'>): Promise<string[]> {
  return State.parse(await readJobState(storage, 'subscriptions')).kinds
}

/** Brings subscriptions to what config wants (spec, Webhooks); foreign ones are left alone, and kinds never wanted are named. */
export function subscriptionsJob(options: Options): HubJob {
  const { platform, wanted, logger } = options
  const given = givenSubscriptions(options.ids ?? {})
  const { webhooks } = platform
  return {
    name: 'subscriptions',
    atStart: true,
    async run({ now, signal, state, save }) {
      const was = State.parse(state)
      const { kinds: before, made, left } = was
      const plan = await planSubscriptions(options, before, signal)
      const { strange, dropped, remembered, found: seen } = plan
      if (seen === null) return await createBlindly(plan, was, { now, signal, save })
      const { changes, listed } = seen
      const { rows: all, rejected } = listed
      const isUnseen = (one: Create) => was.unseen.includes(digestOfCreate(one))
      const fresh = changes.create.filter((one) => !isUnseen(one))
      const still = changes.create.filter(isUnseen)
      const isEmpty = all.length === 0 && rejected.length === 0
      if (isEmpty && fresh.length > 0 && before.length > 0 && !was.wasEmpty) {
        await save({ ...was, wasEmpty: true })
        throw new RetryLaterError(EMPTY, { code: 'no-subscriptions' })
      }

      const drifted = driftedKinds(left, all)
      if (drifted.length > 0) logger.warn({ kinds: drifted }, 'subscriptions.drifted')
      const failed = [...strange.map(notOffered), ...still.map(notShown)]
      const attempt = createAttempt(signal, failed, maskOf(all))
      const { done, created } = await applyChanges({ ...changes, create: fresh }, webhooks, attempt)
      const unseen = [...still.map(digestOfCreate), ...(await unseenOf(created, webhooks, signal))]

      const note = `${[...done, ...remainder(changes)].join('; ')}${rejectedNote(rejected.length)}`
      if (changes.left.length > 0) logger.warn({ kinds: kindsOf(changes.left) }, 'subscriptions.left')
      if (changes.limited.length > 0) logger.warn({ kinds: changes.limited }, 'subscriptions.limited')
      const found = faultsOf(wanted.subscription, failed, { ...changes, drifted }, { before: was.found, now })
      const ids = new Set(all.map(({ id }) => id))
      const known = rejected.length === 0 ? [] : [...was.known, ...created.flatMap(ownOf)]
      const kept = { made, known: known.filter(({ webhookId }) => !ids.has(webhookId)), found, unseen }
      if (failed.length === 0) return { state: { ...kept, kinds: remembered, left: leftBy(changes, wanted) }, note }
      await save({ ...kept, kinds: [...new Set([...remembered, ...dropped])], left: {} })
      throw incomplete(failed, note)
    },
  }

  /** Without a list (spec, Webhooks) each kind is created once, noted before, since duplicates could not be deleted. */
  async function createBlindly(
    { kinds, strange }: Pick<SubscriptionPlan, 'kinds' | 'strange'>,
    was: z.output<typeof State>,
    { now, signal, save }: Pick<JobRun, 'now' | 'signal' | 'save'>,
  ) {
    const made = { ...was.made }
    const known = [...was.known]
    const keep = () => save({ kinds, made: { ...made }, known: [...known], found: was.found })
    const failed: Failure[] = []
    const isGiven = (kind: string) => given.some((one) => one.kind === kind)
    let created = 0
    for (const kind of kinds) {
      signal.throwIfAborted()
      if (made[kind] === undefined && isGiven(kind)) continue
      const url = callbackUrl(wanted, kind)
      const digest = digestOf(url)
      if (made[kind] !== undefined) {
        if (made[kind].url !== digest) failed.push({ doing: null, kind, why: UNMOVED })
        continue
      }
      made[kind] = { url: digest, sure: false }
      await keep()
      try {
        const webhookId = await webhooks.create({ event: kind, url }, signal)
        if (webhookId !== null) known.push({ webhookId, kind, name: wanted.subscription, storeId: null })
        made[kind] = { url: digest, sure: true }
        created += 1
      } catch (error) {
        // It may exist: created again it might exist twice.
        if (!(error instanceof UnknownOutcomeError)) {
          delete made[kind]
          await keep()
          throw error
        }
      }
      await keep()
    }
    const unsure = Object.keys(made).filter((kind) => made[kind]?.sure === false)
    const stands = kinds.filter((kind) => made[kind] === undefined || (was.made[kind] !== undefined && made[kind].sure))
    const withoutId = kinds.filter((kind) => !isGiven(kind) && known.every((one) => one.kind !== kind))
    if (withoutId.length > 0)
      logger.warn({ kinds: withoutId, todo: 'platform.webhooks.ids' }, 'subscriptions.without-id')
    if (unsure.length > 0) logger.warn({ kinds: unsure }, 'subscriptions.unsure')
    const note = [
      ...countTexts({ created, 'subscribed before': stands.length }),
      ...(unsure.length > 0 ? [`not known whether they are subscribed: ${unsure.join(', ')}`] : []),
      'the platform shows no list of subscriptions',
      ...(withoutId.length > 0 ? [`no id is known of: ${withoutId.join(', ')} (platform.webhooks.ids)`] : []),
    ].join('; ')
    failed.push(...strange.map(notOffered))
    const found = faultsOf(wanted.subscription, failed, { unsure }, { before: was.found, now })
    const left = { kinds, made, known, found }
    if (failed.length === 0) return { state: left, note }
    await save(left)
    throw incomplete(failed, note)
  }

  function incomplete(failed: readonly Failure[], note: string): RetryLaterError {
    const why = failed.map(failureText)
    for (const one of why) logger.error({ why: one }, 'subscription.failed')
    return new RetryLaterError(`${why.join('; ')}. Done: ${note}`, { code: 'subscriptions-incomplete' })
  }

  function ownOf({ event, storeId, webhookId }: Created): OwnSubscription[] {
    return webhookId === null
      ? []
      : [{ webhookId, kind: event, name: storeId ?? wanted.subscription, storeId: storeId ?? null }]
  }

  /** Masks our tokens, old ones too. */
  function maskOf(listed: readonly Subscription[]) {
    const old = listed.flatMap(({ url }) => readCallback(url, wanted.publicUrl)?.token ?? [])
    return createMask([wanted.token, ...old])
  }
}

/** Once the platform is unreachable, the rest is not tried. */
function createAttempt(signal: AbortSignal, failed: Failure[], mask: (text: string) => string): Attempt {
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
      // Not as cause: the answer may repeat the URL with its token.
      failed.push({ doing, kind, why: mask(error.message) })
      return false
    }
  }
}

function isOfCall(error: unknown): error is Error {
  return error instanceof PermanentError || error instanceof RetryLaterError || error instanceof UnknownOutcomeError
}

function remainder({ left, doubtful, limited }: Pick<Changes, 'left' | 'doubtful' | 'limited'>): string[] {
  const all: [why: string, kinds: readonly string[]][] = [
    ['limited to stores, left so, since platform.webhooks.stores does not say all', limited],
    ['may be among those that cannot be read, so not subscribed again', doubtful],
    ['not wanted by config, left as they are', kindsOf(left)],
  ]
  return all.flatMap(([why, kinds]) => (kinds.length === 0 ? [] : [`${why}: ${kinds.join(', ')}`]))
}

function kindsOf(subscriptions: readonly Subscription[]): string[] {
  return [...new Set(subscriptions.map(({ event }) => event))]
}

const UNMOVED =
  'it is subscribed with another address or token, and the platform shows no list by which it could be moved'

interface Failure {
  doing: Operation | null
  kind: string
  why: string
}

export async function readSubscriptionFaults(storage: Pick<Storage, 'jobs'>): Promise<SubscriptionFault[]> {
  return State.parse(await readJobState(storage, 'subscriptions')).found
}

function notOffered(kind: string): Failure {
  return { doing: null, kind, why: 'the platform offers no such kind (platform.webhooks.kinds)' }
}

function failureText({ doing, kind, why }: Failure): string {
  return `${doing === null ? '' : `${doing} `}${kind}: ${why}`
}

type Seen = Pick<Changes, 'left' | 'doubtful' | 'limited'> & Record<'unsure' | 'drifted', readonly string[]>

const WORDS = {
  limited: 'It is limited to stores, and platform.webhooks.stores does not say all: left so.',
  doubtful: 'It may be among those that cannot be read: not subscribed again.',
  unsure: 'Nobody knows whether it is subscribed: its creation went unanswered.',
  drifted: 'Somebody else changed or removed it at the platform; it was put right.',
  left: 'Config does not want it; it was left as it is.',
}

function faultsOf(
  subscription: string,
  failed: readonly Failure[],
  { left = [], ...seen }: Partial<Seen>,
  { before, now }: { before: readonly SubscriptionFault[]; now: Instant },
): SubscriptionFault[] {
  const fault = (kind: string, why: string, harmless: boolean): SubscriptionFault => {
    const name = `${subscription} ${kind}`
    return { name, why, harmless, since: before.find((one) => one.name === name && one.why === why)?.since ?? now }
  }
  const all: Partial<Record<keyof Seen, readonly string[]>> = { ...seen, left: kindsOf(left) }
  return [
    ...failed.map(({ doing, kind, why }) => {
      const isHarmless = doing === 'delete' || doing === 'delete a duplicate of'
      return fault(kind, `${MEANS[doing ?? 'none']}: ${why}.`, isHarmless)
    }),
    ...(Object.keys(WORDS) as (keyof Seen)[]).flatMap((what) =>
      (all[what] ?? []).map((kind) => fault(kind, WORDS[what], what !== 'drifted')),
    ),
  ]
}

const MEANS: Readonly<Record<Operation | 'none', string>> = {
  none: 'It does not arrive as config wants it',
  create: 'It is not subscribed, so nothing of it arrives',
  update: 'It is subscribed with another address, token or store than config says',
  'delete a duplicate of': 'It is subscribed more than once',
  delete: 'It is subscribed although config has dropped it',
}

type Create = Changes['create'][number]
type Unseen = z.output<typeof Unseen>

function notShown({ event }: Create): Failure {
  const why =
    'it was subscribed, and the platform does not show it in its list, or in another form: not subscribed again. Look whether its events arrive; if not, subscribe it at the platform'
  return { doing: null, kind: event, why }
}

/** An unreadable list shows none. */
async function unseenOf(
  made: readonly Create[],
  { list }: Pick<Platform['webhooks'], 'list'>,
  signal: AbortSignal,
): Promise<Unseen> {
  if (made.length === 0) return []
  const rows = await list(signal).then(
    (listed) => listed.rows,
    () => [],
  )
  signal.throwIfAborted()
  const isShown = ({ event, url }: Create) =>
    rows.some((row) => row.event === event && URL.parse(row.url)?.href === URL.parse(url)?.href)
  return made.filter((one) => !isShown(one)).map(digestOfCreate)
}

function digestOfCreate({ event, url, storeId }: Create): string {
  return digestOf([event, url, storeId ?? null])
}
