import { isDeepStrictEqual } from 'node:util'
import { type ReadPrice, type ReadProduct, textDigest, type Untold } from '../../domain/catalogue/master-data.ts'
import type { MirrorRow } from '../../domain/catalogue/mirror.ts'
import { field, list } from '../../domain/values/field.ts'
import type { Product } from '../../platform/areas/goods/product-record.ts'

/** The product in our words, as it was read. */
export function readProduct(product: Product): ReadProduct {
  const sizes = product.sizes.map(({ gtin, otherGtins, externalSKU: sku, label }) => ({
    gtin,
    ...(otherGtins.length > 0 && { otherGtins: [...otherGtins].sort() }),
    sku,
    label,
  }))
  const untold = untoldOf(product)
  return {
    productId: product.productId,
    extId: product.extId,
    name: product.name,
    number: product.number,
    variant: product.variant,
    group: product.groupName,
    subgroup: product.subgroupName,
    brand: product.brand,
    season: product.season,
    color: product.color,
    descriptionDigest: textDigest(product.description),
    price: product.price,
    isWebAvailable: product.isWebAvailable,
    sizes: sorted(sizes),
    prices: pricesOf(product),
    isDiscontinued: product.isDiscontinued === true,
    isDeleted: false,
    ...(untold.length > 0 && { untold }),
  }
}

/** The fields that can be told of a product, and of its sizes, by the platform's names. */
const TOLD: readonly (readonly [Untold, string])[] = [
  ['name', 'name'],
  ['number', 'number'],
  ['variant', 'variant'],
  ['group', 'groupName'],
  ['subgroup', 'subgroupName'],
  ['brand', 'brand'],
  ['season', 'season'],
  ['color', 'color'],
  ['description', 'description'],
  ['price', 'price'],
  ['isWebAvailable', 'isWebAvailable'],
]
const TOLD_OF_SIZE: readonly (readonly [Untold, string])[] = [
  ['sku', 'externalSKU'],
  ['label', 'label'],
]

/** A field that an answer does not have is not told, which is not the same as empty. */
function untoldOf({ record }: Product): Untold[] {
  const sizes = list(record, 'productSizes')
  const lacks = (of: unknown, wireName: string) => field(of, wireName) === undefined
  return [
    ...TOLD.filter(([, wireName]) => lacks(record, wireName)),
    ...TOLD_OF_SIZE.filter(([, wireName]) => sizes.length > 0 && sizes.every((size) => lacks(size, wireName))),
  ].map(([name]) => name)
}

/** The prices of the variant; of single sizes only where they are not the same, which should not be. */
function pricesOf({ sizes }: Product): ReadPrice[] {
  const priced = sizes.map(({ gtin, prices }) => ({ gtin, prices: sorted(prices ?? []) }))
  const [first] = priced
  if (first && priced.every(({ prices }) => isDeepStrictEqual(prices, first.prices)))
    return first.prices.map((price) => ({ ...price, gtin: null }))
  return sorted(priced.flatMap(({ gtin, prices }) => prices.map((price) => ({ ...price, gtin }))))
}

/** In the order of what they say, so that the same is the same again. */
function sorted<T>(things: readonly T[]): T[] {
  const named = things.map((thing) => ({ thing, name: JSON.stringify(thing) }))
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ thing }) => thing)
}

/** The product in a row of the mirror. */
export function productIn({ body }: Pick<MirrorRow, 'body'>): ReadProduct {
  return body as unknown as ReadProduct
}

/** Whether it says what the mirror has; what own systems call it may be known by the mirror alone. */
export function isKnown(read: ReadProduct, kept: ReadProduct): boolean {
  return isDeepStrictEqual({ ...read, extId: read.extId ?? kept.extId }, kept)
}
