import { orderEntity } from '../../../domain/orders/order-entity.ts'
import { numberOfLink, sortOfLink } from '../../../domain/orders/order-link.ts'
import type { Store } from '../../../store/store.ts'

/** Orders that began at a till. */
export interface EndlessAisle {
  /** Learns of those that arrived since. */
  refresh(): Promise<void>
  has(orderNo: string): boolean
  /**
   * Names, of these numbers and ids of orders, by which one of the destinations knows an order that the hub created there for a
   * till: it may call it by a number of its own.
   */
  knownAs(names: readonly string[], destinations: readonly string[]): Promise<Map<string, TillLink>>
}

/** The till's order behind an online system's own name of it. */
interface TillLink {
  /** The number that the till calls it by. */
  number: string
  destination: string
}

const KIND = 'OmniChannelEndlessAisleOrderCreated'
const PAGE = 1_000

/** The most names that are looked up at once. */
const NAMES_PER_READ = 500

/**
 * The orders of events that say so, as long as the store keeps them. Events are read once, from the oldest: what is asked
 * later is only what has come since, so that a sale costs next to nothing. An online system knows of such an order from
 * the hub, so that its event is always there before its sale.
 */
export function createEndlessAisle(store: Pick<Store, 'events' | 'linksTo'>): EndlessAisle {
  const known = new Set<string>()
  /** Numbers of receipts by which orders without a number go; links alone ask for these, since other orders may have them too. */
  const receipts = new Set<string>()
  let readTo = 0
  let reading: Promise<void> | null = null

  async function read(): Promise<void> {
    const [newest] = await store.events({ limit: 1 })
    if (!newest || newest.id <= readTo) return
    let after = readTo
    for (;;) {
      const page = await store.events({ kind: KIND, after, limit: PAGE })
      for (const { entity } of page) if (entity !== null) learn(entity)
      after = page.at(-1)?.id ?? after
      if (page.length < PAGE) break
    }
    readTo = Math.max(newest.id, after)
  }

  function learn(entity: string): void {
    known.add(entity)
    const receipt = receiptOf(entity)
    if (receipt !== null) receipts.add(receipt)
  }

  /** A link from before has the bare number, whichever sort of order it is of. */
  function isOfTill(id: string): boolean {
    return sortOfLink(id) !== 'web' || known.has(orderEntity(id)) || receipts.has(id)
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

    async knownAs(names, destinations) {
      const found = new Map<string, TillLink>()
      if (known.size === 0 || destinations.length === 0) return found
      const asked = [...new Set(names)]
      for (let from = 0; from < asked.length; from += NAMES_PER_READ) {
        const links = await store.linksTo([...destinations], 'order', asked.slice(from, from + NAMES_PER_READ))
        for (const { id, theirId, destination } of links)
          if (isOfTill(id)) found.set(theirId, { number: numberOfLink(id), destination })
      }
      return found
    },
  }
}

/** The number of the receipt, of a sale's entity (domain/queue/identity.ts). */
function receiptOf(entity: string): string | null {
  const receipt = entity.startsWith('sale:') ? entity.split('/')[2] : undefined
  return receipt === undefined ? null : decodeURIComponent(receipt)
}
