import { type Event, payloadOrNull } from '../../domain/queue/event.ts'
import { codeOf } from '../../domain/queue/search-keys.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { wallClockInstant } from '../../domain/values/store-time.ts'
import type { Flow } from '../../flows/flow.ts'
import { readConsent } from '../../payloads/customer.ts'
import type { Claim } from '../../store/claim.ts'
import type { Store } from '../../store/store.ts'
import { mayBeUndone } from './undone.ts'

/** The most events of a customer that are gone into: the newest says it. */
const MOST = 100

/** Nobody says by which clock the platform writes: none of a store is further from UTC (milliseconds). */
const FARTHEST = 14 * 3_600_000

/** The index is half a minute behind: before, nobody could be found who has withdrawn since (milliseconds). */
const AT_ONCE = 60_000

const TOLD_BY = new Set(['CustomerCreated', 'CustomerUpdated'])

/** What is left to be said of a customer who has withdrawn at a till what the event says they agreed to. */
export interface Withdrawn {
  /** Null: nothing. */
  event: Event | null
  /** The event in which the platform told it. */
  by: number
}

/** Whether a customer may have withdrawn since what the event of a claim says they agreed to: it is tried again, or has waited. */
export function mayBeWithdrawn(claim: Claim, flow: Flow, now: Instant): boolean {
  if (!flow.agreed || flow.agreed.by(claim.event) === null) return false
  return mayBeUndone(claim, flow) || now - claim.event.receivedAt > AT_ONCE
}

/**
 * What is left of an event that says that a customer agreed, and that is old by now: the platform may have told since that they
 * withdrew. Null: all of it. What it told of a consent that was given or taken before the event came says nothing. Its events are found by
 * the index, which is half a minute behind.
 */
export async function withdrawnSince(
  claim: Claim,
  flow: Flow,
  event: Event,
  store: Pick<Store, 'links' | 'find' | 'event'>,
  now: Instant,
): Promise<Withdrawn | null> {
  const agreed = flow.agreed?.by(event) ?? null
  if (!flow.agreed || agreed === null || !mayBeWithdrawn(claim, flow, now)) return null
  const { delivery, event: claimed } = claim
  const { customerId, extId = null } = agreed
  const links = extId === null ? [] : await store.links(delivery.destination, 'customer', [extId])
  const ids = [...links.map(({ theirId }) => theirId), ...(customerId === undefined ? [] : [customerId])]
  const names = [...ids, ...(extId === null ? [] : [extId])]
  const keys = names.map((name) => ({ sort: 'id' as const, value: codeOf(name) }))
  for (const { event: row } of await store.find(keys, MOST)) {
    if (row.id <= claimed.id || !TOLD_BY.has(row.kind)) continue
    const said = readConsent(payloadOrNull((await store.event(row.id))?.body ?? null))
    if (said === null || !(ids.includes(said.customerId) || (extId !== null && said.extId === extId))) continue
    const left = isSince(said.agreedAt, claimed.receivedAt) ? flow.agreed.without(event, said) : event
    return left === event ? null : { event: left, by: row.id }
  }
  return null
}

function isSince(saidAt: string | null, receivedAt: Instant): boolean {
  const at = saidAt === null ? null : wallClockInstant(saidAt, null)
  return at !== null && at > receivedAt - FARTHEST
}
