import { RetryLaterError } from '../domain/errors.ts'
import { field, text } from '../domain/field.ts'
import type { Client } from './client.ts'
import { type Product, readProduct } from './product-record.ts'
import { isRecord, readList, UnexpectedAnswer } from './read.ts'
import { given, type SentTime, sentId, sentTime, unsendable } from './written.ts'

/** Which products; without anything all that are not deleted. */
export interface ProductFilter {
  /** Changed since then. */
  changedSince?: SentTime | undefined
  /** The platform gives deleted ones unless it is asked not to. */
  includeDeleted?: boolean | undefined
  includePricelists?: boolean | undefined
  includeStockQuantity?: boolean | undefined
  isWebAvailable?: boolean | undefined
  seasons?: readonly string[] | undefined
  brands?: readonly string[] | undefined
  gtins?: readonly string[] | undefined
  productIds?: readonly string[] | undefined
  /** Variants of one page, counted before the filter is applied; 1000 if it does not say. */
  pageSize?: number | undefined
}

/**
 * The products of a filter, each once, page by page; the ids of those that were given are kept in memory.
 *
 * A page may be short or empty in the middle, because the platform counts its rows before it filters them. So the end is
 * not a short page, but: as many as the platform counts for this filter were found; or the pages went as far as it counts
 * products in all. Whether `pageSkip` counts pages or products is not known: it is taken for pages, and for products as
 * soon as page 1 repeats some of page 0, or as pages did not find all. Where that too finds fewer than the platform counts,
 * a RetryLaterError `incomplete` ends it: never half in silence.
 */
export async function* searchProducts(
  client: Client,
  { pageSize = 1_000, ...filter }: ProductFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<Product, void, undefined> {
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw unsendable('products.search: the pageSize', 'must be a whole number from 1.')
  const body = sentFilter(filter)
  const seen = new Set<string>()
  const first = fresh(await page(0))
  yield* first
  const expected = await count(body)
  if (seen.size >= expected) return
  // Everything, deleted ones too: pages are counted over what the filter leaves out.
  const rows = Math.max(await count({}), expected)
  for (const step of new Set([1, pageSize])) {
    for (let number = 1; number * pageSize < rows; number++) {
      const products = await page(number * step)
      const news = fresh(products)
      yield* news
      if (seen.size >= expected) return
      // A page that begins one product later can hold one new product at most.
      if (step === 1 && number === 1 && news.length <= 1 && news.length < products.length) break
    }
  }
  const now = await count(body)
  if (seen.size < now)
    throw new RetryLaterError(
      `platform: products.search found ${seen.size} products, but the platform counts ${now}. Search again later, or with a smaller pageSize.`,
      { code: 'incomplete' },
    )

  function page(pageSkip: number): Promise<Product[]> {
    return client.read('products.search', { body: { ...body, pageSize, pageSkip }, signal }, (answer) =>
      readList(answer, 'product', readProduct),
    )
  }

  function count(of: object): Promise<number> {
    return client.read('products.count', { body: of, signal }, readCount)
  }

  function fresh(products: Product[]): Product[] {
    return products.filter(({ productId }) => {
      if (seen.has(productId)) return false
      seen.add(productId)
      return true
    })
  }
}

function sentFilter({ changedSince, includeDeleted = false, gtins, productIds, ...rest }: ProductFilter) {
  return given({
    ...rest,
    upt: sentTime(changedSince, 'products.search: changedSince'),
    excludeDeleted: includeDeleted ? undefined : true,
    gtiNs: gtins,
    productIds: productIds?.map((id) => sentId(id, 'products.search: a productId')),
  })
}

/** A number, also as text, or in an object that holds it as `count`. */
function readCount(answer: unknown): number {
  const found = text({ count: isRecord(answer) ? field(answer, 'count') : answer }, 'count')
  if (found !== null && /^\d{1,15}$/.test(found)) return Number(found)
  throw new UnexpectedAnswer('there is no count')
}
