import type { Link } from '../../src/domain/orders/link.ts'
import { next, type WhenUnknown } from '../../src/domain/queue/delivery.ts'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import type { QueueKey } from '../../src/domain/queue/queue-key.ts'
import type { Instant } from '../../src/domain/values/instant.ts'
import type { Claim, ClaimLimits, ClaimResult } from '../../src/storage/claim.ts'
import type { Audit } from '../../src/storage/rows.ts'
import type { Storage } from '../../src/storage/storage.ts'

export const SHOP: QueueKey = { destination: 'shop', urgency: 'prompt' }
export const SHOP_BULK: QueueKey = { destination: 'shop', urgency: 'bulk' }
export const BUS: QueueKey = { destination: 'bus', urgency: 'prompt' }

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** How long the claims of these stories may take. */
export const LEASE = 30 * SECOND

/** How long batches of these stories wait for more. */
export const LINGER = 1_000

export const PLENTY: ClaimLimits = {
  calls: 100,
  yielding: 100,
  bytes: 64 * 1024 * 1024,
  batch: { items: 100, bytes: 1024 * 1024, linger: LINGER },
}

export async function claim(
  storage: Storage,
  queueKey: QueueKey = SHOP,
  room: Partial<ClaimLimits> = {},
): Promise<Claim[]> {
  return (await claimCalls(storage, queueKey, room)).flat()
}

/** Claims of a queue, by the calls that they go out in. */
export async function claimCalls(
  storage: Storage,
  queueKey: QueueKey = SHOP,
  room: Partial<ClaimLimits> = {},
): Promise<Claim[][]> {
  return (await storage.claim(queueKey, { ...PLENTY, ...room }, LEASE)).calls
}

export async function claimOne(storage: Storage, queueKey: QueueKey = SHOP): Promise<Claim> {
  const [one, ...more] = await claim(storage, queueKey)
  if (!one || more.length > 0) throw new Error(`${more.length + (one ? 1 : 0)} deliveries were claimed, not one.`)
  return one
}

export async function wakeAt(storage: Storage, queueKey: QueueKey = SHOP): Promise<Instant | null> {
  return (await storage.claim(queueKey, { ...PLENTY, calls: 0 }, LEASE)).wakeAt
}

export function eventsOf(claims: Claim[]): number[] {
  return claims.map(({ event }) => event.id)
}

export const DELIVERED = { type: 'delivered', links: [] as Link[], note: null as string | null } as const
export const FAILED: Extract<Outcome, { type: 'retry' }> = {
  type: 'retry',
  scope: 'item',
  notBefore: null,
  code: 'http-500',
  why: 'it said 500',
}
export const REFUSED: Outcome = { type: 'dead', code: 'http-400', why: 'it said 400' }
export const UNCERTAIN: Outcome = { type: 'unknown', code: 'timeout', why: 'no answer' }

/** What the worker would write after an attempt: no jitter, half a second long. */
export function settlement(
  { fence, delivery }: Claim,
  outcome: Outcome,
  now: Instant,
  whenUnknown: WhenUnknown = 'hold',
): ClaimResult {
  const code = outcome.type === 'delivered' ? 'delivered' : outcome.code
  const note = outcome.type === 'delivered' ? outcome.note : outcome.why
  const links: Link[] = outcome.type === 'delivered' ? outcome.links : []
  return {
    fence,
    delivery: delivery.id,
    next: next(now, 0.5, delivery, outcome, whenUnknown, LEASE),
    attempt: { at: now, ms: 500, outcome: outcome.type, code, note },
    links,
  }
}

/** Settles claims alike; true where all were this caller's. */
export async function settle(storage: Storage, claims: Claim[], outcome: Outcome, now: Instant): Promise<boolean> {
  const applied = await storage.settle(claims.map((one) => settlement(one, outcome, now)))
  return applied.every((ok) => ok)
}

/** Claims and delivers until nothing is due; the events in the order they went out. */
export async function deliverAll(
  storage: Storage,
  now: Instant,
  queueKey: QueueKey = SHOP,
  calls = 100,
): Promise<number[]> {
  const out: number[] = []
  for (;;) {
    const claims = await claim(storage, queueKey, { calls })
    if (claims.length === 0) return out
    out.push(...eventsOf(claims))
    await settle(storage, claims, DELIVERED, now)
  }
}

/** A person's name and reason; `dryRun` counts only. */
export function by(now: Instant, dryRun = false): Audit {
  return { by: 'kari', reason: 'asked for it', at: now, dryRun }
}
