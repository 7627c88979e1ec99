import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { joined, type Listed } from '../http/listed.ts'

/** Sizes of pages of a long list, and parts of larger ones: where nobody asks for another, they are of 50, 64, 100, 1,000 and so on. */
const PAGES = [50, 64]

/** The most pages that are asked for: a platform that answers each question with other rows has no last one. */
const MOST_PAGES = 1_000

/** Refusals of a question that names a page: this platform has none. */
const NO_PAGES = ['http-400', 'http-422']

interface Further<Row> {
  /** The operation's name, for errors. */
  operation: string
  /** Asks for a page of so many rows, behind so many. */
  page(size: number, skip: number): Promise<Listed<Row>>
  idOf(row: Row): string
}

/**
 * The whole of a list that came in answer to a question without pages. Whether the platform gives one all the same is not shown: as many
 * rows as a page may hold are asked for again, from behind them, until nothing new comes. Whether pages or rows are skipped is not
 * known either: they are taken for pages, and for rows where the next page begins one row later. A platform without pages answers
 * the same again, or refuses.
 */
export async function withFurtherPages<Row>(first: Listed<Row>, further: Further<Row>): Promise<Listed<Row>> {
  const { operation, page, idOf } = further
  const size = sizeOf(first)
  if (!PAGES.some((one) => size > 0 && size % one === 0)) return first
  const rows = [...first.rows]
  let { aside } = first
  const seen = new Set(rows.map(idOf))
  const come = () => seen.size + aside.length
  let step = 1
  for (let number = 1; number <= MOST_PAGES; number++) {
    const found = await page(size, number * step).catch((error: unknown) => {
      if (number === 1 && step === 1 && error instanceof PermanentError && NO_PAGES.includes(error.code)) return null
      throw error
    })
    if (found === null) return first
    const before = come()
    for (const row of found.rows) {
      if (seen.has(idOf(row))) continue
      seen.add(idOf(row))
      rows.push(row)
    }
    aside = joined(aside, found.aside)
    const news = come() - before
    if (news === 0) return { rows, aside }
    if (number > 1 || step > 1 || news > 1 || sizeOf(found) <= 1) continue
    step = size
    number = 0
  }
  const message = `platform: ${operation} has found ${come()} rows on ${MOST_PAGES} pages, and each has others: this list does not end.`
  throw new RetryLaterError(message, { code: 'endless' })
}

function sizeOf({ rows, aside }: Listed<unknown>): number {
  return rows.length + aside.length
}
