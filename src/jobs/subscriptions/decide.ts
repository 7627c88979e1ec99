import { type KnownStore, numberKey, presentOf } from '../../domain/places/store-index.ts'
import { isNotThere, PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import { type ListSource, listIfThere } from '../../platform/areas/webhooks/list-if-there.ts'
import { asideText, type Listed, type Unreadable } from '../../platform/http/listed.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'

/** The parts of the callback URLs of one hub. */
export interface Callback {
  /** Where the platform reaches the hub; it may have a path of its own. */
  publicUrl: string
  /** The hub's own name for the subscription: the last part of the path. */
  subscription: string
  token: string
}

/** The URL that the platform is to send a kind to: `{publicUrl}/webhooks/{kind}/{subscription}?token={token}`. */
export function callbackUrl({ publicUrl, subscription, token }: Callback, kind: string): string {
  const url = new URL(publicUrl)
  const path = [...partsOf(url), 'webhooks', kind, subscription]
  url.pathname = path.map(encodeURIComponent).join('/')
  url.search = new URLSearchParams({ token }).toString()
  url.hash = ''
  return url.href
}

/** A callback URL of this hub, taken apart. */
interface OwnCallback {
  kind: string
  subscription: string | null
  token: string | null
}

/**
 * Reads a subscription's URL as one of ours: same scheme, host and port as publicUrl, and its path goes on with
 * `/webhooks/`. Null: somebody else's. The parts are compared, so `HTTPS://Hub.example.com:443` is the same place, and
 * `https://hub.example.com.evil.org` is another.
 */
export function readCallback(url: string, publicUrl: string): OwnCallback | null {
  const found = URL.parse(url)
  const base = new URL(publicUrl)
  if (found === null || found.origin !== base.origin) return null
  const path = partsOf(found)
  const begin = [...partsOf(base), 'webhooks']
  if (path.length === begin.length || begin.some((part, index) => path[index] !== part)) return null
  const [kind = '', subscription = null] = path.slice(begin.length)
  return { kind, subscription, token: found.searchParams.get('token') }
}

/** The parts of the path, decoded; a slash at the end, or one too many, says nothing. */
function partsOf({ pathname }: URL): string[] {
  return pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decode)
}

/** Somebody else's URL may hold a `%` that encodes nothing. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

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
type SubscribedStores = 'all' | readonly string[] | undefined

/** Decides what to change. What others subscribed is not in the result. */
function subscriptionChanges(
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
function doubtfulKinds(
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

/** As config names them: numbers, or countries such as NO. */
type StoresWanted = 'all' | readonly string[] | undefined

/** Whom to ask, and what config wants. */
export interface SubscriptionWishes extends ListSource {
  /** The callback to subscribe with, and the kinds; `all`: whatever the platform offers, unknown new ones too. */
  wanted: Callback & { kinds: 'all' | readonly string[]; stores?: StoresWanted }
  /** The platform's stores, as far as they are known: config names them by number or country. */
  known?(): Promise<readonly KnownStore[]>
}

/** The result of holding config against what the platform has. */
export interface Decided {
  /** Wanted kinds that the platform offers. */
  kinds: string[]
  /** Wanted kinds that it does not, where all that it offers could be read. */
  strange: string[]
  /** Kinds that were wanted before, and are not any more. */
  dropped: string[]
  /** Kinds to remember: those that were subscribed before may be among the ones that cannot be read. */
  remembered: string[]
  /** Null: the platform shows no list of subscriptions, as far as anybody knows. */
  found: { listed: Listed<Subscription>; changes: Changes } | null
}

/**
 * Reads what is subscribed, and decides what to change; changes nothing. `before`: the kinds that were subscribed last time. Throws a
 * RetryLaterError where the platform names no kinds, or config a store that is not known.
 */
export async function decide(
  wishes: SubscriptionWishes,
  before: readonly string[],
  signal?: AbortSignal,
): Promise<Decided> {
  const { platform, wanted, known } = wishes
  const [listed, offered] = await Promise.all([listIfThere(wishes, signal), typesOffered(platform, signal)])
  const types = offered.rows
  if (types.length === 0 && wanted.kinds === 'all')
    throw new RetryLaterError(
      `the platform names no kinds (WebhooksTypes${offered.why === null ? '' : `: ${offered.why}`}); nothing was changed. Name them in platform.webhooks.kinds`,
      { code: 'no-kinds' },
    )
  const all = [...new Set(wanted.kinds === 'all' ? types : wanted.kinds)]
  // A kind that is not offered may be among those that could not be read, and then config's word is taken.
  const isSure = offered.aside.length === 0 && types.length > 0
  const strange = isSure ? all.filter((kind) => !types.includes(kind)) : []
  const kinds = all.filter((kind) => !strange.includes(kind))
  // A kind that is missing may be misspelt: nothing is taken down while the list names one that does not exist.
  const knowingly = wanted.kinds !== 'all' && isSure && strange.length === 0
  const dropped = before.filter((kind) => !all.includes(kind))
  const remembered = isSure ? kinds : [...new Set([...kinds, ...before])]
  if (listed === null) return { kinds, strange, dropped, remembered, found: null }
  const changes = subscriptionChanges(
    listed.rows,
    {
      kinds,
      dropped: knowingly ? dropped : [],
      doubtful: doubtfulKinds(listed.aside, before, wanted),
      stores: wantedStores(wanted.stores, (await known?.()) ?? []),
    },
    wanted,
  )
  return { kinds, strange, dropped, remembered, found: { listed, changes } }
}

/** The kinds that the platform names. `why`: what keeps them from being read; null: they could be. */
async function typesOffered(
  { webhooks }: SubscriptionWishes['platform'],
  signal?: AbortSignal,
): Promise<Listed<string> & { why: string | null }> {
  try {
    const listed = await webhooks.types(signal)
    return { ...listed, why: asideText(listed.aside) }
  } catch (error) {
    if (error instanceof PermanentError) return { rows: [], aside: [], why: error.message }
    throw error
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

/** Whether config wants a subscription to a kind for a store; null: for all of them. */
export type IsWanted = (kind: string, storeId: string | null) => boolean

interface Wanted {
  kinds: 'all' | readonly string[]
  /** The kinds that the platform offers, which `all` is; none: nobody has asked it yet. */
  offered(): Promise<readonly string[]>
  stores: StoresWanted
  known(): Promise<readonly KnownStore[]>
}

/** Reads what config wants. Of what is not known yet nothing is said: each kind, and each store, may be wanted. */
export async function readWanted({ kinds, offered, stores, known }: Wanted): Promise<IsWanted> {
  const ids = wantedIds(stores, await known())
  const those = kinds === 'all' ? await offered() : kinds
  const isUnknown = kinds === 'all' && those.length === 0
  return (kind, storeId) => {
    if (!isUnknown && !those.includes(kind)) return false
    return ids === null || (storeId !== null && ids.includes(storeId))
  }
}

/** The stores that config names, by their ids; null: it names none, or one that is not known. */
export function wantedIds(stores: StoresWanted, known: readonly KnownStore[]): readonly string[] | null {
  try {
    const ids = wantedStores(stores, known)
    return ids === undefined || ids === 'all' ? null : ids
  } catch (error) {
    if (error instanceof RetryLaterError) return null
    throw error
  }
}
