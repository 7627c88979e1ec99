import { z } from 'zod'
import { type IndexedStore, presentOf, storesNumbered } from '../../domain/stores/store-index.ts'
import { isNotFound, PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import { countTexts, digestOf, unescaped } from '../../domain/values/text.ts'
import { type Listed, rejectedText, type Unreadable } from '../../platform/http/read.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import { type ListSource, listIfThere } from '../../platform/resources/webhooks.ts'
import type { Storage } from '../../storage/storage.ts'
import { readJobState } from '../engine/job.ts'

export interface Callback {
  publicUrl: string
  subscription: string
  token: string
}

/** `{publicUrl}/webhooks/{kind}/{subscription}?token={token}` */
export function callbackUrl({ publicUrl, subscription, token }: Callback, kind: string): string {
  const url = new URL(publicUrl)
  const path = [...partsOf(url), 'webhooks', kind, subscription]
  url.pathname = path.map(encodeURIComponent).join('/')
  url.search = new URLSearchParams({ token }).toString()
  url.hash = ''
  return url.href
}

/** Reads a URL as one of ours; null: another's. Parsed parts are compared, so that `https://hub.example.com.evil.org` is another's. */
export function readCallback(
  url: string,
  publicUrl: string,
): { kind: string; subscription: string | null; token: string | null } | null {
  const found = URL.parse(url)
  const base = new URL(publicUrl)
  if (found === null || found.origin !== base.origin) return null
  const path = partsOf(found)
  const begin = [...partsOf(base), 'webhooks']
  if (path.length === begin.length || begin.some((part, index) => path[index] !== part)) return null
  const [kind = '', subscription = null] = path.slice(begin.length)
  return { kind, subscription, token: found.searchParams.get('token') }
}

function partsOf({ pathname }: URL): string[] {
  const parts = pathname.split('/').filter((part) => part !== '')
  return parts.map(unescaped)
}

export interface Changes {
  create: { event: string; url: string; storeId?: string }[]
  /** `replaces`: duplicates, deleted once this one stands. */
  keep: { subscription: Subscription; update: Subscription | null; replaces: Subscription[] }[]
  remove: Subscription[]
  /** Of kinds that config never wanted. */
  left: Subscription[]
  doubtful: string[]
  limited: string[]
}

interface Kinds {
  kinds: readonly string[]
  dropped: readonly string[]
  doubtful: readonly string[]
  stores: StoresWanted
}

/**
 * `all`: one without a limit. Otherwise one for each store: named by number or country in config, by id at the platform. Undefined: one
 * without a limit, but a limit set by hand stays (spec, Events 9: how it is set is not shown).
 */
type StoresWanted = 'all' | readonly string[] | undefined

/** Foreign subscriptions are not in the result. */
function subscriptionChanges(
  listed: readonly Subscription[],
  { kinds, dropped, doubtful, stores }: Kinds,
  callback: Callback,
): Changes {
  const own = listed.filter(({ url }) => readCallback(url, callback.publicUrl) !== null)
  const ours = Map.groupBy(own, ({ event }) => event)
  const changes: Changes = { create: [], keep: [], remove: [], left: [], doubtful: [], limited: [] }
  for (const kind of kinds) {
    const own = ours.get(kind) ?? []
    if (own.length === 0 && doubtful.includes(kind)) changes.doubtful.push(kind)
    else if (stores !== undefined && stores !== 'all') ofStores(kind, own, stores, callback, changes)
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

/** Spare ones (no limit, another store) are reused, else deleted. */
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

/** Only URLs are corrected. */
function limitedByHand(kind: string, own: readonly Subscription[], callback: Callback, changes: Changes): void {
  changes.limited.push(kind)
  for (const [storeId, same] of Map.groupBy(own, (one) => one.storeId))
    oneOf(kind, same, { ...callback, storeId }, changes)
}

/** Kinds that may be among the unreadable rows: not those without a URL, or with a foreign one. */
function doubtfulKinds(
  rejected: readonly Pick<Unreadable, 'record'>[],
  before: readonly string[],
  { publicUrl }: Pick<Callback, 'publicUrl'>,
): string[] {
  const kinds = rejected.flatMap(({ record }) => {
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

function fitOf(subscription: Subscription, url: string, storeId: string | null): number {
  return fits(subscription, url, storeId) ? 2 : subscription.storeId === storeId ? 1 : 0
}

export type Created = Changes['create'][number] & { webhookId: string | null }

export type Operation = 'create' | 'update' | 'delete a duplicate of' | 'delete'

export type Attempt = (doing: Operation, kind: string, change: () => Promise<void>) => Promise<boolean>

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
    // One of the duplicates may be the only one that works.
    else continue
    for (const { id } of replaces)
      if (await attempt('delete a duplicate of', event, () => webhooks.delete(id))) counts['duplicates deleted'] += 1
  }
  for (const { id, event } of changes.remove)
    if (await attempt('delete', event, () => webhooks.delete(id))) counts.unsubscribed += 1
  const done = countTexts({ created: created.length, ...counts })
  return { done: done.length === 0 ? ['nothing changed'] : done, created }
}

/** Without an update endpoint a new one is made before the old one goes. */
async function move(webhooks: Webhooks, update: Parameters<Webhooks['update']>[0]): Promise<void> {
  try {
    await webhooks.update(update)
  } catch (error) {
    if (!isNotFound(error)) throw error
    const { id, event, url, storeId } = update
    await webhooks.create({ event, url, ...(storeId && { storeId }) })
    await webhooks.delete(id)
  }
}

type Webhooks = Pick<Platform['webhooks'], 'create' | 'update' | 'delete'>

export interface DesiredSubscriptions extends ListSource {
  /** `all`: whatever the platform offers. */
  wanted: Callback & { kinds: 'all' | readonly string[]; stores?: StoresWanted }
  known?(): Promise<readonly IndexedStore[]>
}

export interface SubscriptionPlan {
  kinds: string[]
  /** Wanted, but not offered. */
  strange: string[]
  dropped: string[]
  remembered: string[]
  /** Null: the platform has no list. */
  found: { listed: Listed<Subscription>; changes: Changes } | null
}

/** Compares the platform with config. Throws a RetryLaterError if the platform names no kinds, or config an unknown store. */
export async function planSubscriptions(
  wishes: DesiredSubscriptions,
  before: readonly string[],
  signal?: AbortSignal,
): Promise<SubscriptionPlan> {
  const { platform, wanted, known } = wishes
  let why: string | null = null
  const [listed, offered] = await Promise.all([
    listIfThere(wishes, signal),
    platform.webhooks.types(signal).catch((error: unknown): Listed<string> => {
      if (!(error instanceof PermanentError)) throw error
      why = error.message
      return { rows: [], rejected: [] }
    }),
  ])
  why ??= rejectedText(offered.rejected)
  const types = offered.rows
  if (types.length === 0 && wanted.kinds === 'all')
    throw new RetryLaterError(
      `the platform names no kinds (WebhooksTypes${why === null ? '' : `: ${why}`}); nothing was changed. Name them in platform.webhooks.kinds`,
      { code: 'no-kinds' },
    )
  const all = [...new Set(wanted.kinds === 'all' ? types : wanted.kinds)]
  const isSure = offered.rejected.length === 0 && types.length > 0
  const strange = isSure ? all.filter((kind) => !types.includes(kind)) : []
  const kinds = all.filter((kind) => !strange.includes(kind))
  // A missing kind may be misspelt: remove nothing meanwhile.
  const knowingly = wanted.kinds !== 'all' && isSure && strange.length === 0
  const dropped = before.filter((kind) => !all.includes(kind))
  const remembered = isSure ? kinds : [...new Set([...kinds, ...before])]
  if (listed === null) return { kinds, strange, dropped, remembered, found: null }
  const doubtful = doubtfulKinds(listed.rejected, before, wanted)
  const stores = wantedStores(wanted.stores, (await known?.()) ?? [])
  const which = { kinds, dropped: knowingly ? dropped : [], doubtful, stores }
  const changes = subscriptionChanges(listed.rows, which, wanted)
  return { kinds, strange, dropped, remembered, found: { listed, changes } }
}

/** Throws a RetryLaterError for an unknown store. */
function wantedStores(wanted: StoresWanted, known: readonly IndexedStore[]): StoresWanted {
  if (wanted === undefined || wanted === 'all') return wanted
  const present = presentOf(known)
  const ids = wanted.map((entry) => {
    const isCountry = /^[a-z]{2}$/i.test(entry.trim())
    if (!isCountry) return storesNumbered(present, entry)
    return present.filter(({ countryCode }) => countryCode === entry.trim().toUpperCase())
  })
  const strange = wanted.filter((_, index) => ids[index]?.length === 0)
  const message = `platform.webhooks.stores: no store ${strange.join(', ')} is known; nothing was changed`
  if (strange.length > 0) throw new RetryLaterError(message, { code: 'no-such-store' })
  return [...new Set(ids.flat().map(({ storeId }) => storeId))]
}

export type IsWanted = (kind: string, storeId: string | null) => boolean

interface Wanted {
  kinds: 'all' | readonly string[]
  /** Empty: not asked yet. */
  offered(): Promise<readonly string[]>
  stores: StoresWanted
  known(): Promise<readonly IndexedStore[]>
}

/** What is not known yet may be wanted. */
export async function readWanted({ kinds, offered, stores, known }: Wanted): Promise<IsWanted> {
  const ids = wantedIds(stores, await known())
  const those = kinds === 'all' ? await offered() : kinds
  const isUnknown = kinds === 'all' && those.length === 0
  return (kind, storeId) => {
    if (!isUnknown && !those.includes(kind)) return false
    return ids === null || (storeId !== null && ids.includes(storeId))
  }
}

export function wantedIds(stores: StoresWanted, known: readonly IndexedStore[]): readonly string[] | null {
  try {
    const ids = wantedStores(stores, known)
    return ids === undefined || ids === 'all' ? null : ids
  } catch (error) {
    if (error instanceof RetryLaterError) return null
    throw error
  }
}

export interface OwnSubscription {
  webhookId: string
  kind: string
  name: string | null
  storeId: string | null
}

/** By the ids answered on creation. */
export const StoredSubscriptions = z
  .array(
    z.object({ webhookId: z.string(), kind: z.string(), name: z.string().nullable(), storeId: z.string().nullable() }),
  )
  .default([])

export type GivenIds = Readonly<Record<string, string | readonly string[]>>

export function givenSubscriptions(ids: GivenIds): OwnSubscription[] {
  return Object.entries(ids).flatMap(([kind, some]) =>
    [some].flat().map((webhookId) => ({ webhookId, kind, name: null, storeId: null })),
  )
}

/** Created by the hub, or named by config. */
export async function knownSubscriptions(storage: Pick<Storage, 'jobs'>, given: GivenIds): Promise<OwnSubscription[]> {
  const made =
    z.object({ known: StoredSubscriptions }).safeParse(await readJobState(storage, 'subscriptions')).data?.known ?? []
  const ids = new Set(made.map(({ webhookId }) => webhookId))
  return [...made, ...givenSubscriptions(given).filter(({ webhookId }) => !ids.has(webhookId))]
}

export interface WithoutList {
  isListProven(): Promise<boolean>
  known(): Promise<readonly OwnSubscription[]>
}

const LIST_ALONE: WithoutList = { isListProven: async () => true, known: async () => [] }

export interface OwnSources {
  platform: Pick<Platform, 'webhooks'>
  publicUrl: string
  withoutList?: WithoutList | undefined
}

export interface OwnSubscriptionList {
  ours: OwnSubscription[]
  /** Foreign ones, too. */
  listed: ReadonlySet<string>
  rejected: number
  /** Complete: what is not on it is deleted. */
  isListed: boolean
}

/**
 * Subscriptions with a URL of ours; without a complete list, also those with known ids. Throws a RetryLaterError if the list is empty and
 * had ours (`had`), and a PermanentError if there is neither list nor id.
 */
export async function listOurs(
  { platform, publicUrl, withoutList: { isListProven, known } = LIST_ALONE }: OwnSources,
  signal: AbortSignal,
  had: boolean,
): Promise<OwnSubscriptionList> {
  const listed = await listIfThere({ platform, isListProven }, signal)
  if (listed === null) {
    const ours = [...(await known())]
    if (ours.length === 0) throw new PermanentError(NO_IDS, { code: 'no-subscription-ids' })
    return { ours, listed: new Set(), rejected: 0, isListed: false }
  }
  const { rows, rejected } = listed
  if (had && rows.length === 0 && rejected.length === 0)
    throw new RetryLaterError('the platform lists no subscription at all, and had ours', { code: 'no-subscriptions' })
  const ours = rows.flatMap(({ id, url, storeId }) => {
    const callback = readCallback(url, publicUrl)
    return callback === null ? [] : [{ webhookId: id, kind: callback.kind, name: callback.subscription, storeId }]
  })
  const ids = new Set(rows.map(({ id }) => id))
  const unread = rejected.length === 0 ? [] : (await known()).filter(({ webhookId }) => !ids.has(webhookId))
  return { ours: [...ours, ...unread], listed: ids, rejected: rejected.length, isListed: rejected.length === 0 }
}

const NO_IDS =
  'the platform shows no list of subscriptions, and answered no id when they were made: name them in platform.webhooks.ids, and lost events are taken from the event log'

/** As the last run left them; a digest, since the address holds the token. */
export const Left = z.record(z.string(), z.object({ kind: z.string(), digest: z.string() })).default({})

type Left = z.output<typeof Left>

export function leftBy({ keep }: Changes, { publicUrl }: Pick<Callback, 'publicUrl'>): Left {
  const ours = keep.map(({ subscription, update }) => update ?? subscription)
  return Object.fromEntries(
    ours
      .filter(({ url }) => readCallback(url, publicUrl) !== null)
      .map((one) => [one.id, { kind: one.event, digest: digestIn(one) }]),
  )
}

export function driftedKinds(left: Left, listed: readonly Subscription[]): string[] {
  const kinds = Object.entries(left).flatMap(([id, { kind, digest }]) => {
    const now = listed.find((one) => one.id === id)
    return now !== undefined && digestIn(now) === digest ? [] : [kind]
  })
  return [...new Set(kinds)]
}

function digestIn({ url, storeId }: Subscription): string {
  return digestOf([URL.parse(url)?.href ?? url, storeId])
}
