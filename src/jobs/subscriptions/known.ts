import { z } from 'zod'
import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { digestOf } from '../../domain/values/text.ts'
import { listIfThere } from '../../platform/areas/webhooks/webhooks.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { keptState } from '../engine/job.ts'
import { type Callback, type Changes, readCallback } from './decide.ts'

export interface OwnSubscription {
  webhookId: string
  kind: string
  name: string | null
  storeId: string | null
}

/** By the ids answered on creation. */
export const Known = z
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
export async function knownSubscriptions(store: Pick<Store, 'jobs'>, given: GivenIds): Promise<OwnSubscription[]> {
  const made = z.object({ known: Known }).safeParse(await keptState(store, 'subscriptions')).data?.known ?? []
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

export interface OursFound {
  ours: OwnSubscription[]
  /** Foreign ones, too. */
  listed: ReadonlySet<string>
  aside: number
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
