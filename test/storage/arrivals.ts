import { hash, randomUUID } from 'node:crypto'
import type { Instant } from '../../src/domain/values/instant.ts'
import { kindOf } from '../../src/platform/payloads/kinds.ts'
import type { Arrival, NewDelivery } from '../../src/storage/arrival.ts'
import { bytesOf } from '../fixtures/payloads.ts'

/** What a story says about an arrival; the rest is ordinary. */
type GivenArrival = Partial<Arrival> & { payload?: unknown }

/** Builds arrivals as the inbox hands them to the store, received at the time of the clock. */
export function createArrivals(clock: { now(): Instant }) {
  /** One without identity, with a body of its own, which owes one delivery. */
  function arrival({ payload, ...given }: GivenArrival = {}): Arrival {
    const body = given.body ?? bytesOf(payload ?? { invoice: randomUUID() })
    return {
      kind: 'InvoiceCreated',
      origin: 'platform',
      subscription: 'all',
      receivedAt: clock.now(),
      headers: { 'content-type': 'application/json' },
      body,
      bodyHash: hash('sha256', body).slice(0, 32),
      transportKey: null,
      identity: null,
      versioned: false,
      exact: false,
      entity: null,
      facts: null,
      problem: null,
      deliveries: [pending()],
      ...given,
    }
  }

  return {
    arrival,

    /** One of a known kind, with the identity that its payload has. */
    of(kind: string, payload: unknown, given: GivenArrival = {}): Arrival {
      const known = kindOf(kind)
      const identity = known?.identity?.(payload, given.origin ?? 'platform') ?? null
      const entity = identity?.entity ?? null
      return arrival({
        kind,
        payload,
        identity: identity?.key ?? null,
        versioned: known?.nature === 'versioned' || known?.nature === 'repeatable',
        ...(known?.nature === 'repeatable' && { repeatable: true }),
        exact: known?.knownFrom === 'hub',
        entity,
        facts: identity?.facts ?? null,
        deliveries: [pending({ entity })],
        ...given,
      })
    },

    /** One about an entity, with a delivery for it. */
    about(entity: string | null, given: Partial<NewDelivery> = {}): Arrival {
      return arrival({ entity, deliveries: [pending({ entity, ...given })] })
    },
  }
}

export type Arrivals = ReturnType<typeof createArrivals>

/** A delivery to `shop`, at once. */
export function pending(given: Partial<NewDelivery> = {}): NewDelivery {
  return {
    flow: 'publish',
    part: '',
    destination: 'shop',
    urgency: 'prompt',
    entity: null,
    notBefore: null,
    once: false,
    batch: null,
    latestWins: false,
    digest: null,
    force: false,
    ...given,
  }
}
