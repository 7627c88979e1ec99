import type { Instant } from '../../domain/values/instant.ts'
import type { Item } from '../queue/item.ts'
import type { Comparison, Prepared, QueueStorage } from '../queue/queues.ts'
import type { Pipe } from './pipe.ts'

/** The writer as the queue sees it. One process has the file, so claims need no rows: only `once` deliveries are marked. */
export function createQueueStorage(pipe: Pipe, clock: () => Instant): QueueStorage {
  return {
    load: (queueKey, after, { items, bytes }, then) => pipe.call('load', [queueKey, after, items, bytes], then),
    /** One statement group for all that a claim needs of the file. */
    async prepare(items, until) {
      const bare = items.filter((item) => item.body === null)
      const once = items.filter((item) => item.delivery.once)
      const digested = items.filter((item) => item.digested)
      const guarded = items.filter((item) => item.guarded)
      if (bare.length + once.length + digested.length + guarded.length === 0) return NONE
      const needed = {
        bodies: bare.map((item) => item.event.id),
        once: once.map(({ delivery }) => delivery.id),
        digested: digested.map(({ delivery }) => delivery.id),
        guarded: guarded.map(({ delivery }) => delivery.id),
        until,
      }
      return await pipe.call('prepare', [needed, clock()], ({ bodies, marked, compared, invalidated }) => {
        bare.forEach((item, index) => {
          item.body = bodies[index] ?? null
        })
        const gone = digested.filter((item, index) => !item.delivery.once && !compared[index]?.waits)
        const comparisons = new Map<Item, Partial<Comparison>>()
        digested.forEach((item, index) => {
          const { unchanged = false, stale = false, unacknowledged } = compared[index] ?? {}
          if (unchanged || stale || unacknowledged)
            comparisons.set(item, { unchanged, stale, ...(unacknowledged && { unacknowledged }) })
        })
        guarded.forEach((item, index) => {
          const event = invalidated[index] ?? null
          if (event !== null) comparisons.set(item, { ...comparisons.get(item), invalidated: event })
        })
        return { lost: new Set([...once.filter((_, index) => !marked[index]), ...gone]), comparisons }
      })
    },

    complete(outcomes, then) {
      const results = outcomes.map(({ result, atOnce }) => ({ ...result, atOnce }))
      const digested = outcomes.map(({ item }) => (item.digested ? item.delivery.destination : null))
      const isAny = digested.some((destination) => destination !== null)
      return pipe.call('settle', [JSON.stringify(results), clock(), isAny ? digested : null], then)
    },

    async release(items) {
      const once = items.filter(({ delivery }) => delivery.once).map(({ delivery }) => delivery)
      const delivered = once.length > 0 ? await pipe.call('offWire', [once, clock()]) : []
      pipe.noteInFlight(
        [],
        items.map(({ delivery }) => delivery.id),
      )
      return delivered
    },

    begun(items) {
      const ids = items.map(({ delivery }) => delivery.id)
      if (ids.length > 0) pipe.noteInFlight(ids, [])
    },
  }
}

const NONE: Prepared = { lost: new Set(), comparisons: new Map() }
