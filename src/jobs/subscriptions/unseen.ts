import { z } from 'zod'
import { digestOf } from '../../domain/values/digest.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Changes } from './subscription-changes.ts'
import type { Failure } from './subscription-faults.ts'

type Create = Changes['create'][number]

/**
 * Subscriptions that were made and that the platform's list did not show: a digest of each, since its address holds the token. Such a
 * list may name kinds otherwise, or hide addresses: to make them once more, run by run, would bring each event as often.
 */
export const Unseen = z.array(z.string()).default([])

type Unseen = z.output<typeof Unseen>

/** Those that are to be made, and those that were made before and are not shown still. */
export function apartUnseen(create: readonly Create[], unseen: Unseen): { fresh: Create[]; still: Create[] } {
  const isUnseen = (one: Create) => unseen.includes(nameOf(one))
  return { fresh: create.filter((one) => !isUnseen(one)), still: create.filter(isUnseen) }
}

export function notShown({ event }: Create): Failure {
  const why =
    'it was subscribed, and the platform does not show it in its list, or in another form: not subscribed again. Look whether its events arrive; if not, subscribe it at the platform'
  return { doing: null, kind: event, why }
}

/** What the list does not show of those that were made, asked for once more; a list that cannot be read shows none. */
export async function unseenOf(
  made: readonly Create[],
  { list }: Pick<Platform['webhooks'], 'list'>,
  signal: AbortSignal,
): Promise<Unseen> {
  if (made.length === 0) return []
  const rows = await list(signal).then(
    (listed) => listed.rows,
    () => [],
  )
  signal.throwIfAborted()
  const isShown = ({ event, url }: Create) =>
    rows.some((row) => row.event === event && URL.parse(row.url)?.href === URL.parse(url)?.href)
  return made.filter((one) => !isShown(one)).map(nameOf)
}

export function nameOf({ event, url, storeId }: Create): string {
  return digestOf([event, url, storeId ?? null])
}
