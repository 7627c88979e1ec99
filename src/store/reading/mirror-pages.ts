import { and, eq, lte } from 'drizzle-orm'
import type { MirrorCursor, MirrorFilter } from '../../domain/catalogue/mirror.ts'
import type { MirrorText } from '../mirror-text.ts'
import { pageByDay } from './by-day.ts'
import type { Db, Dialect } from './dialect.ts'

export function createMirrorPages(db: Db, dialect: Dialect) {
  const { mirror } = dialect.tables
  const { set, place, article, part, day, id } = mirror

  return {
    async mirrorPage(filter: MirrorFilter, after: MirrorCursor | null, limit: number): Promise<MirrorText[]> {
      const wanted = and(
        eq(set, filter.set),
        filter.place === undefined ? undefined : eq(place, filter.place),
        filter.article === undefined ? undefined : eq(article, filter.article),
        filter.part === undefined ? undefined : eq(part, filter.part),
        filter.to === undefined ? undefined : lte(day, filter.to),
      )
      return await pageByDay(mirror, dialect, { from: filter.from, after, limit }, (range, most) =>
        db.select().from(mirror).where(and(wanted, range)).orderBy(day, id).limit(most),
      )
    },
  }
}
