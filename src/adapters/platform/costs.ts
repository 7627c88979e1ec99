import { PermanentError, RefusedTogetherError, RetryLaterError } from '../../domain/errors.ts'
import type { PricedProduct, SubmittedCostPrice } from '../../domain/submitted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Batch, BatchItem, Effect, PlatformPort } from '../adapter.ts'
import { createProductIds, productLink } from './product-ids.ts'
import { common, together, togetherError } from './together.ts'

type Item = BatchItem<SubmittedCostPrice>

/** Cost prices, sent by the platform's productId (spec, "Cost price update"). */
export function createCostWrites({
  prices,
  products,
  costs,
}: Pick<Platform, 'prices' | 'products' | 'costs'>): Pick<PlatformPort, 'saveCosts'> {
  const productIds = createProductIds(products)

  /** The productId of each, or why it has none. */
  async function idsOf(batch: Batch<SubmittedCostPrice>, { attempt }: Item): Promise<Map<Item, string | Error>> {
    const asked = batch.map(({ argument }) => argument)
    const byExtId = await productIds.byExtId(
      asked.flatMap(({ productExtId }) => productExtId ?? []),
      attempt,
    )
    const byGtin = await productIds.byGtin(
      asked.flatMap(({ gtin }) => gtin ?? []),
      attempt.signal,
    )
    return new Map(
      batch.map((item) => {
        const { productExtId = '', gtin = '', productId } = item.argument
        const found = byExtId.ids.get(productExtId) ?? byGtin.ids.get(gtin) ?? productId
        const missing = byExtId.refused.get(productExtId) ?? noProduct(item.argument)
        return [item, found ?? (byExtId.unasked.has(productExtId) ? notAsked(batch.length) : missing)]
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
        const productId = ids.get(item)
        return typeof productId === 'string' ? [{ item, productId }] : []
      })
      const results = await together(
        known.map(({ item: { argument, attempt }, productId }) => ({ argument: { ...argument, productId }, attempt })),
        async (items, signal) => {
          const costPrices = items.map(({ productId, price }) => ({ productId, price }))
          const stockId = common(items, (item) => item.stockId)
          const currency = common(items, (item) => item.currency) ?? ''
          const sent = { ...(stockId === undefined ? { currency } : { stockId }), costPrices }
          if (common(items, ({ landed = false }) => landed)) await costs.saveLanded(sent, signal)
          else await prices.saveCosts(sent, signal)
          return {}
        },
      )
      const ends = new Map(known.map(({ item, productId }, index) => [item, linked(results[index], item, productId)]))
      return batch.map((item) => ends.get(item) ?? errorIn(ids.get(item)))
    },
  }
}

/** What was found out about the product is not to be asked again. */
function linked(result: Effect | Error | undefined, { argument }: Item, productId: string): Effect | Error | undefined {
  if (result === undefined || result instanceof Error || argument.productExtId === undefined) return result
  return { ...result, links: [productLink(argument.productExtId, productId)] }
}

function errorIn(found: string | Error | undefined): Error {
  return found instanceof Error ? found : new TypeError('a cost price was left out')
}

function noProduct({ productExtId, gtin }: PricedProduct): Error {
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
