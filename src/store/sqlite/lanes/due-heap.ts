import type { Instant } from '../../../domain/values/instant.ts'

/** Items by when they are due, the soonest first (a binary heap). */
export function createDueHeap<Item>() {
  const heap: { item: Item; dueAt: Instant }[] = []

  function pop(): Item | null {
    const top = heap[0]
    const last = heap.pop()
    if (!top || !last) return null
    if (heap.length > 0) sink(last)
    return top.item
  }

  function sink(entry: { item: Item; dueAt: Instant }) {
    let place = 0
    for (;;) {
      let child = place * 2 + 1
      const left = heap[child]
      if (!left) break
      const right = heap[child + 1]
      const smaller = right && right.dueAt < left.dueAt ? right : left
      if (smaller === right) child += 1
      if (smaller.dueAt >= entry.dueAt) break
      heap[place] = smaller
      place = child
    }
    heap[place] = entry
  }

  return {
    push(item: Item, dueAt: Instant) {
      let place = heap.length
      while (place > 0) {
        const parent = (place - 1) >> 1
        const above = heap[parent]
        if (!above || above.dueAt <= dueAt) break
        heap[place] = above
        place = parent
      }
      heap[place] = { item, dueAt }
    },
    pop,
    popDue(now: Instant): Item | null {
      const top = heap[0]
      return top && top.dueAt <= now ? pop() : null
    },
    firstDue: (): Instant | null => heap[0]?.dueAt ?? null,
  }
}
