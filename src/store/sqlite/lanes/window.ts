import type { Item } from './item.ts'

/** How much of a lane is kept in memory; the rest stays in the file until there is room. */
export interface Window {
  items: number
  bytes: number
}

/** Items that go out together are small: so many of them count as one, or else no large batch would ever fit. */
const BATCHED = 5

/** The most failing or held deliveries of one lane that are kept track of; newer ones wait behind them in the file. */
const UNREADY_MAX = 100_000

/** Counts what a lane keeps in memory, and says when there is room for more. */
export function createWindowCount(window: Window) {
  const most = window.items * BATCHED
  /** Waiting items with their bodies in memory, due or behind one of their entity. */
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

    /** The item keeps its place, but its body's memory is given back. */
    dropBody(item: Item) {
      count(item, -1)
      item.body = null
      count(item, 1)
    },

    isFull: (): boolean => kept >= most || bytes >= window.bytes || unready >= UNREADY_MAX,

    /** Twice as much as there is room for: it is better to forget all and to read again. */
    isOverfull: (): boolean => kept >= 2 * most || bytes >= 2 * window.bytes || unready >= 2 * UNREADY_MAX,

    /** The room for what a read of the file may bring; null: too little to be worth a read. */
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
