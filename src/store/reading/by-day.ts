import { gte, type SQL } from 'drizzle-orm'
import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'
import type { Dialect, Tables } from './dialect.ts'

type Paged = Tables['mirror'] | Tables['findings']

/** A page of rows in the order of their days: from a day on, after a row, as many as there is room for. */
interface Page {
  from: string | undefined
  after: MirrorCursor | null
  limit: number
}

/**
 * Reads a page range by range. Each range has one lower bound: of two, a server may go by the other one, and read all that has
 * been on earlier pages.
 */
export async function pageByDay<Row>(
  { day, id }: Pick<Paged, 'day' | 'id'>,
  { rangesAfter }: Pick<Dialect, 'rangesAfter'>,
  { from, after, limit }: Page,
  select: (range: SQL | undefined, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const goesOn = after !== null && (from === undefined || after.day >= from)
  const ranges = goesOn ? rangesAfter(day, id, after) : [from === undefined ? undefined : gte(day, from)]
  const rows: Row[] = []
  for (const range of ranges) if (rows.length < limit) rows.push(...(await select(range, limit - rows.length)))
  return rows
}
