import { z } from 'zod'
import { digestOf } from '../../domain/values/digest.ts'
import type { Subscription } from '../../platform/platform.ts'
import { type Callback, readCallback } from './callback-url.ts'
import type { Changes } from './subscription-changes.ts'

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
