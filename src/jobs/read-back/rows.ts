import { isDeepStrictEqual } from 'node:util'
import { nameOf, type Said } from '../../domain/catalogue/master-data-check.ts'
import { differenceKey, type ProductDifference } from '../../domain/catalogue/master-data-difference.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import { findingPages } from '../../store/walk-pages.ts'
import type { RetailList } from '../products/retail.ts'
import type { Verdict } from './judge.ts'

/** Open differences, and what becomes of them. */
export interface Differences {
  open: ReadonlyMap<string, ProductDifference>
  /** Whether a verdict changes anything. */
  concerns(verdict: Verdict): boolean
  /** The last one of a thing counts. */
  note(verdict: Verdict): void
  /** Differences of which nothing was noted. */
  rest(): ProductDifference[]
  /** Keeps what has changed. */
  save(): Promise<{ more: number; gone: number; open: number }>
}

/** The most rows that are written at once. */
const ROWS_PER_WRITE = 500

export async function openDifferences(
  store: Pick<Store, 'findings' | 'saveFindings'>,
  retail: readonly RetailList[],
  now: Instant,
): Promise<Differences> {
  const open = new Map<string, ProductDifference>()
  for await (const page of findingPages(store, { sort: 'product-difference', topic: 'open' }))
    for (const { key, says } of page) open.set(key, says)
  const noted = new Map<string, ProductDifference | null>()

  return {
    open,
    concerns: ({ wrong, subject, said }) => wrong !== null || open.has(differenceKey(subject, said)),

    note(verdict) {
      const key = differenceKey(verdict.subject, verdict.said)
      const before = open.get(key)
      if (verdict.wrong !== null) noted.set(key, found(verdict, verdict.wrong, before, storesOf(verdict.said), now))
      else noted.set(key, before ? { ...before, state: 'gone', foundAt: now } : null)
    },

    rest: () => [...open].filter(([key]) => !noted.has(key)).map(([, difference]) => difference),

    async save() {
      const changed = [...noted].flatMap(([key, difference]) =>
        difference === null || isSame(difference, open.get(key)) ? [] : [difference],
      )
      for (let from = 0; from < changed.length; from += ROWS_PER_WRITE) {
        const some = changed.slice(from, from + ROWS_PER_WRITE)
        await store.saveFindings(some.map((says) => ({ type: 'keep', finding: { sort: 'product-difference', says } })))
      }
      const gone = changed.filter(({ state }) => state === 'gone').length
      const more = [...noted].filter(([key, one]) => one?.state === 'open' && !open.has(key)).length
      return { more, gone, open: open.size + more - gone }
    },
  }

  /** Stores whose tills go by that list. */
  function storesOf(said: Said): string[] {
    if (said.about !== 'price') return []
    return retail.filter(({ list }) => list === said.list).map(({ store: number, storeId }) => number ?? storeId)
  }
}

function found(
  { check, subject, product, said }: Verdict,
  { read }: NonNullable<Verdict['wrong']>,
  before: ProductDifference | undefined,
  stores: string[],
  now: Instant,
): ProductDifference {
  return {
    subject,
    productId: product?.productId ?? null,
    productName: product?.name ?? null,
    said,
    field: nameOf(said),
    submitted: said.about === 'text' && said.shown !== undefined ? said.shown : said.value,
    read,
    stores,
    delivery: check.delivery,
    since: before?.since ?? now,
    foundAt: now,
    state: 'open',
  }
}

/** But for when it was found. */
function isSame(one: ProductDifference, other: ProductDifference | undefined): boolean {
  return other !== undefined && isDeepStrictEqual({ ...one, foundAt: 0 }, { ...other, foundAt: 0 })
}
