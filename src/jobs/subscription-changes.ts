import { field, text } from '../domain/field.ts'
import type { Unreadable } from '../platform/listed.ts'
import type { Platform, Subscription } from '../platform/platform.ts'
import { type Callback, callbackUrl, readCallback } from './callback-url.ts'

/** What brings the platform's subscriptions to what config wants. */
export interface Changes {
  create: { event: string; url: string }[]
  /** `replaces`: ours for the same kind that are one too many, to be deleted once this one stands. */
  keep: { subscription: Subscription; update: Subscription | null; replaces: Subscription[] }[]
  /** Of kinds that config does not want any more. */
  remove: Subscription[]
  /** Ours, of kinds that are not wanted and were not taken out of config knowingly. */
  left: Subscription[]
  /** Kinds that were subscribed before, and of which none can be read now: one may be there. */
  doubtful: string[]
}

interface Kinds {
  /** Those that are wanted. */
  kinds: readonly string[]
  /** Those that were wanted before and are not any more. */
  dropped: readonly string[]
  /** Those of which a subscription may be there that could not be read: they are not subscribed once more. */
  doubtful: readonly string[]
}

/** Decides what to change. What others subscribed is not in the result. */
export function subscriptionChanges(
  listed: readonly Subscription[],
  { kinds, dropped, doubtful }: Kinds,
  callback: Callback,
): Changes {
  const ours = Map.groupBy(
    listed.filter(({ url }) => readCallback(url, callback.publicUrl) !== null),
    ({ event }) => event,
  )
  const changes: Changes = { create: [], keep: [], remove: [], left: [], doubtful: [] }
  for (const kind of kinds) {
    const url = callbackUrl(callback, kind)
    const [best, ...others] = (ours.get(kind) ?? []).toSorted((a, b) => fitOf(b, url) - fitOf(a, url))
    if (!best && doubtful.includes(kind)) changes.doubtful.push(kind)
    else if (!best) changes.create.push({ event: kind, url })
    else {
      // Limited to one store, it would miss the events of all the others.
      const update = fits(best, url) ? null : { ...best, url, storeId: null }
      changes.keep.push({ subscription: best, update, replaces: others })
    }
  }
  for (const [kind, subscriptions] of ours) {
    if (kinds.includes(kind)) continue
    const to = dropped.includes(kind) ? changes.remove : changes.left
    to.push(...subscriptions)
  }
  return changes
}

/**
 * The kinds of which ours may be among the subscriptions that could not be read, so that another one would be one too many. One
 * without URL (null, as the public API says it may be) sends nowhere; one with somebody else's is somebody else's.
 */
export function doubtfulKinds(
  aside: readonly Pick<Unreadable, 'record'>[],
  before: readonly string[],
  { publicUrl }: Pick<Callback, 'publicUrl'>,
): string[] {
  const kinds = aside.flatMap(({ record }) => {
    const url = field(record, 'url')
    const callback = typeof url === 'string' ? readCallback(url, publicUrl) : null
    if (url !== undefined && callback === null) return []
    const kind = text(record, 'event') ?? callback?.kind
    return kind === undefined ? before : [kind]
  })
  return [...new Set(kinds)]
}

function fits(subscription: Subscription, url: string): boolean {
  return subscription.storeId === null && URL.parse(subscription.url)?.href === url
}

/** Of several, the one that needs no change is kept, else one that is not limited to a store. */
function fitOf(subscription: Subscription, url: string): number {
  return fits(subscription, url) ? 2 : subscription.storeId === null ? 1 : 0
}

/** Makes one change (`create SaleCreated`); false: it could not be made, and that is noted. */
export type Attempt = (what: string, change: () => Promise<void>) => Promise<boolean>

/** Makes the changes one by one; gives back what was done, in words. */
export async function applyChanges(changes: Changes, webhooks: Webhooks, attempt: Attempt): Promise<string[]> {
  const counts = { created: 0, updated: 0, 'duplicates deleted': 0, unsubscribed: 0, 'as they should be': 0 }
  for (const one of changes.create)
    if (await attempt(`create ${one.event}`, () => webhooks.create(one))) counts.created += 1
  for (const { subscription, update, replaces } of changes.keep) {
    const { event } = subscription
    if (update === null) counts['as they should be'] += 1
    else if (await attempt(`update ${event}`, () => webhooks.update(update))) counts.updated += 1
    // One of the others may be the only one that still works.
    else continue
    for (const { id } of replaces)
      if (await attempt(`delete a duplicate of ${event}`, () => webhooks.delete(id))) counts['duplicates deleted'] += 1
  }
  for (const { id, event } of changes.remove)
    if (await attempt(`delete ${event}`, () => webhooks.delete(id))) counts.unsubscribed += 1
  const done = Object.entries(counts).filter(([, count]) => count > 0)
  return done.length === 0 ? ['nothing changed'] : done.map(([what, count]) => `${count} ${what}`)
}

type Webhooks = Pick<Platform['webhooks'], 'create' | 'update' | 'delete'>
