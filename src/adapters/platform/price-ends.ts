import type { SubmittedPriceEnd } from '../../domain/catalogue/submitted.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { parseDecimal } from '../../domain/values/money.ts'
import type { ListedPrice, ListedProduct } from '../../platform/areas/goods/listed-prices.ts'
import { allRows } from '../../platform/http/listed.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Attempt } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { createProductIds } from './product-ids.ts'

/**
 * Prices that end before their time (public facts, PricelistV2). A deletion takes away every price that the product has in the
 * list, and a product without one cannot be sold; so it is made only where nothing else would go. One of several is written
 * again with the instant as its end, and looked at afterwards.
 */
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
      {
        code: 'unknown-product',
      },
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
      // A deletion would take away what cannot be read, too.
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

/** The one that begins then, if that is said; else each that has a beginning or an end of its own. None that is over. */
function isMeant({ validFrom, validTo }: ListedPrice, end: SubmittedPriceEnd, now: number): boolean {
  if (validTo !== null && instantOf(validTo) <= now) return false
  if (end.validFrom !== undefined) return validFrom !== null && instantOf(validFrom) === instantOf(end.validFrom)
  return !isOpen(validFrom, '2000-01-01') || !isOpen(validTo, '9999-12-31')
}

/** Where the platform has no date of its own, it writes these. */
function isOpen(date: string | null, open: string): boolean {
  return date === null || date.startsWith(open)
}

/** A time without a zone is taken for UTC, in which prices are sent. */
function instantOf(date: string): number {
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(date) || !date.includes('T') ? date : `${date}Z`)
}

/** A price that has not begun ends where it begins: it never holds. */
function ended({ price, validFrom }: ListedPrice, product: ListedProduct, now: number) {
  const from = validFrom === null ? null : instantOf(validFrom)
  const validTo = from !== null && from > now ? from : now
  return { ...product, price: parseDecimal(price), ...(from === null ? {} : { validFrom: from }), validTo }
}
