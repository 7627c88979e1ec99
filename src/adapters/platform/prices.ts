import type { SubmittedPrice } from '../../domain/catalogue/submitted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { common, together } from './together.ts'

/** Prices of lists (spec, "Price list and prices"). */
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
