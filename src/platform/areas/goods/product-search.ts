import type { Client } from '../../http/client.ts'
import type { Unreadable } from '../../http/listed.ts'
import { allPages, readCount } from '../../http/paging.ts'
import { readListed } from '../../http/read-rows.ts'
import { type SentTime, sentTime } from '../../http/sent-time.ts'
import { given, sentId } from '../../http/written.ts'
import { type Product, readProduct } from './product-record.ts'

/** The products wanted; with nothing given, all that are not deleted. */
export interface ProductFilter {
  /** Changed since then. */
  changedSince?: SentTime | undefined
  /** The platform gives deleted ones unless it is asked not to. */
  includeDeleted?: boolean | undefined
  includePricelists?: boolean | undefined
  /** All GTINs of a size, not the first alone; on pages of fewer than 2,000. */
  includeAlternativeIdentifiers?: boolean | undefined
  /** Sizes without a GTIN too. */
  includeEmptyGTINs?: boolean | undefined
  includeStockQuantity?: boolean | undefined
  isWebAvailable?: boolean | undefined
  seasons?: readonly string[] | undefined
  brands?: readonly string[] | undefined
  gtins?: readonly string[] | undefined
  productIds?: readonly string[] | undefined
  /** Variants of one page, counted before the filter is applied; 1000 if it does not say. */
  pageSize?: number | undefined
}

/** The products of a filter, each once, page by page; see allPages for where they end. Gives at the end what is aside. */
export async function* searchProducts(
  client: Client,
  { pageSize = 1_000, ...filter }: ProductFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<Product, Unreadable[], undefined> {
  const body = sentFilter(filter)
  const aside = yield* allPages({
    operation: 'products.search',
    things: 'products',
    pageSize,
    page: (pageSkip) =>
      client.read('products.search', { body: { ...body, pageSize, pageSkip }, signal }, (answer) =>
        readListed(answer, 'product', readProduct),
      ),
    count: (of) => client.read('products.count', { body: of === 'all' ? {} : body, signal }, readCount),
    idOf: ({ productId }) => productId,
  })
  client.aside('products.search', '', aside)
  return aside
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
