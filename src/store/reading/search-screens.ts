import { and, desc, eq, inArray, max, min, sql } from 'drizzle-orm'
import type { SearchReach } from '../screens.ts'
import { downFrom, type FoundRow, segmentOf } from '../search-key.ts'
import { eventsIn, firstEventIn, inVolumes, type Sought, volumeAt } from '../searching/search-block.ts'
import { eventColumns } from './columns.ts'
import type { Db, Dialect } from './dialect.ts'

interface Under {
  key: string
  event: number
}

export function createSearchScreens(db: Db, { tables, inHex, ofHex }: Dialect) {
  const { events, searchBlocks, searchIndex, searchKeys } = tables

  async function reach(): Promise<SearchReach> {
    const [index] = await db.select({ upTo: searchIndex.upTo }).from(searchIndex)
    const upTo = index?.upTo ?? 0
    const [newest] = await db.select({ id: max(events.id) }).from(events)
    const [last] = await db.select({ at: events.receivedAt }).from(events).where(eq(events.id, upTo))
    return { upTo, until: last?.at ?? null, behind: Math.max(0, (newest?.id ?? 0) - upTo) }
  }

  async function rowsUnder(keys: readonly string[], segments: number[], limit: number): Promise<Under[]> {
    return await db
      .select({ key: sql<string>`${inHex(searchKeys.key)}`, event: searchKeys.eventId })
      .from(searchKeys)
      .where(
        and(inArray(searchKeys.segment, segments), sql`${searchKeys.key} in (${sql.join(keys.map(ofHex), sql`, `)})`),
      )
      .orderBy(desc(searchKeys.eventId))
      .limit(limit * keys.length)
  }

  async function packedUnder(sought: readonly Sought[]): Promise<Under[]> {
    const places = [...new Set(sought.map(({ place }) => place))]
    const rows = await db.select().from(searchBlocks).where(inArray(searchBlocks.place, places))
    const bodies = new Map(rows.map(({ place, body }) => [place, body]))
    return sought.flatMap(({ place, key, first }) => {
      const body = bodies.get(place)
      return body ? eventsIn(body, key, first).map((event) => ({ key, event })) : []
    })
  }

  async function oldestSegment(): Promise<number> {
    const [row] = await db.select({ segment: min(searchKeys.segment) }).from(searchKeys)
    return row?.segment ?? Infinity
  }

  async function newestVolume(): Promise<number> {
    const [newest] = await db.select({ place: max(searchBlocks.place) }).from(searchBlocks)
    return volumeAt(newest?.place ?? -1)
  }

  return {
    searchReach: reach,

    /** Newest first. Keys move from rows to volumes: in this order none is missed. */
    async foundBy(keys: string[], limit: number): Promise<FoundRow[]> {
      const { upTo } = await reach()
      const found = new Map<number, string>()
      const add = (those: readonly Under[]) => {
        for (const { key, event } of those) if (!found.has(event)) found.set(event, key)
      }
      const isEnough = (from: number) => [...found.keys()].filter((event) => event >= from).length >= limit
      for (const segments of downFrom(segmentOf(upTo), await oldestSegment()))
        add(await rowsUnder(keys, segments, limit))
      for (const volumes of downFrom(await newestVolume(), 0)) {
        if (isEnough(firstEventIn((volumes[0] ?? 0) + 1))) break
        add(await packedUnder(inVolumes(volumes, keys)))
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
