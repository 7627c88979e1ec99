import { z } from 'zod'
import type { SubmittedDeletion, SubmittedProduct, SubmittedProductText } from '../../../domain/catalogue/submitted.ts'
import {
  check,
  compact,
  Decimal,
  Gtin,
  Id,
  Key,
  Name,
  nothingPrivate,
  OptionalKey,
  Price,
  Text,
  Url,
} from '../fields.ts'
import {
  inPieces,
  type Reading,
  type ReadingContext,
  type Resource,
  readingOf,
  resourceOf,
  single,
  writtenByAnother,
} from './resource.ts'

const Stock = z.strictObject({
  stockId: Id.describe("The platform's id of the stock."),
  qty: Decimal.describe('The level in it. The public API takes whole numbers only.'),
})

const Identifier = z.strictObject({
  id: Name.describe('The further GTIN, as text.'),
  type: Name.nullish().describe('What sort of code it is, as the platform calls it.'),
})

const Size = z.strictObject({
  externalSKU: Name.nullish().describe('The SKU of the master data system.'),
  gtin: OptionalKey.describe('The EAN or GTIN, as text: it may begin with 0.'),
  label: Name.nullish().describe('The label of the size.'),
  labelSortIndex: z
    .union([z.number(), z.string().regex(/^\d+([.,]\d+)?$/)], { error: 'numeric text, such as "10"' })
    .transform(String)
    .nullish()
    .describe('Where the size stands among those of its product.'),
  identifiers: z
    .array(Identifier)
    .max(100)
    .nullish()
    .describe('Further GTINs that lead to the size at a till. The specification does not show them.'),
  stockQty: z.array(Stock).nullish().describe('How many are in which stock; submit levels to stock-adjustments.'),
})

/** The most images that the platform takes of a product (public facts, WebUpdateableProduct). */
const MOST_IMAGES = 10

const IMAGES = `Web addresses, ${MOST_IMAGES} at most; the first one becomes the main image.`

const Images = z
  .array(Url)
  .max(MOST_IMAGES, { error: `${MOST_IMAGES} images at most` })
  .describe(IMAGES)

/** As the platform writes them (public facts, "Validation"). */
const GENDERS = ['', 'b', 'g', 'c', 'm', 'f', 'm, f', 'i', 'f, m'] as const

/** Spec, "Product (variant level)"; from `gender` on, public facts. */
const Product = z.strictObject({
  extId: Key.describe('What the sender knows the variant by: the key of create-or-update.'),
  createProductSpecificSize: z.boolean().nullish().describe('true: the product gets sizes of its own.'),
  name: Name.nullish().describe('What it is called at the till.'),
  number: Name.nullish().describe('The number of the style.'),
  variant: Name.nullish().describe('The color code.'),
  groupName: Name.nullish().describe('The platform creates it if it does not exist.'),
  subgroupName: Name.nullish().describe('The public API wants it wherever groupName stands.'),
  color: Name.nullish().describe('The platform creates it if it does not exist.'),
  season: Name.nullish().describe('The platform creates it if it does not exist.'),
  brand: Name.nullish().describe('The platform creates it if it does not exist.'),
  price: Price.nullish().describe('The ordinary price, VAT included; campaigns belong in a price list.'),
  cost: Price.nullish().describe('Without VAT.'),
  description: Text.nullish().describe('For customers.'),
  productSizes: z.array(Size).max(1_000).nullish().describe('All sizes, each with its GTIN.'),
  images: Images.nullish().describe(IMAGES),
  productPrices: z
    .array(
      z.strictObject({
        pricelistName: Name.describe('The list; the platform has it already.'),
        price: Price.describe('In the currency of the list, VAT included.'),
      }),
    )
    .max(1_000)
    .nullish()
    .describe('Prices in lists, for ever.'),
  pictureRef: Url.nullish().describe('A picture elsewhere; the public API does not change it.'),
  isWebAvailable: z.boolean().nullish().describe('true: the online shop sells it.'),
  gender: z
    .enum(GENDERS, { error: `one of ${GENDERS.map((one) => JSON.stringify(one)).join(', ')}` })
    .nullish()
    .describe('For whom: m (men), f (women), both of them, b (boys), g (girls), c (children), i (infants).'),
  tags: Text.nullish().describe('Words that reports and discounts go by, with commas between.'),
  isStockProduct: z.boolean().nullish().describe('false: nobody counts it (a service). Without it, true.'),
  isNoLabel: z.boolean().nullish().describe('true: no price label is printed for it.'),
  sizeSystem: Name.nullish().describe(
    'The sizes of the company that it has, where createProductSpecificSize is false. Without it, those that match best.',
  ),
})

/** Description and images, from a PIM. */
export const ProductText = z
  .strictObject({ description: Text.optional().describe('For customers.'), images: Images.optional() })
  .refine(({ description, images }) => description !== undefined || images !== undefined, {
    error: 'description, images, or both',
  })

export const products: Resource = single('products', Product, readProduct)

function readProduct(value: unknown, context: ReadingContext): Reading {
  const { insertOnly, force } = context
  return readingOf(check(Product, value, nothingPrivate), ({ productSizes, ...product }) => {
    const faults = levelFaults(productSizes ?? [], context)
    if (faults.length > 0) return { faults }
    const payload = {
      ...compact(product),
      extId: product.extId,
      ...(productSizes && { productSizes: productSizes.map(compactSize) }),
      ...(insertOnly && { insertOnly }),
      ...(force && { force }),
    } satisfies SubmittedProduct
    return { kind: 'ProductSubmitted', payload }
  })
}

/** Levels that come with a product are levels like others: of stocks that this system writes, in pieces where the platform counts so. */
function levelFaults(sizes: readonly z.output<typeof Size>[], context: ReadingContext): string[] {
  return sizes.flatMap(({ stockQty }, size) =>
    (stockQty ?? []).flatMap(({ stockId, qty }, index) => {
      const where = ['productSizes', size, 'stockQty', index]
      return [
        ...inPieces(context, qty, [...where, 'qty']),
        ...writtenByAnother(stockId, [...where, 'stockId'], context),
      ]
    }),
  )
}

function compactSize({ identifiers, ...size }: z.output<typeof Size>) {
  return {
    ...compact(size),
    ...(identifiers && { identifiers: identifiers.map((one) => ({ id: one.id, ...compact(one) })) }),
  }
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

/** Public facts, DELETE /api/products: the platform keeps it as deleted. */
const Deletion = z
  .strictObject({
    extId: Key.describe('What the sender knows the variant by.'),
    gtin: Gtin.nullish().describe('Only this GTIN is deleted; the product and its sizes stay.'),
    gtins: z.literal('all').nullish().describe('all: every GTIN of it is deleted; the product and its sizes stay.'),
  })
  .refine(({ gtin, gtins }) => (gtin ?? null) === null || (gtins ?? null) === null, {
    path: ['gtins'],
    error: 'one of gtin and gtins',
  })

export const productDeletions: Resource = resourceOf(
  'product-deletions',
  Deletion,
  nothingPrivate,
  ({ extId, ...which }) => ({
    kind: 'ProductDeletionSubmitted',
    payload: { extId, ...compact(which) } satisfies SubmittedDeletion,
  }),
)
