import type { Item } from './item.ts'

export function createSingles() {
  let items: Item[] = []
  /** Taken before this index. */
  let from = 0

  return {
    push(item: Item) {
      items.push(item)
    },

    first: (): Item | undefined => items[from],

    shift() {
      from += 1
      if (from < items.length && from <= 256) return
      items = items.slice(from)
      from = 0
    },

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
