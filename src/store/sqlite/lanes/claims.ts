import { createTable } from '../../../lib/collections.ts'
import type { Claim } from '../../claim.ts'
import type { Item } from './item.ts'
import type { Told } from './prepare-claims.ts'
import type { Queue } from './queue.ts'

interface Out {
  item: Item
  queue: Queue
}

/** Claims by fence. */
export function createClaims() {
  const out = createTable<Out>()
  /** Being settled or released: locked. */
  const ending = createTable<Out>()
  // Random, so that a dead process's claim is never taken for one of this.
  let lastFence = Math.floor(Math.random() * 2 ** 40)

  return {
    handOut(
      item: Item,
      queue: Queue,
      { unchanged = false, outdated = false, overtaken = null, untold }: Partial<Told> = {},
    ): Claim {
      const fence = ++lastFence
      out.set(fence, { item, queue })
      const event = { ...item.event, body: item.body ?? new Uint8Array() }
      return { fence, delivery: { ...item.delivery }, event, unchanged, outdated, overtaken, ...(untold && { untold }) }
    },

    /** Locks claims for ending; leaves out those no longer out or of another delivery. */
    take<T extends { fence: number; delivery?: number }>(ends: T[]): T[] {
      return ends.filter(({ fence, delivery }) => {
        const claim = out.get(fence)
        if (!claim || (delivery !== undefined && delivery !== claim.item.delivery.id)) return false
        out.delete(fence)
        ending.set(fence, claim)
        return true
      })
    },

    /** Ending failed: out again. */
    takeBack(ends: { fence: number }[]) {
      for (const { fence } of ends) {
        const claim = ending.get(fence)
        if (claim) out.set(fence, claim)
        ending.delete(fence)
      }
    },

    taken: (fence: number): Out | undefined => ending.get(fence),

    end(fence: number): Out | undefined {
      const claim = ending.get(fence)
      ending.delete(fence)
      return claim
    },
  }
}
