import type { EventFilter, EventRow, Part } from '../store/screens.ts'
import type { Store } from '../store/store.ts'

export interface Walked {
  looked: number
  next: number | null
}

const PAGE = 200

/** Oldest first, a page at a time. */
export async function walkEvents(
  store: Pick<Store, 'events'>,
  filter: EventFilter,
  part: Part | undefined,
  take: (page: EventRow[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<Walked> {
  const most = part?.most ?? Number.POSITIVE_INFINITY
  let after = part?.after ?? 0
  let looked = 0
  while (looked < most && !signal?.aborted) {
    const limit = Math.min(PAGE, most - looked)
    const page = await store.events({ ...filter, after, limit })
    await take(page)
    looked += page.length
    const last = page.at(-1)
    if (!last || page.length < limit) return { looked, next: null }
    after = last.id
  }
  return { looked, next: signal?.aborted ? null : after }
}
