import type { Instant } from '../values/instant.ts'
import { type Decimal, parseDecimal } from '../values/money.ts'
import { isSameArticle } from './article-number.ts'
import { gtinsOf, type ReadProduct, textDigest } from './master-data.ts'
import type { SubmittedPrice, SubmittedProduct, SubmittedProductText } from './submitted.ts'

/* What an own system said of a product, taken apart, so that each can be looked up in what the platform has. */

/** One thing that was said of a product. */
export type Said =
  /** The product is there. */
  | { about: 'product'; value: 'there' }
  | { about: 'text'; field: TextField; value: string; shown?: string }
  /** The size with a GTIN is there, or has this label or SKU. */
  | { about: 'size'; gtin: string; field: 'gtin' | 'label' | 'sku'; value: string }
  | ({ about: 'price'; list: string; value: string } & Pick<SubmittedPrice, 'validFrom' | 'validTo'>)

type TextField =
  | 'name'
  | 'number'
  | 'variant'
  | 'group'
  | 'subgroup'
  | 'color'
  | 'season'
  | 'brand'
  | 'description'
  | 'price'
  | 'isWebAvailable'

/** As they are submitted, by what they are called here. */
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

/** The most characters of a long text that are shown. */
const SHOWN = 60

/** The least that any submission says: that the product is there. */
export const THERE: Said = { about: 'product', value: 'there' }

/** Statements of a submitted product. None of one that was to be left alone where it is (`?mode=insert`). */
export function saidOfProduct(product: SubmittedProduct): Said[] {
  const said: Said[] = []
  if (product.insertOnly) return said
  for (const [name, field] of Object.entries(TEXTS) as [keyof typeof TEXTS, TextField][]) {
    const value = product[name]?.trim()
    if (value) said.push({ about: 'text', field, value })
  }
  const { price, isWebAvailable, productSizes = [], productPrices = [] } = product
  if (price !== undefined) said.push({ about: 'text', field: 'price', value: parseDecimal(price) })
  if (isWebAvailable !== undefined) said.push({ about: 'text', field: 'isWebAvailable', value: String(isWebAvailable) })
  said.push(...saidOfText(product))
  for (const { gtin, label, externalSKU } of productSizes) {
    // A size without a GTIN can take one later, and another label: nothing tells it again.
    if (!gtin) continue
    said.push({ about: 'size', gtin, field: 'gtin', value: gtin })
    if (label) said.push({ about: 'size', gtin, field: 'label', value: label.trim() })
    if (externalSKU) said.push({ about: 'size', gtin, field: 'sku', value: externalSKU.trim() })
  }
  for (const { pricelistName: list, price } of productPrices)
    said.push({ about: 'price', list, value: parseDecimal(price) })
  return said
}

/** Statements of texts from a PIM. */
export function saidOfText({ description }: Pick<SubmittedProductText, 'description'>): Said[] {
  const value = textDigest(description ?? null)
  if (value === null) return []
  return [{ about: 'text', field: 'description', value, shown: description?.trim().slice(0, SHOWN) ?? '' }]
}

/** Statements of a price. */
export function saidOfPrice({ list, price, validFrom, validTo }: SubmittedPrice): Said[] {
  const time = { ...(validFrom !== undefined && { validFrom }), ...(validTo !== undefined && { validTo }) }
  return [{ about: 'price', list, value: parseDecimal(price), ...time }]
}

/** The platform's word against a statement; null: it bears the statement out. A `read` of null: it has nothing there. */
export function contradiction(said: Said, product: ReadProduct | null): { read: string | null } | null {
  const found = valuesOf(said, product)
  if (found.includes(said.value)) return null
  if (found.length === 0) return { read: null }
  // Nothing but the name of a long text is known.
  return { read: said.about === 'text' && said.field === 'description' ? 'another text' : found.join(' or ') }
}

/** Whether the platform tells it: of a product without sizes no prices, and nothing that its answer has no field for. */
export function canTell(said: Said, product: ReadProduct): boolean {
  if (product.isDeleted || said.about === 'product') return true
  if (said.about === 'price') return product.sizes.length > 0
  return said.field === 'gtin' || !product.untold?.includes(said.field)
}

/** Values each of which would do. */
function valuesOf(said: Said, product: ReadProduct | null): string[] {
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
      // The name of a group may be that of a sub group (spec, "Product").
      return [product.group, product.subgroup]
    case 'description':
      return [product.descriptionDigest]
    case 'isWebAvailable':
      return [product.isWebAvailable === null ? null : String(product.isWebAvailable)]
    default:
      return [product[field]]
  }
}

/** A statement's name, for people: `brand`, `price in Retail NO`, `price in Retail NO from 2026-11-27T00:00:00Z`. */
export function nameOf(said: Said): string {
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

/** When a price holds; open ends where nobody said. */
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

/** The prices of a product in a list; none: it has no price there. */
function pricesIn({ prices }: ReadProduct, list: string): Decimal[] {
  return prices.filter((one) => one.list === list).map(({ price }) => price)
}

/**
 * Whether tills that sell by this list can sell it (spec, Prices rule 4). Null: it is not for sale anywhere, or has no size by
 * which prices are told.
 */
export function isSellable(product: ReadProduct, list: string): boolean | null {
  if (product.isDeleted || product.isDiscontinued || product.sizes.length === 0) return null
  return pricesIn(product, list).length > 0
}
