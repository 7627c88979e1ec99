import type { KeptRow } from '../../domain/catalogue/mirror.ts'
import { type Decimal, parseDecimal, sumDecimals } from '../../domain/values/money.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'
import type { Known } from './fields.ts'

type Records = Pick<Store, 'mirrorPage'>

/** The most articles that are asked about at a time. */
const ARTICLES_PER_READ = 100

/** More reservations of one article are not kept at once. */
const MOST_RESERVED = 5_000

const ZERO = parseDecimal(0)

/** The quantities kept of these articles now. */
export async function reservedOf(records: Records, articles: Iterable<string>): Promise<Known['reserved']> {
  const left = [...new Set(articles)]
  const rows: KeptRow[] = []
  while (left.length > 0) {
    const asked = left.splice(0, ARTICLES_PER_READ)
    const pages = asked.map((article) => records.mirrorPage({ set: 'reservations', article }, null, MOST_RESERVED))
    rows.push(...(await Promise.all(pages)).flat())
  }
  return sumsOf(rows)
}

/** The quantities kept of all articles now: to ask for a million of them, one by one, takes much longer. */
export async function reservedOfAll(records: Records): Promise<Known['reserved']> {
  const open: KeptRow[] = []
  // A reservation that has ended is about no article any more.
  for await (const page of mirrorPages(records, { set: 'reservations' }))
    open.push(...page.filter(({ article }) => article !== null))
  return sumsOf(open)
}

function sumsOf(rows: readonly KeptRow[]): Known['reserved'] {
  const keyOf = (stockId: string | null, gtin: string | null) => `${stockId}\0${gtin}`
  const grouped = Map.groupBy(rows, ({ place, article }) => keyOf(place, article))
  const sums = new Map(
    [...grouped].map(([key, group]) => [
      key,
      sumDecimals(group.flatMap(({ body }) => (body.quantity as Decimal | null) ?? [])),
    ]),
  )
  return (stockId, gtin) => sums.get(keyOf(stockId, gtin)) ?? ZERO
}
