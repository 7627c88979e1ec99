import type { Item } from './item.ts'

/** The due deliveries that go out alone, the oldest first. */
export function createSingles() {
  let items: Item[] = []
  /** The items before this place are taken. */
  let from = 0

  return {
    push(item: Item) {
      items.push(item)
    },

    first: (): Item | undefined => items[from],

    /** Takes the first. */
    shift() {
      from += 1
      if (from < items.length && from <= 256) return
      items = items.slice(from)
      from = 0
    },

    /** True: it was there. */
    remove(item: Item): boolean {
      const place = items.indexOf(item, from)
      if (place >= 0) items.splice(place, 1)
      return place >= 0
    },

    isEmpty: (): boolean => from === items.length,
    all: (): Item[] => items.slice(from),

    clear() {
      items = []
      from = 0
    },
  }
}
