import { RetryLaterError } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import type { Client } from './client.ts'
import type { OperationName } from './endpoints.ts'
import {
  isRecord,
  joined,
  type Listed,
  readListed,
  UnexpectedAnswer,
  type Unreadable,
  type WireRecord,
} from './read.ts'
import { unsendable } from './written.ts'

interface PagedList<Row> {
  operation: string
  things: string
  /** Counted before a filter is applied. */
  pageSize: number
  first?: Listed<Row>
  page(pageSkip: number): Promise<Listed<Row>>
  /** Without it, the list ends at a page without news. */
  count?(of: 'filter' | 'all'): Promise<number>
  idOf(row: Row): string
  /** Rows of an ignored filter are counted and left out. */
  isAsked?(row: Row): boolean
}

const MAX_PAGES = 1_000

/**
 * Every row once; returns the rejected rows. Short pages are no end: the end is the filter's count. `pageSkip` is
 * taken for pages, then for rows. Throws RetryLaterError `incomplete`.
 */
async function* allPages<Row>(list: PagedList<Row>): AsyncGenerator<Row, Unreadable[], undefined> {
  const { operation, things, pageSize, first, page, count, idOf, isAsked = () => true } = list
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw unsendable(`${operation}: the pageSize`, 'must be a whole number from 1.')
  const seen = new Set<string>()
  let rejected: Unreadable[] = []
  const come = () => seen.size + rejected.length
  yield* fresh(first ?? (await page(0)))
  const expected = (await count?.('filter')) ?? Number.POSITIVE_INFINITY
  if (come() >= expected) return rejected
  // Deleted rows included: pages count what the filter leaves out.
  const rows = count ? Math.max(await count('all'), expected) : (MAX_PAGES + 1) * pageSize
  for (const step of new Set([1, pageSize])) {
    for (let number = 1; number * pageSize < rows; number++) {
      const found = await page(number * step)
      const before = come()
      yield* fresh(found)
      const news = come() - before
      if (come() >= expected || (!count && news === 0)) return rejected
      // A page that begins one row later has one new row at most.
      if (step === 1 && number === 1 && news <= 1 && news < found.rows.length + found.rejected.length) break
    }
  }
  const now = (await count?.('filter')) ?? null
  if (now === null) throw endless(operation, `${come()} ${things}s on ${MAX_PAGES} pages`)
  if (come() < now)
    throw new RetryLaterError(
      `platform: ${operation} found ${come()} ${things}s, but the platform counts ${now}. Search again later, or with a smaller pageSize.`,
      { code: 'incomplete' },
    )
  return rejected

  function fresh(found: Listed<Row>): Row[] {
    rejected = joined(rejected, found.rejected)
    return found.rows.filter((each) => {
      const id = idOf(each)
      if (seen.has(id)) return false
      seen.add(id)
      return isAsked(each)
    })
  }
}

interface Search<Row> extends Pick<PagedList<Row>, 'things' | 'idOf' | 'isAsked'> {
  search: OperationName
  count: OperationName
  filter: object
  pageSize?: number | undefined
  read(record: WireRecord): Row
}

export async function* searchPages<Row>(
  client: Client,
  { search, count, filter, pageSize = 1_000, read, ...list }: Search<Row>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Row, Unreadable[], undefined> {
  const rejected = yield* allPages({
    ...list,
    operation: search,
    pageSize,
    page: (pageSkip) =>
      client.read(search, { body: { ...filter, pageSize, pageSkip }, signal }, (answer) =>
        readListed(answer, list.things, read),
      ),
    count: (of) => client.read(count, { body: of === 'all' ? {} : filter, signal }, readCount),
  })
  client.rejected(search, '', rejected)
  return rejected
}

export async function collectPages<Row>(list: PagedList<Row>): Promise<Listed<Row>> {
  const pages = allPages(list)
  const rows: Row[] = []
  for (;;) {
    const next = await pages.next()
    if (next.done) return { rows, rejected: next.value }
    rows.push(next.value)
  }
}

export function endless(operation: string, found: string): RetryLaterError {
  const message = `platform: ${operation} has found ${found}, and each has others: this list does not end. None is taken.`
  return new RetryLaterError(message, { code: 'endless' })
}

function readCount(answer: unknown): number {
  const found = text({ count: isRecord(answer) ? field(answer, 'count') : answer }, 'count')
  if (found !== null && /^\d{1,15}$/.test(found)) return Number(found)
  throw new UnexpectedAnswer('there is no count')
}
