import { RetryLaterError } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import { isRecord, joined, type Listed, UnexpectedAnswer, type Unreadable } from './read.ts'
import { unsendable } from './written.ts'

interface PagedSearch<Found> {
  /** The operation's name for errors, `products.search`, and the things that it looks for: `products`. */
  operation: string
  things: string
  /** Rows on one page, counted before the filter is applied. */
  pageSize: number
  page(pageSkip: number): Promise<Listed<Found>>
  /** How many the filter has, or how many there are in all. */
  count(of: 'filter' | 'all'): Promise<number>
  idOf(found: Found): string
}

/**
 * All that a search finds, each once, page by page; the ids of those that were given are kept in memory.
 *
 * A page may be short or empty in the middle, because the platform counts its rows before it filters them. So the end is
 * not a short page, but: as many as the platform counts for this filter were found; or the pages went as far as it counts
 * in all. Whether `pageSkip` counts pages or rows is not known: it is taken for pages, and for rows as soon as page 1
 * repeats some of page 0, or as pages did not find all. Where that too finds fewer than the platform counts, a
 * RetryLaterError `incomplete` ends it: never half in silence. Rows that cannot be read are counted, and given back at the end.
 */
export async function* allPages<Found>(search: PagedSearch<Found>): AsyncGenerator<Found, Unreadable[], undefined> {
  const { operation, things, pageSize, page, count, idOf } = search
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw unsendable(`${operation}: the pageSize`, 'must be a whole number from 1.')
  const seen = new Set<string>()
  let aside: Unreadable[] = []
  const come = () => seen.size + aside.length
  yield* fresh(await page(0))
  const expected = await count('filter')
  if (come() >= expected) return aside
  // Everything, deleted ones too: pages are counted over what the filter leaves out.
  const rows = Math.max(await count('all'), expected)
  for (const step of new Set([1, pageSize])) {
    for (let number = 1; number * pageSize < rows; number++) {
      const found = await page(number * step)
      const before = come()
      yield* fresh(found)
      if (come() >= expected) return aside
      // A page that begins one row later can hold one new thing at most.
      const news = come() - before
      if (step === 1 && number === 1 && news <= 1 && news < found.rows.length + found.aside.length) break
    }
  }
  const now = await count('filter')
  if (come() < now)
    throw new RetryLaterError(
      `platform: ${operation} found ${come()} ${things}, but the platform counts ${now}. Search again later, or with a smaller pageSize.`,
      { code: 'incomplete' },
    )
  return aside

  function fresh(found: Listed<Found>): Found[] {
    aside = joined(aside, found.aside)
    return found.rows.filter((each) => {
      const id = idOf(each)
      if (seen.has(id)) return false
      seen.add(id)
      return true
    })
  }
}

/** A number, also as text, or in an object that holds it as `count`. */
export function readCount(answer: unknown): number {
  const found = text({ count: isRecord(answer) ? field(answer, 'count') : answer }, 'count')
  if (found !== null && /^\d{1,15}$/.test(found)) return Number(found)
  throw new UnexpectedAnswer('there is no count')
}
