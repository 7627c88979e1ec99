import { z } from 'zod'
import { digestOf } from '../../domain/values/digest.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Changes } from './decide.ts'
import type { Failure } from './subscriptions.ts'

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

/** A run that comes so much later than its turn was not merely late (milliseconds). */
const LONG = 30 * 24 * 3_600_000

/**
 * Why a run is to leave everything as it is: by this clock nobody has looked for so long that it may as well be the clock, and what
 * goes does not come back. `last`: when a run last believed the clock; `turn`: when the next one was due. Null: it may prune.
 */
export function whyUnseen(last: Instant, turn: Instant, now: Instant): string | null {
  if (now - turn <= LONG) return null
  const [before, today] = [last, now].map((at) => formatInstant(at).slice(0, 10))
  return `By this clock it is ${today}, and retention ran last on ${before}: nothing is pruned, since what goes does not come back where the clock is ahead. Look at it (timedatectl). If it is right, and the hub was off for so long, "tillbridge retention run" prunes, and the nights after it do.`
}
