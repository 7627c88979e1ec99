import { z } from 'zod'
import { TextOrNull, TimeOrNull, Whole, WholeOrNull } from './values.ts'

/** `WebPricelist` with `WebPrice[]`. */
export const PriceList = z.strictObject({
  name: z.string(),
  pricelistId: Whole,
  prices: z.array(
    z.strictObject({
      productExtId: TextOrNull,
      gtin: TextOrNull,
      productId: WholeOrNull,
      price: z.number(),
      validFrom: TimeOrNull,
      validTo: TimeOrNull,
    }),
  ),
})

/** `CostPriceList`; its lines have no external id. */
export const Costs = z.strictObject({
  currency: TextOrNull,
  stockId: WholeOrNull,
  stockExtId: TextOrNull,
  costPrices: z.array(z.strictObject({ productId: Whole, gtin: TextOrNull, price: z.number() })),
})
