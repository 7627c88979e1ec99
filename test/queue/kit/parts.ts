import type { Event } from '../../../src/domain/queue/event.ts'
import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import type { Flow } from '../../../src/flows/flow.ts'
import { publish } from '../../../src/flows/publish.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { createLogger } from '../../../src/lib/logger.ts'
import type { Destination } from '../../../src/queue/destination.ts'
import type { Claim, ClaimedDelivery, ClaimResult } from '../../../src/storage/claim.ts'

/* Parts of a delivery for tests that drive one file of src/queue by itself: no hub, no network, no real time. */

export const NOW = Date.parse('2026-11-20T12:00:00Z')

export const DELIVERED: Outcome = { type: 'delivered', links: [], note: null }

/** A clock that stands until it is put forward. */
export interface StillClock extends Clock {
  /** Makes it later; what is due by then goes off, in its order, and what that sets going in turn. */
  advance(ms: number): void
  waiting(): number
}

export function createStillClock(at = NOW): StillClock {
  let now = at
  const timers = new Set<{ at: number; callback: () => void }>()
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.callback()
      }
      now = end
    },
    waiting: () => timers.size,
  }
}

/** What is said in a log, as operators read it. */
interface Said {
  level: number
  msg: string
  [fact: string]: unknown
}

export function createTestLog() {
  const said: Said[] = []
  const logger = createLogger('debug', { write: (line: string) => void said.push(JSON.parse(line)) })
  return { logger, said, about: (message: string) => said.filter(({ msg }) => msg === message) }
}

/** An event with this payload; null: no body of it is kept any more. */
export function eventOf(payload: unknown, more: Partial<Event> = {}): Event {
  return {
    id: 1,
    kind: 'SaleCreated',
    origin: 'platform',
    subscription: 'all',
    receivedAt: NOW,
    transportKey: null,
    identity: 'sale/1',
    revision: 0,
    entity: 'receipt:1',
    bodyHash: '00',
    body: payload === null ? new Uint8Array() : Buffer.from(JSON.stringify(payload)),
    ...more,
  }
}

/** A delivery of the flow `publish` to `bus` that was never tried. */
function deliveryOf(more: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  return {
    id: 7,
    flow: 'publish',
    part: '',
    destination: 'bus',
    urgency: 'prompt',
    entity: null,
    batch: null,
    once: false,
    crashes: 0,
    effect: null,
    tries: 0,
    finds: 0,
    failingSince: null,
    firstTriedAt: null,
    open: false,
    released: null,
    ...more,
  }
}

export function claimOf(
  delivery: Partial<ClaimedDelivery> = {},
  { event = eventOf({ id: 1 }), ...more }: Partial<Omit<Claim, 'delivery'>> = {},
): Claim {
  const whole = deliveryOf(delivery)
  return { fence: whole.id, delivery: whole, event, unchanged: false, stale: false, invalidated: null, ...more }
}

/** A flow of the test's own beside `publish`: what it is given, and what `publish` does. */
export function flowOf(name: string, more: Partial<Flow> = {}): Flow {
  return { ...publish, name, ...more }
}

export function destinationOf(more: Partial<Destination> = {}): Destination {
  return {
    name: 'bus',
    ports: {},
    queue: { concurrency: 4, timeout: 1_000, inDoubtFor: 0 },
    batch: { items: 1, bytes: 1_000, linger: 0 },
    channels: {},
    accounts: null,
    dryRun: false,
    ...more,
  }
}

/** The result of a claim that stands so after its attempt. */
export function resultOf(delivery: number, state: ClaimResult['next']['state'] = 'delivered'): ClaimResult {
  return {
    fence: delivery,
    delivery,
    next: { state, dueAt: NOW, why: null, tries: 0, finds: 0, failingSince: null, open: false },
    attempt: { at: NOW, ms: 5, outcome: state, code: state, note: null },
    links: [],
  }
}

/** Lets everything go on that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
