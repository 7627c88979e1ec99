import { gte, type SQL } from 'drizzle-orm'
import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'
import type { Tables } from '../schema.ts'
import type { Dialect } from './dialect.ts'

type Paged = Tables['mirror'] | Tables['findings']

interface Page {
  from: string | undefined
  after: MirrorCursor | null
  limit: number
}

/** Range by range, each with one lower bound: of two, a server may use the other and read all earlier pages. */
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
