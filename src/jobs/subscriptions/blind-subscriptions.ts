import { digestOf } from '../../domain/values/digest.ts'
import { UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Callback, callbackUrl } from './callback-url.ts'
import type { Failure } from './subscription-faults.ts'

/** Subscriptions that the hub made, by kind: a digest of the URL, since that holds the token; not `sure`: nobody knows whether it stands. */
export type Made = Readonly<Record<string, { url: string; sure: boolean }>>

interface Blind {
  wanted: Callback
  kinds: readonly string[]
  /** The subscriptions that were made before. */
  made: Made
  webhooks: Pick<Platform['webhooks'], 'create'>
  signal: AbortSignal
  /** Keeps what is made from now on, before the next step. */
  keep(made: Made): Promise<void>
}

/**
 * Subscribes where the platform shows no list of subscriptions (spec, Webhooks: only how one is made is shown). Each kind is asked for
 * once, and what was asked for is kept before it is: two would send everything twice, and none could be taken down. Gives what was
 * done, in words, and what a person has to see to. Throws what creating throws where nothing was created.
 */
export async function subscribeBlindly({ wanted, kinds, made, webhooks, signal, keep }: Blind) {
  const now: Record<string, Made[string]> = { ...made }
  const kept = () => keep({ ...now })
  const faults: Failure[] = []
  let created = 0
  for (const kind of kinds) {
    signal.throwIfAborted()
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
      await webhooks.create({ event: kind, url }, signal)
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
  const stands = kinds.filter((kind) => made[kind] !== undefined && now[kind]?.sure).length
  const done = [
    ...(created > 0 ? [`${created} created`] : []),
    ...(stands > 0 ? [`${stands} subscribed before`] : []),
    ...(unsure.length > 0 ? [`not known whether they are subscribed: ${unsure.join(', ')}`] : []),
    'the platform shows no list of subscriptions',
  ]
  return { done, faults, unsure, made: now }
}
