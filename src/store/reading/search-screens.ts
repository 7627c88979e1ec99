import { and, desc, eq, inArray, max, sql } from 'drizzle-orm'
import type { FoundRow, SearchReach } from '../screens.ts'
import { SEGMENT, segmentsBefore } from '../search-key.ts'
import { eventsIn, PREFIXES, placeOf } from '../searching/search-block.ts'
import { eventColumns } from './columns.ts'
import type { Db, Dialect } from './dialect.ts'

/** The events found by the keys that they were indexed under. */
export function createSearchScreens(db: Db, { tables, inHex, ofHex }: Dialect) {
  const { events, searchBlocks, searchIndex, searchKeys } = tables

  async function reach(): Promise<SearchReach> {
    const [index] = await db.select({ upTo: searchIndex.upTo }).from(searchIndex)
    const upTo = index?.upTo ?? 0
    const [newest] = await db.select({ id: max(events.id) }).from(events)
    const [last] = await db.select({ at: events.receivedAt }).from(events).where(eq(events.id, upTo))
    return { upTo, until: last?.at ?? null, behind: Math.max(0, (newest?.id ?? 0) - upTo) }
  }

  async function packedUnder(keys: readonly string[], segments: readonly number[]) {
    const places = segments.flatMap((segment) => keys.map((key) => placeOf(segment, key)))
    const rows = await db.select().from(searchBlocks).where(inArray(searchBlocks.place, places))
    return rows.flatMap(({ place, body }) => {
      const segment = Math.floor(place / PREFIXES)
      const here = keys.filter((key) => placeOf(segment, key) === place)
      return here.flatMap((key) => eventsIn(body, key, segment * SEGMENT).map((event) => ({ key, event })))
    })
  }

  return {
    searchReach: reach,

    /** Events under these keys (hex), newest first, each once. */
    async foundBy(keys: string[], limit: number): Promise<FoundRow[]> {
      const { upTo } = await reach()
      const found = new Map<number, string>()
      for (const segments of segmentsBefore(upTo)) {
        const rows = await db
          .select({ key: sql<string>`${inHex(searchKeys.key)}`, event: searchKeys.eventId })
          .from(searchKeys)
          .where(
            and(
              inArray(searchKeys.segment, segments),
              sql`${searchKeys.key} in (${sql.join(keys.map(ofHex), sql`, `)})`,
            ),
          )
          .orderBy(desc(searchKeys.eventId))
          .limit(limit * keys.length)
        for (const { key, event } of [...rows, ...(await packedUnder(keys, segments))].sort(
          (a, b) => b.event - a.event,
        ))
          if (!found.has(event)) found.set(event, key)
        if (found.size >= limit) break
      }
      const ids = [...found.keys()].slice(0, limit)
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
