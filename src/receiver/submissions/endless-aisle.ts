import { orderEntity } from '../../domain/order-facts.ts'
import type { Store } from '../../store/store.ts'

/** Which orders began at a till. */
export interface EndlessAisle {
  /** Learns of those that arrived since. */
  refresh(): Promise<void>
  has(orderNo: string): boolean
}

const KIND = 'OmniChannelEndlessAisleOrderCreated'
const PAGE = 1_000

/**
 * The orders of events that say so, as long as the store keeps them. Events are read once, from the oldest: what is asked
 * later is only what has come since, so that a sale costs next to nothing. An online system knows of such an order from
 * the hub, so that its event is always there before its sale.
 */
export function createEndlessAisle(store: Pick<Store, 'events'>): EndlessAisle {
  const known = new Set<string>()
  let readTo = 0
  let reading: Promise<void> | null = null

  async function read(): Promise<void> {
    const [newest] = await store.events({ limit: 1 })
    if (!newest || newest.id <= readTo) return
    let after = readTo
    for (;;) {
      const page = await store.events({ kind: KIND, after, limit: PAGE })
      for (const { entity } of page) if (entity !== null) known.add(entity)
      after = page.at(-1)?.id ?? after
      if (page.length < PAGE) break
    }
    readTo = Math.max(newest.id, after)
  }

  return {
    async refresh() {
      // One that began before this call may have missed what this one is to see.
      await reading?.catch(() => {})
      reading ??= read().finally(() => {
        reading = null
      })
      await reading
    },
    has: (orderNo) => known.has(orderEntity(orderNo)),
  }
}
