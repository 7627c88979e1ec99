import { z } from 'zod'

/** null and left out mean the same to the platform's binder: nothing is said about this field. */
const Text = z.string().nullish()
const Flag = z.boolean().nullish()
const Amount = z.number().min(0).nullish()

export const SizeBody = z.strictObject({
  identity: Text,
  gtin: z
    .string()
    .regex(/^(\d{8,14})?$/, 'A GTIN has 8 to 14 digits.')
    .nullish(),
  label: Text,
  /** Text with a comma ("0,1"): it is never counted with (facts, §5 line 37). */
  labelSortIndex: z
    .string()
    .regex(/^\d+([.,]\d+)?$/, 'This must be numeric text.')
    .nullish(),
  externalSKU: Text,
  identifiers: z.array(z.strictObject({ id: z.string(), type: Text })).nullish(),
  stockQty: z.array(z.strictObject({ stockId: z.int(), qty: z.number() })).nullish(),
})
export type SizeBody = z.infer<typeof SizeBody>

/** Fields that may be given for a product when it is changed: any part (spec, "Product" and PUT /api/Products). */
export const ProductBody = z.strictObject({
  productid: z.int().nullish(),
  id: Text,
  extId: Text,
  createProductSpecificSize: Flag,
  name: z.string().min(1).nullish(),
  number: Text,
  variant: Text,
  groupName: Text,
  subgroupName: Text,
  color: Text,
  season: Text,
  brand: Text,
  gender: z.enum(['', 'b', 'g', 'c', 'm', 'f', 'm, f', 'i', 'f, m']).nullish(),
  isDiscontinued: Flag,
  tags: Text,
  price: Amount,
  cost: Amount,
  ins: Text,
  upt: Text,
  description: Text,
  internalDescription: Text,
  isStockProduct: Flag,
  isWebAvailable: Flag,
  isNoLabel: Flag,
  pictureRef: Text,
  images: z
    .array(z.url({ protocol: /^https?$/ }))
    .max(10)
    .nullish(),
  sizeSystem: Text,
  productSizes: z.array(SizeBody).nullish(),
})
export type ProductBody = z.infer<typeof ProductBody>

/** A product for POST /api/Products. These fields must be there; all but the name may be null (facts, line of L374). */
export const WholeProduct = ProductBody.extend({
  name: z.string().min(1),
  brand: z.string().nullable(),
  groupName: z.string().nullable(),
  season: z.string().nullable(),
  color: z.string().nullable(),
})

/** A product in a bulk call: only `extId` must be there. */
export const BatchedProduct = ProductBody.extend({
  extId: z.string().min(1),
  productPrices: z.array(z.strictObject({ pricelistName: z.string(), price: z.number().min(0) })).nullish(),
})
export type BatchedProduct = z.infer<typeof BatchedProduct>

/** One size of a variant. */
export interface Size {
  /** The platform's own id of it: digits. */
  identity: string
  gtin: string | null
  label: string
  labelSortIndex: string | null
  externalSKU: string | null
  /** Further codes that lead to it. */
  identifiers?: { id: string; type?: string | null | undefined }[]
}

/** A product at number-variant level. */
export interface Variant {
  productid: number
  id: string
  extId: string | null
  /** Whether its sizes are its own, instead of one of the company's size systems. */
  ownSizes: boolean
  name: string
  number: string | null
  variant: string | null
  groupName: string | null
  subgroupName: string | null
  color: string | null
  season: string | null
  brand: string | null
  gender: string
  tags: string
  price: number | null
  cost: number | null
  description: string | null
  isStockProduct: boolean
  isWebAvailable: boolean
  isNoLabel: boolean
  images: readonly string[]
  sizes: readonly Size[]
  deleted: boolean
  /** Milliseconds since 1970: made, and last changed. */
  ins: number
  upt: number
}

/** The variant after this was said about it. Sizes that are not named stay (spec: "more sizes can be added later"). */
export function changed(variant: Variant, body: ProductBody, sizes: readonly Size[], now: number): Variant {
  return {
    ...variant,
    extId: body.extId ?? variant.extId,
    ownSizes: body.createProductSpecificSize ?? variant.ownSizes,
    name: body.name ?? variant.name,
    number: body.number ?? variant.number,
    variant: body.variant ?? variant.variant,
    groupName: body.groupName ?? variant.groupName,
    subgroupName: body.subgroupName ?? variant.subgroupName,
    color: body.color ?? variant.color,
    season: body.season ?? variant.season,
    brand: body.brand ?? variant.brand,
    gender: body.gender ?? variant.gender,
    tags: body.tags ?? variant.tags,
    price: body.price ?? variant.price,
    cost: body.cost ?? variant.cost,
    description: body.description ?? variant.description,
    isStockProduct: body.isStockProduct ?? variant.isStockProduct,
    isWebAvailable: body.isWebAvailable ?? variant.isWebAvailable,
    isNoLabel: body.isNoLabel ?? variant.isNoLabel,
    images: body.images ?? variant.images,
    sizes,
    deleted: false,
    upt: now,
  }
}
