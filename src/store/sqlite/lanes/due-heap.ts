import TinyQueue from 'tinyqueue'
import type { Instant } from '../../../domain/values/instant.ts'

/** Items by when they are due, the soonest first. An item's time is that of its coming here, whatever becomes of it. */
export function createDueHeap<Item>() {
  const heap = new TinyQueue<{ item: Item; dueAt: Instant }>([], (one, other) => one.dueAt - other.dueAt)

  return {
    push: (item: Item, dueAt: Instant) => heap.push({ item, dueAt }),
    popDue(now: Instant): Item | null {
      const top = heap.peek()
      if (!top || top.dueAt > now) return null
      heap.pop()
      return top.item
    },
    firstDue: (): Instant | null => heap.peek()?.dueAt ?? null,
  }
}
