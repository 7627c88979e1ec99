import { setTimeout as rest } from 'node:timers/promises'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import { createPace } from '../retention/pruning.ts'

interface Options {
  /** Those that were settled before this go. */
  before: Instant
  /** The id behind which the first ones are looked for. */
  after: number
  /** Whether there is time for one more slice. */
  hasTime(): boolean
  signal: AbortSignal
}

/** Deliveries that are over go to the past, slice by slice: each is a commit of its own. What went, and where the next run begins. */
export async function movePast(
  { movePast }: Pick<Store, 'movePast'>,
  { before, after: first, hasTime, signal }: Options,
): Promise<{ moved: number; after: number }> {
  const pace = createPace({ now: () => performance.now(), rest, signal })
  const all = { moved: 0, after: first }
  while (hasTime()) {
    const { moved, after } = await pace.slice((rows) => movePast(all.after, before, rows))
    all.moved += moved
    if (after === null) break
    all.after = after
  }
  return all
}
