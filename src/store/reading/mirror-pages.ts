import { and, eq, gte, lte, type SQL } from 'drizzle-orm'
import type { MirrorCursor, MirrorFilter } from '../../domain/catalogue/mirror.ts'
import type { MirrorText } from '../mirror-text.ts'
import type { Db, Dialect } from './dialect.ts'

/** The mirror, page by page. */
export function createMirrorPages(db: Db, { tables: { mirror }, rangesAfter }: Dialect) {
  const { set, place, article, part, day, id } = mirror

  function select(where: SQL | undefined, limit: number): Promise<MirrorText[]> {
    return db.select().from(mirror).where(where).orderBy(day, id).limit(limit)
  }

  /** Ranges with one lower bound each: of two, a server may go by the other one, and read all that has been on earlier pages. */
  function rangesFrom({ from }: MirrorFilter, after: MirrorCursor | null): (SQL | undefined)[] {
    if (after !== null && (from === undefined || after.day >= from)) return rangesAfter(day, id, after)
    return [from === undefined ? undefined : gte(day, from)]
  }

  return {
    async mirrorPage(filter: MirrorFilter, after: MirrorCursor | null, limit: number): Promise<MirrorText[]> {
      const wanted = and(
        eq(set, filter.set),
        filter.place === undefined ? undefined : eq(place, filter.place),
        filter.article === undefined ? undefined : eq(article, filter.article),
        filter.part === undefined ? undefined : eq(part, filter.part),
        filter.to === undefined ? undefined : lte(day, filter.to),
      )
      const rows: MirrorText[] = []
      for (const range of rangesFrom(filter, after))
        if (rows.length < limit) rows.push(...(await select(and(wanted, range), limit - rows.length)))
      return rows
    },
  }
}
