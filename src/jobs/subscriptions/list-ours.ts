import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { listIfThere } from '../../platform/areas/webhooks/list-if-there.ts'
import type { Platform } from '../../platform/platform.ts'
import { readCallback } from './callback-url.ts'
import type { OwnSubscription } from './known-subscriptions.ts'

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
    return { ours, aside: 0, isListed: false }
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
  return { ours: [...ours, ...unread], aside: aside.length, isListed: aside.length === 0 }
}

const NO_IDS =
  'the platform shows no list of subscriptions, and answered no id when they were made: name them in platform.webhooks.ids, and lost events are taken from the event log'
