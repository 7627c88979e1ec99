import type { Instant } from '../../domain/instant.ts'
import type { Item } from './item.ts'
import type { Pipe } from './pipe.ts'

/** What came of preparing. */
interface Prepared {
  /** What does not wait any more: it must not go out. */
  lost: ReadonlySet<Item>
  unchanged: ReadonlySet<Item>
}

const NONE: Prepared = { lost: new Set(), unchanged: new Set() }

/**
 * What claims need of the file before they go out, in one question, if they need anything: bodies that were given back
 * to save memory, the mark on what cannot be repeated (`until` the end of the lease), and what is unchanged.
 */
export async function prepareClaims(
  pipe: Pipe,
  items: Item[],
  destination: string,
  until: Instant,
  now: Instant,
): Promise<Prepared> {
  const bare = items.filter((item) => item.body === null)
  const once = items.filter((item) => item.delivery.once)
  const digested = items.filter((item) => item.digested)
  if (bare.length + once.length + digested.length === 0) return NONE
  const needed = {
    bodies: bare.map((item) => item.event.id),
    once: once.map((item) => item.delivery.id),
    digested: digested.map((item) => item.delivery.id),
    destination,
    until,
  }
  return await pipe.call('prepare', [needed, now], ({ bodies, marked, compared }) => {
    bare.forEach((item, index) => {
      item.body = bodies[index] ?? null
    })
    const gone = digested.filter((item, index) => !item.delivery.once && !compared[index]?.waits)
    return {
      lost: new Set([...once.filter((_, index) => !marked[index]), ...gone]),
      unchanged: new Set(digested.filter((_, index) => compared[index]?.unchanged)),
    }
  })
}
