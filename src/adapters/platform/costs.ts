import type { SubmittedCostPrice } from '../../domain/catalogue/submitted.ts'
import { PermanentError, RefusedTogetherError, RetryLaterError } from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Batch, BatchItem, Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { createProductIds, productLink } from './product-ids.ts'
import { common, together, togetherError } from './together.ts'

type Item = BatchItem<SubmittedCostPrice>

/** The key by which a cost price names its product (spec, "Cost price update": `productId` or `gtin`, no extId). */
type CostKey = { gtin: string } | { productId: string }

/** Cost prices, by the GTIN as it was submitted; of a product that its extId names, by the platform's productId. */
export function createCostWrites({
  prices,
  products,
}: Pick<Platform, 'prices' | 'products'>): Pick<PlatformPort, 'saveCosts'> {
  const productIds = createProductIds(products)

  /** The key of each, or why it has none. */
  async function keysOf(batch: Batch<SubmittedCostPrice>, { attempt }: Item): Promise<Map<Item, CostKey | Error>> {
    const extIds = batch.flatMap(({ argument: { productExtId } }) => productExtId ?? [])
    const { ids, refused, unasked } = await productIds.byExtId(extIds, attempt)
    return new Map(
      batch.map((item): [Item, CostKey | Error] => {
        const { productExtId = '', gtin, productId = ids.get(productExtId) } = item.argument
        if (gtin !== undefined) return [item, { gtin }]
        if (productId !== undefined) return [item, { productId }]
        const missing = refused.get(productExtId) ?? noProduct(productExtId)
        return [item, unasked.has(productExtId) ? notAsked(batch.length) : missing]
      }),
    )
  }

  return {
    async saveCosts(batch) {
      const [first] = batch
      if (!first) return []
      const keys = await keysOf(batch, first).catch((error) => {
        const attempts = batch.map(({ attempt }) => attempt)
        const failure = togetherError(error, attempts)
        return new Map(batch.map((item): [Item, Error] => [item, failure]))
      })
      const known = batch.flatMap((item) => {
        const key = keys.get(item)
        return key === undefined || key instanceof Error ? [] : [{ item, key }]
      })
      const results = await together(
        known.map(({ item: { argument, attempt }, key }) => ({ argument: { ...argument, key }, attempt })),
        async (items, signal) => {
          const costPrices = items.map(({ key, price }) => ({ ...key, price }))
          const stockId = common(items, (item) => item.stockId)
          const currency = common(items, (item) => item.currency) ?? ''
          const sent = { ...(stockId === undefined ? { currency } : { stockId }), costPrices }
          await prices.saveCosts(sent, signal)
          return {}
        },
      )
      const ends = new Map(known.map(({ item, key }, index) => [item, linked(results[index], item, key)]))
      return batch.map((item) => ends.get(item) ?? errorIn(keys.get(item)))
    },
  }
}

/** The product's id that was found out, as a link: it is not to be asked for again. */
function linked(result: Effect | Error | undefined, { argument }: Item, key: CostKey): Effect | Error | undefined {
  const { productExtId } = argument
  if (result === undefined || result instanceof Error || productExtId === undefined || 'gtin' in key) return result
  return { ...result, links: [productLink(productExtId, key.productId)] }
}

function errorIn(found: CostKey | Error | undefined): Error {
  return found instanceof Error ? found : new TypeError('a cost price was left out')
}

function noProduct(extId: string): Error {
  return new PermanentError(
    `platform: there is no product with the extId ${JSON.stringify(extId)}, so its cost price cannot be set. Submit the product first, or the cost price by its GTIN.`,
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
