import type { SubmittedCostPrice, SubmittedPrice, SubmittedPriceEnd } from '../../domain/catalogue/submitted.ts'
import { asError, PermanentError, RefusedTogetherError, RetryLaterError } from '../../domain/values/errors.ts'
import { parseDecimal } from '../../domain/values/money.ts'
import { allRows } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { ListedPrice, ListedProduct } from '../../platform/resources/prices.ts'
import type { Attempt, Batch, BatchItem, Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/ports.ts'
import { common, createProductIds, failedTogether, productLink, together } from './products.ts'

type Item = BatchItem<SubmittedCostPrice>

type CostKey = { gtin: string } | { productId: string }

/** By GTIN, else by productId. */
export function createCostWrites({
  prices,
  products,
}: Pick<Platform, 'prices' | 'products'>): Pick<PlatformPort, 'saveCosts'> {
  const productIds = createProductIds(products)

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
      const keys = await keysOf(batch, first).catch(asError)
      if (keys instanceof Error) return failedTogether(keys, batch)
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

function notAsked(batchSize: number): Error {
  const Kind = batchSize > 1 ? RefusedTogetherError : RetryLaterError
  return new Kind('platform: there was no time left to ask for the productId; the next try goes on.', {
    code: 'not-asked',
  })
}

/** Spec, "Price list and prices". */
export function createPriceWrites({ prices }: Pick<Platform, 'prices'>): Pick<PlatformPort, 'savePrices'> {
  return {
    savePrices: (batch) =>
      together(batch, async (items, signal) => {
        await prices.saveList({ name: common(items, ({ list }) => list), prices: items.map(lineOf) }, signal)
        return {}
      }),
  }
}

function lineOf({ productExtId, gtin, productId, price, validFrom, validTo }: SubmittedPrice) {
  const line = { price, validFrom, validTo }
  if (productExtId !== undefined) return { productExtId, ...line }
  return gtin === undefined ? { productId: productId ?? '', ...line } : { gtin, ...line }
}

/** Ends prices early (public facts, PricelistV2). A deletion takes every price of the product in the list: it is made only where there is one; else the price is rewritten with an end, and read back. */
export function createPriceEnds(
  { listedPrices, prices, products, operations }: Pick<Platform, 'listedPrices' | 'prices' | 'products' | 'operations'>,
  now: () => number = Date.now,
): Pick<PlatformPort, 'endPrice'> {
  const productIds = createProductIds(products)

  async function productOf(
    { productExtId, gtin, productId }: SubmittedPriceEnd,
    attempt: Attempt,
  ): Promise<ListedProduct> {
    if (gtin !== undefined) return { gtin }
    if (productId !== undefined) return { productId }
    const extId = productExtId ?? ''
    const found = (await productIds.byExtId([extId], attempt)).ids.get(extId)
    if (found !== undefined) return { productId: found }
    throw new PermanentError(
      `platform: there is no product with the extId ${JSON.stringify(extId)}, so it has no price.`,
      { code: 'unknown-product' },
    )
  }

  async function listOf(name: string, signal: AbortSignal): Promise<string> {
    const listed = await prices.lists(signal)
    const found = listed.rows.find((one) => one.name === name)
    if (found) return found.id
    allRows(listed, 'which price lists there are')
    throw new PermanentError(`platform: there is no price list ${JSON.stringify(name)}.`, { code: 'unknown-list' })
  }

  return {
    async endPrice(end, attempt) {
      const { signal } = attempt
      const [listId, product] = [await listOf(end.list, signal), await productOf(end, attempt)]
      const read = async () => allRows(await listedPrices.read(listId, product, signal), `what it costs in ${end.list}`)
      const all = await read()
      if (all.length === 0 && !(await operations.isProven('listedPrices.read'))) throw unseen(end.list)
      const at = now()
      const meant = all.filter((price) => isMeant(price, end, at))
      if (meant.length === 0) return { note: 'no such price (any more)' }
      if (meant.length === all.length) {
        await listedPrices.delete(listId, product, signal)
        return { note: 'deleted' }
      }
      for (const price of meant) await prices.saveList({ name: end.list, prices: [ended(price, product, at)] }, signal)
      const left = (await read()).filter((price) => isMeant(price, end, now()))
      if (left.length === 0) return { note: `${meant.length} ended` }
      throw new PermanentError(
        `platform: the price in ${end.list} was written again with its end, and is there without it still. End it in the portal.`,
        { code: 'price-not-ended' },
      )
    },
  }
}

function unseen(list: string): PermanentError {
  return new PermanentError(
    `platform: whether the product has a price in ${list} cannot be seen: this platform has never told of any price in a list, and may ` +
      'have no such endpoint (platform.endpoints, listedPrices.read). End it in the portal.',
    { code: 'price-unseen' },
  )
}

/** The one that begins then; else each with a begin, or an end that is not over. */
function isMeant({ validFrom, validTo }: ListedPrice, end: SubmittedPriceEnd, now: number): boolean {
  if (validTo !== null && instantOf(validTo) <= now) return false
  if (end.validFrom !== undefined) return validFrom !== null && instantOf(validFrom) === instantOf(end.validFrom)
  return !isOpen(validFrom, '2000-01-01') || !isOpen(validTo, '9999-12-31')
}

/** What the platform writes for no date. */
function isOpen(date: string | null, open: string): boolean {
  return date === null || date.startsWith(open)
}

/** Without a zone: UTC, as sent. */
function instantOf(date: string): number {
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(date) || !date.includes('T') ? date : `${date}Z`)
}

function ended({ price, validFrom }: ListedPrice, product: ListedProduct, now: number) {
  const from = validFrom === null ? null : instantOf(validFrom)
  const validTo = from !== null && from > now ? from : now
  return { ...product, price: parseDecimal(price), ...(from === null ? {} : { validFrom: from }), validTo }
}

/** Spec, "Stock adjustment". */
export function createStockWrites({ stock }: Pick<Platform, 'stock'>): Pick<PlatformPort, 'setStock' | 'countStock'> {
  return {
    setStock: (batch) =>
      together(batch, async (items, signal) => {
        const stockId = common(items, (item) => item.stockId)
        const description = common(items, (item) => item.description)
        const levels = items.map(({ gtin, quantity }) => ({ gtin, quantity }))
        await stock.adjust({ stockId, description, items: levels }, signal)
        return {}
      }),
    async countStock({ stockId, stockCountTime, description, items }, { signal }) {
      await stock.adjust({ stockId, stockCountTime, description, items, isCompleteStockCount: true }, signal)
      return { note: `${items.length} counted` }
    },
  }
}
