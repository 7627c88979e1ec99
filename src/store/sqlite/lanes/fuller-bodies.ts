import type { Arrival } from '../../arrival.ts'
import type { Item } from './item.ts'

/**
 * Fuller bodies on their way to the file. The writer was told which events were out when they were sent: what is claimed since
 * waits for them, or else the thinner body would go out of an event that is said to be completed.
 */
export function createFullerBodies() {
  /** The last of an event: they end in the order in which they were sent. */
  const underWay = new Map<number, Promise<void>>()

  return {
    /** `accepting`: it ends when the queues know what came of the arrivals. */
    begin(arrivals: readonly Arrival[], accepting: Promise<unknown>): void {
      const events = arrivals.flatMap(({ completes }) => completes?.event ?? NONE)
      if (events.length === 0) return
      const forget = () => {
        for (const event of events) if (underWay.get(event) === over) underWay.delete(event)
      }
      const over = accepting.then(forget, forget)
      for (const event of events) underWay.set(event, over)
    },

    /** Resolves when nothing is on its way to the events of items. */
    async over(items: readonly Item[]): Promise<void> {
      if (underWay.size > 0) await Promise.all(items.map(({ event }) => underWay.get(event.id)))
    },
  }
}

const NONE: number[] = []
