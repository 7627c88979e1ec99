import type { Ages } from '../../../src/domain/retention.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { openTestStore } from '../../empty-store.ts'
import { claim, DAY, DELIVERED, REFUSED, settle } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'

/* A store of which most has had its time, to prune. */

export const AGES: Ages = {
  ...{ payloads: 90 * DAY, attempts: 90 * DAY, events: 400 * DAY, keys: 500 * DAY, lookups: DAY, audit: DAY },
  mirror: {},
  kinds: {},
}

const THEN = Date.parse('2025-01-01T00:00:00Z')
export const NOW = THEN + 401 * DAY

/** Fills a file: each tenth event is dead, and each was taken long ago but for the last ten. The ids of the dead. */
export async function fill(path: string, count: number): Promise<number[]> {
  await using storage = await openTestStore(path, { clock: () => THEN })
  const { arrival } = createArrivals({ now: () => THEN })
  const old = Array.from({ length: count }, (_, nth) => arrival({ transportKey: `e-${nth}`, payload: { nth } }))
  await storage.accept(old)
  const dead: number[] = []
  for (let claims = await claim(storage); claims.length > 0; claims = await claim(storage))
    for (const one of claims) {
      const isDead = one.event.id % 10 === 0
      if (isDead) dead.push(one.event.id)
      await settle(storage, [one], isDead ? REFUSED : DELIVERED, THEN)
    }
  await storage.accept(
    Array.from({ length: 10 }, (_, nth) =>
      arrival({ transportKey: `n-${nth}`, receivedAt: NOW - DAY, payload: { nth } }),
    ),
  )
  return dead
}

/** All that must be so of it once it was pruned, whatever happened on the way. */
export async function standsOf(storage: Storage, count: number) {
  const { arrival } = createArrivals({ now: () => NOW })
  const events = await storage.events({ limit: 10_000 })
  const repeats = await storage.accept(
    Array.from({ length: count }, (_, nth) => arrival({ transportKey: `e-${nth}`, payload: { nth } })),
  )
  const bodies = await storage.bodies(events.map(({ id }) => id))
  return {
    events: events.map(({ id }) => id).sort((a, b) => a - b),
    bodies: bodies.map(({ id }) => id).sort((a, b) => a - b),
    deliveries: (await storage.deliveries({ limit: 10_000 })).map(({ event }) => event).sort((a, b) => a - b),
    repeats: repeats.filter(({ status }) => status !== 'duplicate').length,
  }
}
