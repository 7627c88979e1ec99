import { createTable } from '../../../lib/collections.ts'
import { type Item, isBefore, placeOf } from './item.ts'

export function createEntityLines() {
  let lines = createTable<Item[]>()
  /** Claimed ones: others of the entity wait, older ones too (after a retry). */
  const out = createTable<Item>()

  return {
    /** Behind an item that waits long, it gives up its body too. */
    join(item: Item) {
      const { entity } = item.delivery
      if (entity === null) return
      const line = lines.get(entity)
      if (!line) {
        lines.set(entity, [item])
        return
      }
      let place = line.length
      while (place > 0 && isBefore(placeOf(item), placeOf(line[place - 1] as Item))) place -= 1
      if (place > 0 && line[0]?.body === null) item.body = null
      line.splice(place, 0, item)
    },

    leave(item: Item) {
      const { entity } = item.delivery
      if (entity === null) return
      const line = lines.get(entity)
      if (!line) return
      const place = line.indexOf(item)
      if (place >= 0) line.splice(place, 1)
      if (line.length === 0) lines.delete(entity)
    },

    first: (entity: string | null): Item | null => (entity === null ? null : (lines.get(entity)?.[0] ?? null)),
    find: (entity: string, id: number): Item | null =>
      lines.get(entity)?.find(({ delivery }) => delivery.id === id) ?? null,

    /** Low priority only if all that wait behind it are so too. */
    yields(item: Item): boolean {
      if (!item.yields || item.delivery.entity === null) return item.yields
      return lines.get(item.delivery.entity)?.every((one) => one.yields) ?? true
    },

    /** Those waiting for this one, if it is first. */
    behind(item: Item): Item[] {
      const line = item.delivery.entity === null ? null : lines.get(item.delivery.entity)
      return line?.[0] === item ? line.slice(1) : []
    },

    claimed(item: Item) {
      if (item.delivery.entity !== null) out.set(item.delivery.entity, item)
    },
    unclaimed({ delivery }: Item) {
      if (delivery.entity !== null) out.delete(delivery.entity)
    },
    claimedOf: (entity: string | null): Item | null => (entity === null ? null : (out.get(entity) ?? null)),

    clear() {
      lines = createTable()
    },
    all: (): Item[] => lines.values().flat(),
  }
}
