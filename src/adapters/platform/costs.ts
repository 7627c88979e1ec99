import { PermanentError, RefusedTogetherError, RetryLaterError } from '../../domain/errors.ts'
import type { PricedProduct, SubmittedCostPrice } from '../../domain/submitted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Batch, BatchItem, Effect, PlatformPort } from '../adapter.ts'
import { createProductIds, productLink } from './product-ids.ts'
import { common, together, togetherError } from './together.ts'

type Item = BatchItem<SubmittedCostPrice>

/** What the platform is given to know a product by (spec, "Cost price update"). */
type Key = { productId: string } | { gtin: string }

/**
 * Cost prices, sent by the platform's productId; by the GTIN, which the spec takes as well, where the platform shows no way to look
 * that up.
 */
export function createCostWrites({
  prices,
  products,
  operations,
}: Pick<Platform, 'prices' | 'products' | 'operations'>): Pick<PlatformPort, 'saveCosts'> {
  const productIds = createProductIds(products)

  /** null: the lookup is missing, and nobody shows that there is one. */
  async function byGtins(gtins: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string> | null> {
    try {
      return (await productIds.byGtin(gtins, signal)).ids
    } catch (error) {
      const isMissing = error instanceof PermanentError && error.code === 'http-404'
      if (isMissing && !(await operations.isProven('products.byGtin'))) return null
      throw error
    }
  }

  /** The key of each, or why it has none. */
  async function idsOf(batch: Batch<SubmittedCostPrice>, { attempt }: Item): Promise<Map<Item, Key | Error>> {
    const asked = batch.map(({ argument }) => argument)
    const byExtId = await productIds.byExtId(
      asked.flatMap(({ productExtId }) => productExtId ?? []),
      attempt,
    )
    const byGtin = await byGtins(
      asked.flatMap(({ gtin }) => gtin ?? []),
      attempt.signal,
    )
    const isTold = await operations.isProven('products.byExtId')
    return new Map(
      batch.map((item): [Item, Key | Error] => {
        const { productExtId = '', gtin = '', productId } = item.argument
        const found = byExtId.ids.get(productExtId) ?? byGtin?.get(gtin) ?? productId
        if (found !== undefined) return [item, { productId: found }]
        if (byGtin === null && gtin !== '') return [item, { gtin }]
        const missing = byExtId.refused.get(productExtId) ?? noProduct(item.argument, isTold)
        return [item, byExtId.unasked.has(productExtId) ? notAsked(batch.length) : missing]
      }),
    )
  }

  return {
    async saveCosts(batch) {
      const [first] = batch
      if (!first) return []
      const ids = await idsOf(batch, first).catch((error) => {
        const attempts = batch.map(({ attempt }) => attempt)
        const failure = togetherError(error, attempts)
        return new Map(batch.map((item): [Item, Error] => [item, failure]))
      })
      const known = batch.flatMap((item) => {
        const key = ids.get(item)
        return key === undefined || key instanceof Error ? [] : [{ item, key }]
      })
      const results = await together(
        known.map(({ item: { argument, attempt }, key }) => ({ argument: { ...argument, key }, attempt })),
        async (items, signal) => {
          const costPrices = items.map(({ key, price }) => ({ ...key, price }))
          await prices.saveCosts({ currency: common(items, ({ currency }) => currency), costPrices }, signal)
          return {}
        },
      )
      const ends = new Map(known.map(({ item, key }, index) => [item, linked(results[index], item, key)]))
      return batch.map((item) => ends.get(item) ?? errorIn(ids.get(item)))
    },
  }
}

/** What was found out about the product is not to be asked again. */
function linked(result: Effect | Error | undefined, { argument }: Item, key: Key): Effect | Error | undefined {
  if (result === undefined || result instanceof Error) return result
  if (argument.productExtId === undefined || !('productId' in key)) return result
  return { ...result, links: [productLink(argument.productExtId, key.productId)] }
}

function errorIn(found: Key | Error | undefined): Error {
  return found instanceof Error ? found : new TypeError('a cost price was left out')
}

/** `isTold`: the platform is known to tell which products it has. */
function noProduct({ productExtId, gtin }: PricedProduct, isTold: boolean): Error {
  if (productExtId !== undefined && !isTold)
    return new PermanentError(
      `platform: it takes cost prices by productId and GTIN, and shows no way to look the extId ${JSON.stringify(productExtId)} up. Submit them by GTIN.`,
      { code: 'unknown-product' },
    )
  const name = productExtId === undefined ? `GTIN ${JSON.stringify(gtin)}` : `extId ${JSON.stringify(productExtId)}`
  return new PermanentError(
    `platform: there is no product with the ${name}, so its cost price cannot be set. Submit the product first.`,
    { code: 'unknown-product' },
  )
}

/** To be asked for next, at once: it is no failure, which would count on the schedule of each. */
function notAsked(batchSize: number): Error {
  const Kind = batchSize > 1 ? RefusedTogetherError : RetryLaterError
  return new Kind('platform: there was no time left to ask for the productId; the next try goes on.', {
    code: 'not-asked',
  })
}
