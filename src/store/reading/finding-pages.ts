import { and, eq } from 'drizzle-orm'
import type { FindingFilter } from '../../domain/catalogue/finding.ts'
import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'
import type { FindingText } from '../finding-text.ts'
import { pageByDay } from './by-day.ts'
import type { Db, Dialect } from './dialect.ts'

export function createFindingPages(db: Db, dialect: Dialect) {
  const { findings } = dialect.tables
  const { id, sort, key, topic, day, body } = findings

  return {
    async findingPage(filter: FindingFilter, after: MirrorCursor | null, limit: number): Promise<FindingText[]> {
      const wanted = and(eq(sort, filter.sort), filter.topic === undefined ? undefined : eq(topic, filter.topic))
      return await pageByDay(findings, dialect, { from: filter.from, after, limit }, (range, most) =>
        db.select({ id, key, day, body }).from(findings).where(and(wanted, range)).orderBy(day, id).limit(most),
      )
    },
  }
}
