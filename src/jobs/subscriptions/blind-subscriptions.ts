import { digestOf } from '../../domain/values/digest.ts'
import { UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Callback, callbackUrl } from './callback-url.ts'
import type { OwnSubscription } from './known-subscriptions.ts'
import type { Failure } from './subscription-faults.ts'

/** Subscriptions that the hub made, by kind: a digest of the URL, since that holds the token; not `sure`: nobody knows whether it stands. */
export type Made = Readonly<Record<string, { url: string; sure: boolean }>>

interface Blind {
  wanted: Callback
  kinds: readonly string[]
  /** The subscriptions that were made before. */
  made: Made
  /** The subscriptions whose ids are known, from answers to earlier runs. */
  known: readonly OwnSubscription[]
  /** Those that config names: they are there. */
  given: readonly OwnSubscription[]
  webhooks: Pick<Platform['webhooks'], 'create'>
  signal: AbortSignal
  /** Keeps what is made from now on, before the next step. */
  keep(made: Made, known: readonly OwnSubscription[]): Promise<void>
}

/**
 * Subscribes where the platform shows no list of subscriptions (spec, Webhooks: only how one is made is shown). Each kind is asked for
 * once, and what was asked for is kept before it is: two would send everything twice, and none could be taken down. The id that the
 * platform answers is kept, too: by it the event log of the subscription is read. Gives what was done, in words, and what a person has to
 * see to. Throws what creating throws where nothing was created.
 */
export async function subscribeBlindly({
  wanted,
  kinds,
  made,
  known: knownBefore,
  given,
  webhooks,
  signal,
  keep,
}: Blind) {
  const now: Record<string, Made[string]> = { ...made }
  const known = [...knownBefore]
  const kept = () => keep({ ...now }, [...known])
  const faults: Failure[] = []
  const isGiven = (kind: string) => given.some((one) => one.kind === kind)
  let created = 0
  for (const kind of kinds) {
    signal.throwIfAborted()
    if (now[kind] === undefined && isGiven(kind)) continue
    const url = callbackUrl(wanted, kind)
    const before = now[kind]
    if (before?.url === digestOf(url)) continue
    if (before !== undefined) {
      faults.push({
        doing: null,
        kind,
        why: 'it is subscribed with another address or token, and the platform shows no list by which it could be moved',
      })
      continue
    }
    now[kind] = { url: digestOf(url), sure: false }
    await kept()
    try {
      const webhookId = await webhooks.create({ event: kind, url }, signal)
      if (webhookId !== null) known.push({ webhookId, kind, name: wanted.subscription, storeId: null })
      now[kind] = { url: digestOf(url), sure: true }
      created += 1
    } catch (error) {
      // A subscription that may stand is not asked for once more: it might stand twice.
      if (!(error instanceof UnknownOutcomeError)) {
        delete now[kind]
        await kept()
        throw error
      }
    }
    await kept()
  }
  const unsure = Object.keys(now).filter((kind) => now[kind]?.sure === false)
  const stands = kinds.filter((kind) => now[kind] === undefined || (made[kind] !== undefined && now[kind].sure)).length
  const withoutId = kinds.filter((kind) => !isGiven(kind) && known.every((one) => one.kind !== kind))
  const done = [
    ...(created > 0 ? [`${created} created`] : []),
    ...(stands > 0 ? [`${stands} subscribed before`] : []),
    ...(unsure.length > 0 ? [`not known whether they are subscribed: ${unsure.join(', ')}`] : []),
    'the platform shows no list of subscriptions',
    ...(withoutId.length > 0 ? [`no id is known of: ${withoutId.join(', ')} (platform.webhooks.ids)`] : []),
  ]
  return { done, faults, unsure, withoutId, made: now, known }
}
