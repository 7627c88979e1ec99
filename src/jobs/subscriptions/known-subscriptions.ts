import { z } from 'zod'
import type { Store } from '../../store/store.ts'

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
  const row = (await store.jobs()).find(({ name }) => name === 'subscriptions')
  const state: unknown = row?.state ? JSON.parse(row.state) : {}
  const made = z.object({ known: Known }).safeParse(state).data?.known ?? []
  const ids = new Set(made.map(({ webhookId }) => webhookId))
  return [...made, ...givenSubscriptions(given).filter(({ webhookId }) => !ids.has(webhookId))]
}
