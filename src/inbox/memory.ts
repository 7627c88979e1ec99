import type { Instant } from '../domain/values/instant.ts'
import type { Arrival } from '../store/arrival.ts'

/** Whether an arrival may have come before, and be forgotten; a promise only where it is so old. */
export type Memory = (
  arrival: Pick<Arrival, 'exact' | 'versioned' | 'identity' | 'facts'>,
) => boolean | Promise<boolean>

/** The clock of a payload without a zone may be of any (milliseconds). */
const ZONES = 14 * 3_600_000

/**
 * Keys are kept for so long (`keepsKeys`, milliseconds). What happened before that, and is not known, is not news: it may have come, and its
 * key be gone. So it is where the hub has dropped any keys: a new hub has forgotten nothing.
 */
export function createMemory(keepsKeys: number, now: () => Instant, hasDropped: () => Promise<boolean>): Memory {
  return ({ exact, versioned, identity, facts }) => {
    const at = facts?.[1] ?? null
    if (exact || versioned || identity === null || at === null) return false
    const happened = Date.parse(/(?:[Zz]|[+-]\d\d:?\d\d)$/.test(at) ? at : `${at}Z`)
    // Most arrivals are of today: they ask nobody.
    return happened - ZONES < now() - keepsKeys ? hasDropped() : false
  }
}
