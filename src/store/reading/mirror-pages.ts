import { and, eq, gte, lte, type SQL } from 'drizzle-orm'
import type { MirrorCursor, MirrorFilter } from '../../domain/mirror.ts'
import type { MirrorText } from '../mirror-text.ts'
import type { Db, Dialect } from './dialect.ts'

/** The mirror, page by page. */
export function createMirrorPages(db: Db, { tables: { mirror }, rangesAfter }: Dialect) {
  const { set, place, article, day, id } = mirror

  function select(where: SQL | undefined, limit: number): Promise<MirrorText[]> {
    return db.select().from(mirror).where(where).orderBy(day, id).limit(limit)
  }

  return {
    async mirrorPage(filter: MirrorFilter, after: MirrorCursor | null, limit: number): Promise<MirrorText[]> {
      const wanted = and(
        eq(set, filter.set),
        filter.place === undefined ? undefined : eq(place, filter.place),
        filter.article === undefined ? undefined : eq(article, filter.article),
        filter.from === undefined ? undefined : gte(day, filter.from),
        filter.to === undefined ? undefined : lte(day, filter.to),
      )
      const ranges = after === null ? [undefined] : rangesAfter(day, id, after)
      const rows: MirrorText[] = []
      for (const range of ranges)
        if (rows.length < limit) rows.push(...(await select(and(wanted, range), limit - rows.length)))
      return rows
    },
  }
}
