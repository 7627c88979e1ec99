import type { CustomerRecord } from '../../src/domain/customers/customer-record.ts'
import { startSearchIndex } from '../../src/ingest/search-index.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogger } from '../../src/lib/logger.ts'
import type { Claim, ClaimResult } from '../../src/storage/claim.ts'
import { openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { arrivalOf, DESTINATIONS, emailOf, fateOf } from './events.ts'

/** Arrivals of one commit, as many as come together over 64 connections. */
const TOGETHER = 64

/** Deliveries that go out together. */
const CALLS = 500

const CUSTOMERS = 50_000

export interface Taken {
  /** Accepted a second, while they were delivered. */
  perSecond: number
  /** How long each commit of arrivals took (milliseconds). */
  latencies: number[]
}

export interface Filled extends Taken {
  /** Seconds until all could be found. */
  indexed: number
}

/** Fills a store as hubs do: accepted, claimed, settled, indexed. Nothing goes over a wire, so that it does not take a day. */
export async function fill(url: string, count: number, say: (line: string) => void): Promise<Filled> {
  await using storage = await openStorage(url, { sameBytesWindow: 0 })
  const taken = await take(storage, { from: 0, to: count }, say)
  for (let from = 0; from < CUSTOMERS; from += 5_000) await storage.saveCustomers(customers(from), Date.now())
  const indexing = performance.now()
  await using index = startSearchIndex({ storage, clock: systemClock, logger: createLogger('silent') })
  await index.catchUp(Number.POSITIVE_INFINITY)
  return { ...taken, indexed: (performance.now() - indexing) / 1_000 }
}

/** Accepts the events of these numbers while they are delivered; all of them are, when it resolves. */
export async function take(
  storage: Storage,
  { from: first, to }: { from: number; to: number },
  say: (line: string) => void,
): Promise<Taken> {
  const latencies: number[] = []
  let isOver = false
  const began = performance.now()
  const delivering = DESTINATIONS.map((destination) => deliver(storage, destination, () => isOver))
  for (let from = first; from < to; from += TOGETHER) {
    const numbers = Array.from({ length: Math.min(TOGETHER, to - from) }, (_, index) => from + index)
    const arrivals = numbers.map((nth) => arrivalOf(nth, to))
    const asked = performance.now()
    await storage.accept(arrivals)
    latencies.push(performance.now() - asked)
    if ((from - first) % 100_032 === 0 && from > first)
      say(`${from} events after ${Math.round((performance.now() - began) / 1_000)} s`)
  }
  const perSecond = (to - first) / ((performance.now() - began) / 1_000)
  isOver = true
  await Promise.all(delivering)
  return { perSecond, latencies }
}

/** Delivers until nothing is left, and nothing comes any more. */
async function deliver(storage: Storage, destination: string, isOver: () => boolean): Promise<void> {
  const batch = { items: 1, bytes: 1, linger: 0 }
  for (;;) {
    const last = isOver()
    const room = { calls: CALLS, yielding: CALLS, bytes: 64 * 1024 * 1024, batch }
    const { calls } = await storage.claim({ destination, urgency: 'prompt' }, room, 60_000)
    const claims = calls.flat()
    if (claims.length > 0) await storage.settle(claims.map((claim) => settled(claim, destination)))
    else if (last) return
    // Claims of few would only stand in the way.
    if (claims.length < CALLS && !isOver()) await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function settled({ fence, delivery, event }: Claim, destination: string): ClaimResult {
  const at = Date.now()
  const state = fateOf(nthOf(event.entity), destination)
  const why = state === 'delivered' ? null : 'it said 400'
  const code = state === 'delivered' ? 'delivered' : 'http-400'
  const progress = { tries: 1, finds: 0, failingSince: null, open: false }
  return {
    fence,
    delivery: delivery.id,
    next: { ...progress, state, dueAt: at, why },
    attempt: { at, ms: 12, outcome: state === 'delivered' ? 'delivered' : 'dead', code, note: null },
    links: state === 'delivered' && event.kind === 'OrderSubmitted' ? [linkOf(event.entity, destination)] : [],
  }
}

function nthOf(entity: string | null): number {
  return Number(entity?.slice(-9)) - 100_000_000
}

function linkOf(entity: string | null, destination: string) {
  const id = entity?.slice('order:'.length) ?? ''
  return { destination, kind: 'order', id, theirId: `T-${id}` }
}

function customers(from: number): CustomerRecord[] {
  const none = { companyName: null, address: null, postalCode: null, city: null }
  return Array.from({ length: 5_000 }, (_, index) => {
    const nth = from + index
    const known = { customerId: String(nth), extId: null, email: emailOf(nth), phone: `+47${90_000_000 + nth}` }
    return { ...known, firstName: 'Kari', lastName: `Nordmann ${nth}`, countryCode: 'NO', ...none }
  })
}
