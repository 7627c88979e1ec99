import { desc, eq, inArray, max } from 'drizzle-orm'
import type { SearchReach } from '../rows.ts'
import { eventsIn, type FoundRow, type IndexedKey, inVolumes, type Sought, volumeAt } from '../search-key.ts'
import { eventColumns } from './columns.ts'
import type { Db, Dialect } from './dialect.ts'

const VOLUMES_AT_ONCE = 500

export function createSearchScreens(db: Db, { tables }: Dialect) {
  const { events, searchBlocks, searchIndex } = tables

  async function reach(): Promise<SearchReach> {
    const [index] = await db.select({ upTo: searchIndex.upTo }).from(searchIndex)
    const upTo = index?.upTo ?? 0
    const [newest] = await db.select({ id: max(events.id) }).from(events)
    const [last] = await db.select({ at: events.receivedAt }).from(events).where(eq(events.id, upTo))
    return { upTo, until: last?.at ?? null, behind: Math.max(0, (newest?.id ?? 0) - upTo) }
  }

  async function under(sought: readonly Sought[]): Promise<IndexedKey[]> {
    const places = [...new Set(sought.map(({ place }) => place))]
    const rows = await db.select().from(searchBlocks).where(inArray(searchBlocks.place, places))
    const bodies = new Map(rows.map(({ place, body }) => [place, body]))
    return sought.flatMap(({ place, key, first }) => {
      const body = bodies.get(place)
      return body ? eventsIn(body, key, first).map((event) => ({ key, event })) : []
    })
  }

  async function newestVolume(): Promise<number> {
    const [newest] = await db.select({ place: max(searchBlocks.place) }).from(searchBlocks)
    return volumeAt(newest?.place ?? -1)
  }

  return {
    searchReach: reach,

    async foundBy(keys: string[], limit: number): Promise<FoundRow[]> {
      const found = new Map<number, string>()
      for (let last = await newestVolume(); last >= 0 && found.size < limit; last -= VOLUMES_AT_ONCE) {
        const volumes = Array.from({ length: Math.min(VOLUMES_AT_ONCE, last + 1) }, (_, nth) => last - nth)
        for (const { key, event } of await under(inVolumes(volumes, keys))) if (!found.has(event)) found.set(event, key)
      }
      const ids = [...found.keys()].sort((a, b) => b - a).slice(0, limit)
      if (ids.length === 0) return []
      const rows = await db
        .select(eventColumns(tables))
        .from(events)
        .where(inArray(events.id, ids))
        .orderBy(desc(events.id))
      return rows.map((event) => ({ key: found.get(event.id) ?? '', event }))
    },
  }
}
