import type { EventFilter } from '../../screens.ts'
import type { Looked } from './looked.ts'

/** Exclusive bounds. */
export interface Stretch {
  above: number
  below: number
}

export interface Span {
  floor: number
  below: number
}

/** A query over so many ids takes a few milliseconds. */
export const STRETCH = 20_000

const PAGE = 50

/** Until the page is full or `look` ids were read. */
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
