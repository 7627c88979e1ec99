import { z } from 'zod'
import type { SubmittedPriceEnd } from '../../../domain/catalogue/submitted.ts'
import { nothingPrivate } from '../fault.ts'
import { compact, Name, Time } from '../fields.ts'
import { ONE_PRODUCT, pricedProduct } from '../priced.ts'
import { type Resource, resourceOf } from './resource.ts'

/** Public facts, PricelistV2: a price that ends before its time. */
const PriceEnd = z
  .strictObject({
    list: Name.describe('The name of the price list.'),
    ...pricedProduct,
    validFrom: Time.nullish().describe(
      'Of the price that is meant. Without it, each of the product that has a beginning or an end of its own: the ordinary price stays.',
    ),
  })
  .refine(...ONE_PRODUCT)

export const priceEnds: Resource = resourceOf('price-ends', PriceEnd, nothingPrivate, (end) => ({
  kind: 'PriceEndSubmitted',
  payload: { ...compact(end), list: end.list } satisfies SubmittedPriceEnd,
}))
