import { RetryLaterError } from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import { readCallback } from './callback-url.ts'

/** A subscription that sends to this hub. */
export interface OwnSubscription {
  webhookId: string
  kind: string
  /** The hub's name for it; null: the URL has none. */
  name: string | null
  storeId: string | null
}

/**
 * The subscriptions whose URL begins at ours. Their kind is the one in that URL, under which their webhooks come: the list may name it
 * otherwise. `aside`: how many could not be read; any of them may be ours. Throws a RetryLaterError where the list is empty and ours
 * were on it before (`had`): trouble looks like that, and what is remembered of them must not go by it.
 */
export async function listOurs(
  platform: Pick<Platform, 'webhooks'>,
  publicUrl: string,
  signal: AbortSignal,
  had: boolean,
): Promise<{ ours: OwnSubscription[]; aside: number }> {
  const { rows, aside } = await platform.webhooks.list(signal)
  if (had && rows.length === 0 && aside.length === 0)
    throw new RetryLaterError('the platform lists no subscription at all, and had ours', { code: 'no-subscriptions' })
  const ours = rows.flatMap(({ id, url, storeId }) => {
    const callback = readCallback(url, publicUrl)
    return callback === null ? [] : [{ webhookId: id, kind: callback.kind, name: callback.subscription, storeId }]
  })
  return { ours, aside: aside.length }
}
