import type { Arrival } from '../../arrival.ts'
import type { Item } from './item.ts'

/** Richer bodies being written: claims of their events wait, or the sparser body would go out of a completed event. */
export function createFullerBodies() {
  /** The last of an event; they end in order. */
  const underWay = new Map<number, Promise<void>>()

  return {
    /** `accepting` ends when the queues know the results. */
    begin(arrivals: readonly Arrival[], accepting: Promise<unknown>): void {
      const events = arrivals.flatMap(({ completes }) => completes?.event ?? NONE)
      if (events.length === 0) return
      const forget = () => {
        for (const event of events) if (underWay.get(event) === over) underWay.delete(event)
      }
      const over = accepting.then(forget, forget)
      for (const event of events) underWay.set(event, over)
    },

    async over(items: readonly Item[]): Promise<void> {
      if (underWay.size > 0) await Promise.all(items.map(({ event }) => underWay.get(event.id)))
    },
  }
}

const NONE: number[] = []
