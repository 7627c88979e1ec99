import { z } from 'zod'
import type { SubscriptionFault } from '../../domain/health/subscription-fault.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import type { Changes, Doing } from './subscription-changes.ts'

/** A change that could not be made. */
export interface Failure {
  /** Null: nothing could be tried. */
  doing: Doing | null
  kind: string
  why: string
}

/** The faults found before, so that each keeps the instant since when it is so. */
export interface Since {
  before: readonly SubscriptionFault[]
  now: Instant
}

/** The findings of the last run, as they are kept. */
export const Found = z
  .array(z.object({ name: z.string(), why: z.string(), since: z.number(), harmless: z.boolean() }))
  .default([])

/** The findings of the last run; none where it has not run. */
export async function keptSubscriptionFaults(store: Pick<Store, 'jobs'>): Promise<SubscriptionFault[]> {
  const row = (await store.jobs()).find(({ name }) => name === 'subscriptions')
  const state: unknown = row?.state ? JSON.parse(row.state) : {}
  return z.object({ found: Found }).safeParse(state).data?.found ?? []
}

export function notOffered(kind: string): Failure {
  return { doing: null, kind, why: 'the platform offers no such kind (platform.webhooks.kinds)' }
}

/** `create SaleCreated: it answered 500`. */
export function failureText({ doing, kind, why }: Failure): string {
  return `${doing === null ? '' : `${doing} `}${kind}: ${why}`
}

/** Kinds whose subscription nobody knows of, and those that somebody else changed. */
interface Besides {
  unsure?: readonly string[]
  drifted?: readonly string[]
}

/** The changes that failed, and what is otherwise than it might be. `subscription`: the hub's own name for its subscriptions. */
export function faultsOf(
  subscription: string,
  failed: readonly Failure[],
  { left = [], doubtful = [], limited = [], unsure = [], drifted = [] }: Partial<Changes> & Besides,
  { before, now }: Since,
): SubscriptionFault[] {
  const fault = (kind: string, why: string, harmless: boolean): SubscriptionFault => {
    const name = `${subscription} ${kind}`
    return { name, why, harmless, since: before.find((one) => one.name === name && one.why === why)?.since ?? now }
  }
  const notWanted = [...new Set(left.map(({ event }) => event))]
  return [
    ...failed.map(({ doing, kind, why }) => fault(kind, `${MEANS[doing ?? 'none']}: ${why}.`, isHarmless(doing))),
    ...drifted.map((kind) =>
      fault(
        kind,
        'Somebody else changed or removed it at the platform since the hub last looked; it was put right.',
        false,
      ),
    ),
    ...limited.map((kind) =>
      fault(kind, 'It is limited to stores, and platform.webhooks.stores does not say all: left so.', true),
    ),
    ...doubtful.map((kind) => fault(kind, 'It may be among those that cannot be read: not subscribed again.', true)),
    ...unsure.map((kind) => fault(kind, 'Nobody knows whether it is subscribed: its creation went unanswered.', true)),
    ...notWanted.map((kind) => fault(kind, 'Config does not want it; it was left as it is.', true)),
  ]
}

/** The consequence of each failure for the events that arrive. */
const MEANS: Readonly<Record<Doing | 'none', string>> = {
  none: 'It does not arrive as config wants it',
  create: 'It is not subscribed, so nothing of it arrives',
  update: 'It is subscribed with another address, token or store than config says',
  'delete a duplicate of': 'It is subscribed more than once',
  delete: 'It is subscribed although config has dropped it',
}

/** Whether a fault does no harm: an event that comes once too often is taken once. */
function isHarmless(doing: Doing | null): boolean {
  return doing === 'delete' || doing === 'delete a duplicate of'
}
