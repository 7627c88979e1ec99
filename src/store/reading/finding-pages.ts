import { and, eq, gte } from 'drizzle-orm'
import type { FindingFilter } from '../../domain/catalogue/finding.ts'
import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'
import type { FindingText } from '../finding-text.ts'
import type { Db, Dialect } from './dialect.ts'

/** The findings of jobs, page by page. */
export function createFindingPages(db: Db, { tables: { findings }, rangesAfter }: Dialect) {
  const { id, sort, key, topic, day, body } = findings

  return {
    async findingPage(filter: FindingFilter, after: MirrorCursor | null, limit: number): Promise<FindingText[]> {
      const wanted = and(
        eq(sort, filter.sort),
        filter.topic === undefined ? undefined : eq(topic, filter.topic),
        filter.from === undefined ? undefined : gte(day, filter.from),
      )
      const rows: FindingText[] = []
      for (const range of after === null ? [undefined] : rangesAfter(day, id, after))
        if (rows.length < limit)
          rows.push(
            ...(await db
              .select({ id, key, day, body })
              .from(findings)
              .where(and(wanted, range))
              .orderBy(day, id)
              .limit(limit - rows.length)),
          )
      return rows
    },
  }
}
