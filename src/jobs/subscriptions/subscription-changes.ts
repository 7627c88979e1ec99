import { isNotThere } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import type { Unreadable } from '../../platform/http/listed.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import { type Callback, callbackUrl, readCallback } from './callback-url.ts'

/** The changes that bring the platform's subscriptions to what config wants. */
export interface Changes {
  create: { event: string; url: string; storeId?: string }[]
  /** `replaces`: ours for the same kind that are one too many, to be deleted once this one stands. */
  keep: { subscription: Subscription; update: Subscription | null; replaces: Subscription[] }[]
  /** Subscriptions of kinds that config does not want any more. */
  remove: Subscription[]
  /** Ours, of kinds that are not wanted and were not taken out of config knowingly. */
  left: Subscription[]
  /** Kinds that were subscribed before, and of which none can be read now: one may be there. */
  doubtful: string[]
  /** Kinds of which ours are limited to stores, though config says nothing of that: they are left so. */
  limited: string[]
}

interface Kinds {
  /** The kinds that are wanted. */
  kinds: readonly string[]
  /** The kinds that were wanted before and are not any more. */
  dropped: readonly string[]
  /** Kinds whose subscription may be there but could not be read: they are not subscribed once more. */
  doubtful: readonly string[]
  stores?: SubscribedStores
}

/**
 * For which stores each kind is subscribed. `all`: one subscription without a limit. Ids of the platform: one for each store, and none
 * without. Undefined: one without a limit, but a limit that somebody set by hand stays (spec, Events 9: how it is set is not shown).
 */
export type SubscribedStores = 'all' | readonly string[] | undefined

/** Decides what to change. What others subscribed is not in the result. */
export function subscriptionChanges(
  listed: readonly Subscription[],
  { kinds, dropped, doubtful, stores = undefined }: Kinds,
  callback: Callback,
): Changes {
  const ours = Map.groupBy(
    listed.filter(({ url }) => readCallback(url, callback.publicUrl) !== null),
    ({ event }) => event,
  )
  const changes: Changes = { create: [], keep: [], remove: [], left: [], doubtful: [], limited: [] }
  for (const kind of kinds) {
    const own = ours.get(kind) ?? []
    if (own.length === 0 && doubtful.includes(kind)) changes.doubtful.push(kind)
    else if (Array.isArray(stores)) ofStores(kind, own, stores, callback, changes)
    else if (stores === undefined && own.length > 0 && own.every(({ storeId }) => storeId !== null))
      limitedByHand(kind, own, callback, changes)
    else oneOf(kind, own, { ...callback, storeId: null }, changes)
  }
  for (const [kind, subscriptions] of ours) {
    if (kinds.includes(kind)) continue
    const to = dropped.includes(kind) ? changes.remove : changes.left
    to.push(...subscriptions)
  }
  return changes
}

type Target = Callback & { storeId: string | null }

/** One of these as it is to be, the others go; without any, it is made. */
function oneOf(kind: string, own: readonly Subscription[], target: Target, changes: Changes): void {
  const { storeId } = target
  const url = callbackUrl(target, kind)
  const [best, ...others] = own.toSorted((a, b) => fitOf(b, url, storeId) - fitOf(a, url, storeId))
  if (!best) changes.create.push({ event: kind, url, ...(storeId !== null && { storeId }) })
  else {
    const update = fits(best, url, storeId) ? null : { ...best, url, storeId }
    changes.keep.push({ subscription: best, update, replaces: others })
  }
}

/** One for each store; what is left over (without a limit, of another store) makes place for one, or goes with the last. */
function ofStores(
  kind: string,
  own: readonly Subscription[],
  stores: readonly string[],
  callback: Callback,
  changes: Changes,
) {
  const spare = own.filter(({ storeId }) => storeId === null || !stores.includes(storeId))
  for (const [index, storeId] of stores.entries()) {
    const ofStore = own.filter((one) => one.storeId === storeId)
    const known = ofStore.length > 0 ? ofStore : spare.splice(0, 1)
    const rest = index === stores.length - 1 ? spare.splice(0) : []
    oneOf(kind, [...known, ...(known.length > 0 ? rest : [])], { ...callback, subscription: storeId, storeId }, changes)
  }
}

/** Subscriptions that somebody limited: their URLs are put right; that they lack the other stores is for people to know. */
function limitedByHand(kind: string, own: readonly Subscription[], callback: Callback, changes: Changes): void {
  changes.limited.push(kind)
  for (const [storeId, same] of Map.groupBy(own, (one) => one.storeId))
    oneOf(kind, same, { ...callback, storeId }, changes)
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

function fits(subscription: Subscription, url: string, storeId: string | null): boolean {
  return subscription.storeId === storeId && URL.parse(subscription.url)?.href === url
}

/** How well a subscription fits. Of several, the one that needs no change is kept, else one whose limit is right. */
function fitOf(subscription: Subscription, url: string, storeId: string | null): number {
  return fits(subscription, url, storeId) ? 2 : subscription.storeId === storeId ? 1 : 0
}

/** A subscription that was made. `webhookId`: as the platform answered it; null: it answered none. */
export type Created = Changes['create'][number] & { webhookId: string | null }

/** The deed that is done with a subscription. */
export type Doing = 'create' | 'update' | 'delete a duplicate of' | 'delete'

/** Makes one change of a kind's subscription; false: it could not be made, and that is noted. */
export type Attempt = (doing: Doing, kind: string, change: () => Promise<void>) => Promise<boolean>

/** Makes the changes one by one; gives back what was done, in words, and what was made. */
export async function applyChanges(
  changes: Changes,
  webhooks: Webhooks,
  attempt: Attempt,
): Promise<{ done: string[]; created: Created[] }> {
  const created: Created[] = []
  const counts = { updated: 0, 'duplicates deleted': 0, unsubscribed: 0, 'as they should be': 0 }
  for (const one of changes.create)
    await attempt('create', one.event, async () => {
      created.push({ ...one, webhookId: await webhooks.create(one) })
    })
  for (const { subscription, update, replaces } of changes.keep) {
    const { event } = subscription
    if (update === null) counts['as they should be'] += 1
    else if (await attempt('update', event, () => move(webhooks, update))) counts.updated += 1
    // One of the others may be the only one that still works.
    else continue
    for (const { id } of replaces)
      if (await attempt('delete a duplicate of', event, () => webhooks.delete(id))) counts['duplicates deleted'] += 1
  }
  for (const { id, event } of changes.remove)
    if (await attempt('delete', event, () => webhooks.delete(id))) counts.unsubscribed += 1
  const counted = Object.entries({ created: created.length, ...counts }).filter(([, count]) => count > 0)
  const done = counted.map(([what, count]) => `${count} ${what}`)
  return { done: done.length === 0 ? ['nothing changed'] : done, created }
}

/**
 * Puts a subscription in its new place. Where the platform changes none, a new one is made before the old one goes: at no moment
 * nothing is subscribed.
 */
async function move(webhooks: Webhooks, update: Parameters<Webhooks['update']>[0]): Promise<void> {
  try {
    await webhooks.update(update)
  } catch (error) {
    if (!isNotThere(error)) throw error
    const { id, event, url, storeId } = update
    await webhooks.create({ event, url, ...(storeId && { storeId }) })
    await webhooks.delete(id)
  }
}

type Webhooks = Pick<Platform['webhooks'], 'create' | 'update' | 'delete'>
