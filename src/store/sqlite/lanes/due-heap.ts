import TinyQueue from 'tinyqueue'
import type { Instant } from '../../../domain/values/instant.ts'

/** Items by due time as of pushing, later changes ignored. */
export function createDueHeap<Item>() {
  const made = (all: { item: Item; dueAt: Instant }[]) => new TinyQueue(all, (one, other) => one.dueAt - other.dueAt)
  let heap = made([])

  return {
    push: (item: Item, dueAt: Instant) => heap.push({ item, dueAt }),
    popDue(now: Instant): Item | null {
      const top = heap.peek()
      if (!top || top.dueAt > now) return null
      heap.pop()
      return top.item
    },
    take(isMeant: (item: Item) => boolean): Item[] {
      const all = heap.data
      heap = made(all.filter(({ item }) => !isMeant(item)))
      return all.flatMap(({ item }) => (isMeant(item) ? [item] : []))
    },
    firstDue: (): Instant | null => heap.peek()?.dueAt ?? null,
  }
}
