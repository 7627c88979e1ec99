import type { EventFilter } from '../../screens.ts'
import type { Looked } from './looked.ts'

/** Ids that one question looks through: those above one, and below another. */
export interface Stretch {
  above: number
  below: number
}

/** Where a list begins and ends: ids above `floor`, and below `below`. */
export interface Span {
  floor: number
  below: number
}

/** Ids a stretch: a question over so many takes a few milliseconds, and others are answered in between. */
export const STRETCH = 20_000

const PAGE = 50

/**
 * Walks through a list that no index answers, stretch by stretch, until its page is full, or `look` ids were looked at: then
 * the list goes on behind `next`.
 */
export async function inStretches<Row>(
  { before, after, limit = PAGE }: Pick<EventFilter, 'before' | 'after' | 'limit'>,
  { floor, below }: Span,
  look: number,
  read: (stretch: Stretch, limit: number) => Promise<Row[]>,
): Promise<Looked<Row>> {
  const oldestFirst = after !== undefined
  const rows: Row[] = []
  let from = Math.max(floor, after ?? 0)
  let to = Math.min(below, before ?? Number.MAX_SAFE_INTEGER)
  for (let looked = 0; rows.length < limit && to - from > 1; looked += STRETCH) {
    if (looked >= look) return { rows, next: oldestFirst ? from : to }
    const stretch = oldestFirst
      ? { above: from, below: Math.min(to, from + STRETCH + 1) }
      : { above: Math.max(from, to - STRETCH - 1), below: to }
    rows.push(...(await read(stretch, limit - rows.length)))
    if (oldestFirst) from = stretch.below - 1
    else to = stretch.above + 1
  }
  return { rows, next: null }
}
