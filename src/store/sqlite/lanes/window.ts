import type { Item } from './item.ts'

/** A lane's share of memory; the rest stays in the file. */
export interface Window {
  items: number
  bytes: number
}

/** Batched items are small: this many count as one. */
const BATCHED = 5
/** Failing or held ones tracked per lane; newer ones wait in the file. */
const UNREADY_MAX = 100_000

export function createWindowCount(window: Window) {
  const most = window.items * BATCHED
  let kept = 0
  let bytes = 0
  let unready = 0

  function count(item: Item, sign: 1 | -1) {
    if (item.body) {
      kept += sign * (item.delivery.batch === null ? BATCHED : 1)
      bytes += sign * item.size
    } else unready += sign
  }

  return {
    add: (item: Item) => count(item, 1),
    remove: (item: Item) => count(item, -1),

    dropBody(item: Item) {
      count(item, -1)
      item.body = null
      count(item, 1)
    },

    isFull: (): boolean => kept >= most || bytes >= window.bytes || unready >= UNREADY_MAX,

    /** Beyond this, rereading is cheaper. */
    isOverfull: (): boolean => kept >= 2 * most || bytes >= 2 * window.bytes || unready >= 2 * UNREADY_MAX,

    room(): { items: number; bytes: number } | null {
      if (kept > most / 2 || bytes > window.bytes / 2 || unready >= UNREADY_MAX) return null
      return { items: Math.ceil((most - kept) / BATCHED), bytes: Math.max(1, window.bytes - bytes) }
    },

    clear() {
      kept = 0
      bytes = 0
      unready = 0
    },
  }
}
