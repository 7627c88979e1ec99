import { createTable } from '../../../lib/collections.ts'
import type { Claim } from '../../claim.ts'
import type { Item } from './item.ts'
import type { Told } from './prepare-claims.ts'
import type { Queue } from './queue.ts'

/** A delivery that is out, and the queue that it is out of. */
interface Out {
  item: Item
  queue: Queue
}

/** The claims that are out, by their fences. */
export function createClaims() {
  const out = createTable<Out>()
  /** Claims that are being settled or given back: nobody else may meanwhile. */
  const ending = createTable<Out>()
  // No two processes count alike: a claim of one that died never passes for one of this one.
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

    /** Takes claims for ending them; those that are not out any more, or were for another delivery, are left out. */
    take<T extends { fence: number; delivery?: number }>(ends: T[]): T[] {
      return ends.filter(({ fence, delivery }) => {
        const claim = out.get(fence)
        if (!claim || (delivery !== undefined && delivery !== claim.item.delivery.id)) return false
        out.delete(fence)
        ending.set(fence, claim)
        return true
      })
    },

    /** Claims that could not be ended are out again. */
    takeBack(ends: { fence: number }[]) {
      for (const { fence } of ends) {
        const claim = ending.get(fence)
        if (claim) out.set(fence, claim)
        ending.delete(fence)
      }
    },

    /** The claim that was taken for ending it. */
    taken: (fence: number): Out | undefined => ending.get(fence),

    /** The claim is at its end. */
    end(fence: number): Out | undefined {
      const claim = ending.get(fence)
      ending.delete(fence)
      return claim
    },
  }
}
