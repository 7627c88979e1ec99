import type { AdapterInstance } from '../../adapters/adapter.ts'
import type { Trouble } from '../../domain/queue/lane.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DeliveryRow } from '../../store/screens.ts'
import type { Audit, Store } from '../../store/store.ts'
import { type ExaminedSystem, examineSystem } from './examine.ts'
import type { LaneWork } from './status.ts'

/** The result of trying a destination now. */
export interface Probed extends ExaminedSystem {
  /** The trouble of its lanes before; null: none. */
  before: Trouble | null
  /** The trouble of its lanes now. */
  now: Trouble | null
  /** Why nothing is sent to it, whether it is well or not: somebody paused it. Null: nobody did. */
  paused: string | null
  /** Why nothing is sent to anybody, and so nothing was tried; null: it is. */
  held: string | null
}

export interface Probing {
  store: Pick<Store, 'deliveries' | 'retry' | 'paused'>
  /** The adapters that may look at their systems. */
  systems: readonly ({ name: string } & Pick<AdapterInstance, 'examine'>)[]
  working: () => LaneWork[]
  /** Tries a destination in trouble now; resolves when the call has ended, or there was none to make. */
  probe: (destination: string) => Promise<void>
  /** Why nothing is sent to anybody; null: it is. */
  holdsDeliveries: () => string | null
  clock: Clock
}

/** How long an answer waits for the call (milliseconds): before whatever stands between cuts the connection. */
const LONGEST_WAIT = 30_000

/** Enough to find one that can be tried. */
const LOOKED_AT = 500

/** Tries destinations for a person: what waits for a destination in trouble, and what its adapter can see. */
export function createProbing({ store, systems, working, probe, holdsDeliveries, clock }: Probing) {
  const troubleOf = (name: string) => working().find(({ destination }) => destination === name)?.trouble ?? null

  /** If it is in trouble, one delivery is tried at once; resolves when that call has ended. */
  async function tryNow(destination: string, audit: Audit): Promise<void> {
    if (troubleOf(destination) === null || holdsDeliveries() !== null) return
    const waiting = await store.deliveries({ destination, state: 'waiting', limit: LOOKED_AT })
    const one = toBeDue(waiting, clock.now())
    if (one !== null) await store.retry({ id: one }, audit, false)
    await probe(destination)
  }

  return {
    tryNow,

    /** The same, with what the adapter finds in its system. */
    async probe(destination: string, audit: Audit): Promise<Probed> {
      const before = troubleOf(destination)
      const system = systems.find(({ name }) => name === destination) ?? { name: destination }
      const [examined] = await Promise.all([examineSystem(system, clock), endedInTime(tryNow(destination, audit))])
      const paused = (await store.paused()).find(({ lane }) => lane.destination === destination)?.why ?? null
      return { ...examined, before, now: troubleOf(destination), paused, held: holdsDeliveries() }
    },
  }

  async function endedInTime(tried: Promise<void>): Promise<void> {
    const waited = Promise.withResolvers<void>()
    const cancel = clock.after(LONGEST_WAIT, waited.resolve)
    try {
      await Promise.race([tried, waited.promise])
    } finally {
      cancel()
    }
  }
}

/**
 * The delivery that has to be made due, so that there is one to try: the oldest that failed, of those that are first in the line
 * of their entity. Null: one is due as it is, or none has failed (what waits for its hour goes on waiting).
 */
function toBeDue(waiting: readonly DeliveryRow[], now: Instant): number | null {
  // Waiting deliveries come newest first: of several of one entity the last is the first in its line.
  const firsts = [...new Map(waiting.map((row) => [row.entity ?? row.id, row])).values()]
  if (firsts.some(({ dueAt }) => dueAt <= now)) return null
  const failed = firsts.filter(({ tries }) => tries > 0)
  return failed.reduce<number | null>((oldest, { id }) => Math.min(oldest ?? id, id), null)
}
