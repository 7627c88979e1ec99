import { z } from 'zod'
import { Amount, Flag, FlagOrNull, Text, TextOrNull, Time, Whole } from './values.ts'

const Size = z.strictObject({
  identity: TextOrNull,
  gtin: TextOrNull,
  label: TextOrNull,
  externalSKU: TextOrNull,
  labelSortIndex: TextOrNull,
  identifiers: z.array(z.strictObject({ id: TextOrNull, type: TextOrNull })).exactOptional(),
  stockQty: z.array(z.strictObject({ stockId: z.int(), qty: z.int() })).exactOptional(),
})

const ABOUT_PRODUCT = {
  createProductSpecificSize: Flag,
  id: TextOrNull,
  productid: Whole,
  number: TextOrNull,
  variant: TextOrNull,
  subgroupName: TextOrNull,
  gender: TextOrNull,
  isDiscontinued: Flag,
  tags: TextOrNull,
  price: Amount,
  cost: Amount,
  ins: Time.exactOptional(),
  upt: Time.exactOptional(),
  description: TextOrNull,
  internalDescription: TextOrNull,
  isStockProduct: FlagOrNull,
  isWebAvailable: FlagOrNull,
  isNoLabel: FlagOrNull,
  pictureRef: TextOrNull,
  images: z.array(z.string()).max(10).exactOptional(),
  sizeSystem: TextOrNull,
  productSizes: z.array(Size).exactOptional(),
}

const NAMES_OF_PRODUCT = { name: Text, groupName: TextOrNull, color: TextOrNull, season: TextOrNull, brand: TextOrNull }

/** `WebUpdateableProduct` (facts, §3). */
export const Product = z.strictObject({
  extId: TextOrNull,
  ...ABOUT_PRODUCT,
  name: z.string(),
  groupName: z.string().nullable(),
  color: z.string().nullable(),
  season: z.string().nullable(),
  brand: z.string().nullable(),
})

/** Part of one: the example sends a description and images alone (facts, line of L375). */
export const ProductPart = z.strictObject({ extId: TextOrNull, ...NAMES_OF_PRODUCT, ...ABOUT_PRODUCT })

/** `BatchedProduct[]`. */
export const Products = z.array(
  z.strictObject({
    extId: z.string(),
    ...NAMES_OF_PRODUCT,
    ...ABOUT_PRODUCT,
    productPrices: z.array(z.strictObject({ pricelistName: z.string().nullable(), price: z.number() })).exactOptional(),
  }),
)

export const ProductFilter = z.strictObject({
  pageSize: Whole,
  pageSkip: Whole,
  upt: Time.exactOptional(),
  isWebAvailable: Flag,
  isDiscontinued: Flag,
  excludeDeleted: Flag,
  includePricelists: Flag,
  includeEmptyGTINs: Flag,
  includeStockQuantity: Flag,
  includeAlternativeIdentifiers: Flag,
  seasons: z.array(z.string()).exactOptional(),
  brands: z.array(z.string()).exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  productId: Whole,
  identity: Text,
  gtin: Text,
  productIds: z.array(z.int()).exactOptional(),
  identities: z.array(z.string()).exactOptional(),
  gtiNs: z.array(z.string()).exactOptional(),
})
