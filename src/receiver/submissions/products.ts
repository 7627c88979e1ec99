import { z } from 'zod'
import type { SubmittedProduct, SubmittedProductText } from '../../domain/submitted.ts'
import { check } from './faults.ts'
import { compact, Decimal, Id, Name, Price, Text, Url } from './fields.ts'
import { type Reading, type ReadingContext, type Resource, readingOf } from './resource.ts'

const Stock = z.strictObject({ stockId: Id, qty: Decimal })

const Size = z.strictObject({
  externalSKU: Name.nullish().describe('The SKU of the master data system.'),
  gtin: Name.nullish().describe('The EAN or GTIN, as text: it may begin with 0.'),
  label: Name.nullish().describe('The label of the size.'),
  labelSortIndex: z
    .union([z.number(), z.string().regex(/^\d+([.,]\d+)?$/)], { error: 'numeric text, such as "10"' })
    .transform(String)
    .nullish()
    .describe('Where the size stands among those of its product.'),
  stockQty: z.array(Stock).nullish(),
})

const Images = z.array(Url).max(50).describe('Web addresses; the first one becomes the main image.')

/** Spec, "Product (variant level)". */
const Product = z.strictObject({
  extId: Name.describe('What the sender knows the variant by: the key of create-or-update.'),
  createProductSpecificSize: z.boolean().nullish().describe('true: the product gets sizes of its own.'),
  name: Name.nullish(),
  number: Name.nullish().describe('The number of the style.'),
  variant: Name.nullish().describe('The color code.'),
  groupName: Name.nullish().describe('The platform creates it if it does not exist.'),
  subgroupName: Name.nullish(),
  color: Name.nullish().describe('The platform creates it if it does not exist.'),
  season: Name.nullish().describe('The platform creates it if it does not exist.'),
  brand: Name.nullish().describe('The platform creates it if it does not exist.'),
  price: Price.nullish().describe('The ordinary price; campaigns belong in a price list.'),
  cost: Price.nullish(),
  description: Text.nullish(),
  productSizes: z.array(Size).max(1_000).nullish().describe('All sizes, each with its GTIN.'),
  images: Images.nullish(),
  productPrices: z
    .array(z.strictObject({ pricelistName: Name, price: Price }))
    .max(1_000)
    .nullish(),
  pictureRef: Url.nullish(),
  isWebAvailable: z.boolean().nullish(),
})

/** Description and images, from a PIM. */
export const ProductText = z
  .strictObject({ description: Text.optional(), images: Images.optional() })
  .refine(({ description, images }) => description !== undefined || images !== undefined, {
    error: 'description, images, or both',
  })

export const products: Resource = {
  scope: 'products',
  objects: [Product],
  line: Product,
  readObject: (value, context) => [readProduct(value, context)],
  readLine: readProduct,
}

function readProduct(value: unknown, { insertOnly, force }: ReadingContext): Reading {
  return readingOf(check(Product, value, nothingPrivate), ({ productSizes, ...product }) => ({
    kind: 'ProductSubmitted',
    payload: {
      ...compact(product),
      extId: product.extId,
      ...(productSizes && { productSizes: productSizes.map(compactSize) }),
      ...(insertOnly && { insertOnly }),
      ...(force && { force }),
    } satisfies SubmittedProduct,
  }))
}

function compactSize(size: z.output<typeof Size>) {
  return compact(size)
}

/** Text of the product that the path names. */
export function readProductText(extId: string, value: unknown): Reading {
  const named = check(Name, extId, nothingPrivate, ['extId'])
  if ('faults' in named) return named
  return readingOf(check(ProductText, value, nothingPrivate), (text) => ({
    kind: 'ProductTextSubmitted',
    payload: { extId: named.value, ...compact(text) } satisfies SubmittedProductText,
  }))
}

function nothingPrivate(): boolean {
  return false
}
