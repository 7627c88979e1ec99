import type { Instant } from '../../../domain/values/instant.ts'
import type { Claim } from '../../claim.ts'
import type { Item } from './item.ts'
import type { Pipe } from './pipe.ts'

interface Prepared {
  /** Not waiting any more: must not go out. */
  lost: ReadonlySet<Item>
  told: ReadonlyMap<Item, Partial<Told>>
}

export type Told = Pick<Claim, 'unchanged' | 'outdated' | 'untold' | 'overtaken'>

const NONE: Prepared = { lost: new Set(), told: new Map() }

/**
 * One statement group for all a claim needs of the file: bodies, the mark of `once` (`until`: end of the lease),
 * unchanged, outdated, overtaken.
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
