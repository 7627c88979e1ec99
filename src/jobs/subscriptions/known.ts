import { z } from 'zod'
import { digestOf } from '../../domain/values/digest.ts'
import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { listIfThere } from '../../platform/areas/webhooks/list-if-there.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { keptState } from '../engine/job.ts'
import { type Callback, type Changes, readCallback } from './decide.ts'

/** A subscription that sends to this hub. */
export interface OwnSubscription {
  webhookId: string
  kind: string
  /** The hub's name for it; null: the URL has none, or it was made by hand. */
  name: string | null
  storeId: string | null
}

/** Subscriptions of ours by the ids that the platform answered when they were made: where it shows no list, nothing else tells them. */
export const Known = z
  .array(
    z.object({ webhookId: z.string(), kind: z.string(), name: z.string().nullable(), storeId: z.string().nullable() }),
  )
  .default([])

/** The ids of subscriptions that config names, by kind. */
export type GivenIds = Readonly<Record<string, string | readonly string[]>>

/** The subscriptions that config names; where the platform shows no list, these are there already. */
export function givenSubscriptions(ids: GivenIds): OwnSubscription[] {
  return Object.entries(ids).flatMap(([kind, some]) =>
    [some].flat().map((webhookId) => ({ webhookId, kind, name: null, storeId: null })),
  )
}

/** The subscriptions of ours that are known without a list: those that the hub made, and those that config names. */
export async function knownSubscriptions(store: Pick<Store, 'jobs'>, given: GivenIds): Promise<OwnSubscription[]> {
  const made = z.object({ known: Known }).safeParse(await keptState(store, 'subscriptions')).data?.known ?? []
  const ids = new Set(made.map(({ webhookId }) => webhookId))
  return [...made, ...givenSubscriptions(given).filter(({ webhookId }) => !ids.has(webhookId))]
}

/** Where subscriptions are known from; not given: from the platform's list alone, which is there. */
export interface WithoutList {
  isListProven(): Promise<boolean>
  /** Subscriptions whose ids are known. */
  known(): Promise<readonly OwnSubscription[]>
}

const LIST_ALONE: WithoutList = { isListProven: async () => true, known: async () => [] }

export interface OwnSources {
  platform: Pick<Platform, 'webhooks'>
  /** Where the platform reaches this hub. */
  publicUrl: string
  withoutList?: WithoutList | undefined
}

export interface OursFound {
  ours: OwnSubscription[]
  /** The ids of all that the platform lists, those of others among them. */
  listed: ReadonlySet<string>
  /** How many could not be read; any of them may be ours. */
  aside: number
  /** The platform has listed all that there are: one that is not among them is gone. */
  isListed: boolean
}

/**
 * The subscriptions whose URL begins at ours. Their kind is the one in that URL, under which their webhooks come: the list may name it
 * otherwise. Where the platform shows no list, or rows of it cannot be read, those count besides whose ids are known. Throws a
 * RetryLaterError where the list is empty and ours were on it before (`had`): trouble looks like that, and what is remembered of them must
 * not go by it; and a PermanentError where there is neither a list nor an id.
 */
export async function listOurs(
  { platform, publicUrl, withoutList: { isListProven, known } = LIST_ALONE }: OwnSources,
  signal: AbortSignal,
  had: boolean,
): Promise<OursFound> {
  const listed = await listIfThere({ platform, isListProven }, signal)
  if (listed === null) {
    const ours = [...(await known())]
    if (ours.length === 0) throw new PermanentError(NO_IDS, { code: 'no-subscription-ids' })
    return { ours, listed: new Set(), aside: 0, isListed: false }
  }
  const { rows, aside } = listed
  if (had && rows.length === 0 && aside.length === 0)
    throw new RetryLaterError('the platform lists no subscription at all, and had ours', { code: 'no-subscriptions' })
  const ours = rows.flatMap(({ id, url, storeId }) => {
    const callback = readCallback(url, publicUrl)
    return callback === null ? [] : [{ webhookId: id, kind: callback.kind, name: callback.subscription, storeId }]
  })
  const ids = new Set(rows.map(({ id }) => id))
  const unread = aside.length === 0 ? [] : (await known()).filter(({ webhookId }) => !ids.has(webhookId))
  return { ours: [...ours, ...unread], listed: ids, aside: aside.length, isListed: aside.length === 0 }
}

const NO_IDS =
  'the platform shows no list of subscriptions, and answered no id when they were made: name them in platform.webhooks.ids, and lost events are taken from the event log'

/** Our subscriptions as the last run left them, by id: the kind, and a digest of address and store, since the address holds the token. */
export const Left = z.record(z.string(), z.object({ kind: z.string(), digest: z.string() })).default({})

type Left = z.output<typeof Left>

/** What a run leaves that has done all it wanted; what it created has no id that the hub knows, and is met by the next one. */
export function leftBy({ keep }: Changes, { publicUrl }: Pick<Callback, 'publicUrl'>): Left {
  const ours = keep.map(({ subscription, update }) => update ?? subscription)
  return Object.fromEntries(
    ours
      .filter(({ url }) => readCallback(url, publicUrl) !== null)
      .map((one) => [one.id, { kind: one.event, digest: digestIn(one) }]),
  )
}

/** The kinds of which ours are not as they were left. */
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
