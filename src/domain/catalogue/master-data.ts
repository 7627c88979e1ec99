import type { Texts } from '../values/field.ts'
import type { Instant } from '../values/instant.ts'
import { type Decimal, parseDecimal } from '../values/money.ts'
import { digestOf } from '../values/text.ts'
import { isSameArticle } from './article-number.ts'
import type { SubmittedPrice, SubmittedProduct, SubmittedProductText } from './submitted.ts'

/** A variant as read from the platform, payload of `ProductRead`. Lists are sorted: equal products are equal bytes. */
export interface ReadProduct
  extends Texts<'extId' | 'name' | 'number' | 'variant' | 'group' | 'subgroup' | 'brand' | 'season' | 'color'>,
    Texts<'descriptionDigest'> {
  productId: string
  price: Decimal | null
  isWebAvailable: boolean | null
  sizes: (Texts<'gtin' | 'sku' | 'label'> & { otherGtins?: string[] })[]
  prices: ReadPrice[]
  isDiscontinued: boolean
  isDeleted: boolean
  unknown?: UnknownField[]
}

export function gtinsOf({ gtin, otherGtins = [] }: ReadProduct['sizes'][number]): string[] {
  return gtin === null ? otherGtins : [gtin, ...otherGtins]
}

/** Without GTIN: of the whole variant (spec, "Price list and prices"). */
export interface ReadPrice extends Texts<'listId' | 'currency' | 'gtin'> {
  list: string
  price: Decimal
}

export function textDigest(text: string | null): string | null {
  const plain = text?.replace(/\s+/g, ' ').trim() ?? ''
  return plain === '' ? null : digestOf(plain)
}

export type UnknownField = TextField | 'sku' | 'label'

/** Statements of a submission about a product, each to be looked up on the platform. */

export type ProductAssertion =
  | { about: 'product'; value: 'there' }
  | { about: 'text'; field: TextField; value: string; shown?: string }
  | { about: 'size'; gtin: string; field: 'gtin' | 'label' | 'sku'; value: string }
  | ({ about: 'price'; list: string; value: string } & Pick<SubmittedPrice, 'validFrom' | 'validTo'>)

type TextField = (typeof TEXTS)[keyof typeof TEXTS] | 'description' | 'price' | 'isWebAvailable'

const TEXTS = {
  name: 'name',
  number: 'number',
  variant: 'variant',
  groupName: 'group',
  subgroupName: 'subgroup',
  color: 'color',
  season: 'season',
  brand: 'brand',
} as const

const SHOWN = 60
export const PRODUCT_EXISTS: ProductAssertion = { about: 'product', value: 'there' }

export function productAssertions(product: SubmittedProduct): ProductAssertion[] {
  const said: ProductAssertion[] = []
  if (product.insertOnly) return said
  for (const [name, field] of Object.entries(TEXTS) as [keyof typeof TEXTS, TextField][]) {
    const value = product[name]?.trim()
    if (value) said.push({ about: 'text', field, value })
  }
  const { price, isWebAvailable, productSizes = [], productPrices = [] } = product
  if (price !== undefined) said.push({ about: 'text', field: 'price', value: parseDecimal(price) })
  if (isWebAvailable !== undefined) said.push({ about: 'text', field: 'isWebAvailable', value: String(isWebAvailable) })
  said.push(...textAssertions(product))
  for (const { gtin, label, externalSKU } of productSizes) {
    // Without GTIN a size cannot be identified later.
    if (!gtin) continue
    said.push({ about: 'size', gtin, field: 'gtin', value: gtin })
    if (label) said.push({ about: 'size', gtin, field: 'label', value: label.trim() })
    if (externalSKU) said.push({ about: 'size', gtin, field: 'sku', value: externalSKU.trim() })
  }
  for (const { pricelistName: list, price } of productPrices)
    said.push({ about: 'price', list, value: parseDecimal(price) })
  return said
}

export function textAssertions({ description }: Pick<SubmittedProductText, 'description'>): ProductAssertion[] {
  const value = textDigest(description ?? null)
  if (value === null) return []
  return [{ about: 'text', field: 'description', value, shown: description?.trim().slice(0, SHOWN) ?? '' }]
}

export function priceAssertions({ list, price, validFrom, validTo }: SubmittedPrice): ProductAssertion[] {
  const time = { ...(validFrom !== undefined && { validFrom }), ...(validTo !== undefined && { validTo }) }
  return [{ about: 'price', list, value: parseDecimal(price), ...time }]
}

export function contradiction(said: ProductAssertion, product: ReadProduct | null): { read: string | null } | null {
  const found = valuesOf(said, product)
  if (found.includes(said.value)) return null
  if (found.length === 0) return { read: null }
  // Long texts are known by hash only.
  return { read: said.about === 'text' && said.field === 'description' ? 'another text' : found.join(' or ') }
}

export function isVerifiable(said: ProductAssertion, product: ReadProduct): boolean {
  if (product.isDeleted || said.about === 'product') return true
  if (said.about === 'price') return product.sizes.length > 0
  return said.field === 'gtin' || !product.unknown?.includes(said.field)
}

function valuesOf(said: ProductAssertion, product: ReadProduct | null): string[] {
  if (product === null || product.isDeleted) return []
  switch (said.about) {
    case 'product':
      return ['there']
    case 'price':
      return pricesIn(product, said.list)
    case 'size':
      return product.sizes
        .filter((size) => gtinsOf(size).some((own) => isSameArticle(own, said.gtin)))
        .flatMap((size) => (said.field === 'gtin' ? said.gtin : (size[said.field] ?? [])))
    case 'text':
      return textsOf(said.field, product).filter((value) => value !== null)
  }
}

function textsOf(field: TextField, product: ReadProduct): (string | null)[] {
  switch (field) {
    case 'group':
      // A group name may be a sub group (spec, "Product").
      return [product.group, product.subgroup]
    case 'description':
      return [product.descriptionDigest]
    case 'isWebAvailable':
      return [product.isWebAvailable === null ? null : String(product.isWebAvailable)]
    default:
      return [product[field]]
  }
}

export function givenNameOf(said: ProductAssertion): string {
  switch (said.about) {
    case 'product':
      return 'product'
    case 'text':
      return said.field
    case 'size':
      return said.field === 'gtin' ? `size ${said.gtin}` : `${said.field} of ${said.gtin}`
    case 'price':
      return `price in ${said.list}${said.validFrom === undefined ? '' : ` from ${said.validFrom}`}`
  }
}

export function timeOf({ validFrom, validTo }: Pick<SubmittedPrice, 'validFrom' | 'validTo'>): {
  from: Instant
  to: Instant
} {
  return { from: instantOf(validFrom, -Infinity), to: instantOf(validTo, Infinity) }
}

function instantOf(time: string | undefined, open: number): Instant {
  const instant = time === undefined ? open : Date.parse(time)
  return Number.isNaN(instant) ? open : instant
}

function pricesIn({ prices }: ReadProduct, list: string): Decimal[] {
  return prices.filter((one) => one.list === list).map(({ price }) => price)
}

/** Spec, Prices rule 4. Null: not for sale, or no size with a price. */
export function isSellable(product: ReadProduct, list: string): boolean | null {
  if (product.isDeleted || product.isDiscontinued || product.sizes.length === 0) return null
  return pricesIn(product, list).length > 0
}
