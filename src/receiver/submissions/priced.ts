import { isMap } from '../../config/path.ts'
import { Gtin, Id, Name } from './fields.ts'

/** Which product a price is for. */
export const pricedProduct = {
  productExtId: Name.nullish().describe(
    'What the sender knows the variant by. Preferred: a price holds for a variant.',
  ),
  gtin: Gtin.nullish().describe('The EAN or GTIN of one of its sizes, instead: the price is that of the variant.'),
  productId: Id.nullish().describe("The platform's own id of the variant, instead."),
}

const KEYS = ['productExtId', 'gtin', 'productId'] as const

/** Which of two keys would win is not known, so two are refused. */
export function namesOneProduct(price: Partial<Record<(typeof KEYS)[number], unknown>>): boolean {
  return KEYS.filter((key) => price[key] !== undefined && price[key] !== null).length === 1
}

/** Told together with what else is wrong. */
export const ONE_PRODUCT = {
  error: 'exactly one of productExtId, gtin and productId',
  when: ({ value }: { value: unknown }) => isMap(value),
}
