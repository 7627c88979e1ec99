import type { Instant } from '../../../domain/values/instant.ts'
import type { Claim } from '../../claim.ts'
import type { Item } from './item.ts'
import type { Pipe } from './pipe.ts'

/** The outcome of preparing. */
interface Prepared {
  /** Items that do not wait any more: they must not go out. */
  lost: ReadonlySet<Item>
  /** The knowledge about each item; most have none. */
  told: ReadonlyMap<Item, Partial<Told>>
}

/** The marks of a claim besides its delivery and its event. */
export type Told = Pick<Claim, 'unchanged' | 'outdated' | 'untold' | 'overtaken'>

const NONE: Prepared = { lost: new Set(), told: new Map() }

/**
 * Claims may need something of the file before they go out, and ask for all of it in one question: bodies that were given back
 * to save memory, the mark on what cannot be repeated (`until` the end of the lease), what is unchanged or outdated, and what
 * is overtaken.
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
  const guarded = items.filter((item) => item.guarded)
  if (bare.length + once.length + digested.length + guarded.length === 0) return NONE
  const needed = {
    bodies: bare.map((item) => item.event.id),
    once: once.map((item) => item.delivery.id),
    digested: digested.map((item) => item.delivery.id),
    guarded: guarded.map((item) => item.delivery.id),
    destination,
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
