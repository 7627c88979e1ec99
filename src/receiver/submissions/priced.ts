import { OptionalId, OptionalKey } from './fields.ts'
import { Gtin } from './goods-fields.ts'
import { exactlyOne } from './resources/exactly-one.ts'

/** The fields that name the product of a price. */
export const pricedProduct = {
  productExtId: OptionalKey.describe('What the sender knows the variant by. Preferred: a price holds for a variant.'),
  gtin: Gtin.nullish().describe('The EAN or GTIN of one of its sizes, instead: the price is that of the variant.'),
  productId: OptionalId.describe("The platform's own id of the variant, instead."),
}

export const ONE_PRODUCT = exactlyOne('productExtId', 'gtin', 'productId')
