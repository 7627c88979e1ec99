import type { Instant } from '../../../domain/values/instant.ts'
import { createTable } from '../../../lib/collections.ts'
import type { Claim } from '../../claim.ts'
import type { Item } from './item.ts'
import type { Pipe } from './pipe.ts'
import type { Queue } from './queue.ts'

interface Out {
  item: Item
  queue: Queue
}

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

interface Prepared {
  lost: ReadonlySet<Item>
  told: ReadonlyMap<Item, Partial<Told>>
}

export type Told = Pick<Claim, 'unchanged' | 'outdated' | 'untold' | 'overtaken'>

const NONE: Prepared = { lost: new Set(), told: new Map() }

/**
 * One statement group for all a claim needs of the file: bodies, the mark of `once` (`until`: end of the lease),
 * unchanged, outdated, overtaken.
 */
export async function prepareClaims(pipe: Pipe, items: Item[], until: Instant, now: Instant): Promise<Prepared> {
  const bare = items.filter((item) => item.body === null)
  const once = items.filter((item) => item.delivery.once)
  const digested = items.filter((item) => item.digested)
  const guarded = items.filter((item) => item.guarded)
  if (bare.length + once.length + digested.length + guarded.length === 0) return NONE
  const needed = {
    bodies: bare.map((item) => item.event.id),
    once: once.map((item) => item.delivery.id),
    digested: digested.map((item) => item.delivery.id),
    guarded: guarded.map((item) => item.delivery.id),
    until,
  }
  return await pipe.call('prepare', [needed, now], ({ bodies, marked, compared, overtaken }) => {
    bare.forEach((item, index) => {
      item.body = bodies[index] ?? null
    })
    const gone = digested.filter((item, index) => !item.delivery.once && !compared[index]?.waits)
    const told = new Map<Item, Partial<Told>>()
    digested.forEach((item, index) => {
      const { unchanged = false, outdated = false, untold } = compared[index] ?? {}
      if (unchanged || outdated || untold) told.set(item, { unchanged, outdated, ...(untold && { untold }) })
    })
    guarded.forEach((item, index) => {
      const event = overtaken[index] ?? null
      if (event !== null) told.set(item, { ...told.get(item), overtaken: event })
    })
    return {
      lost: new Set([...once.filter((_, index) => !marked[index]), ...gone]),
      told,
    }
  })
}
