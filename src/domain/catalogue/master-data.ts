import { digestOf } from '../values/digest.ts'
import type { Decimal } from '../values/money.ts'

/**
 * A product variant as it was read from the platform: what the event `ProductRead` says. Its lists are in order, so that
 * equal products are equal bytes.
 */
export interface ReadProduct {
  /** The platform's id of the variant. */
  productId: string
  /** The id of own systems. Null: the platform did not say it. */
  extId: string | null
  name: string | null
  /** The number of the style. */
  number: string | null
  /** Color code. */
  variant: string | null
  group: string | null
  subgroup: string | null
  brand: string | null
  season: string | null
  color: string | null
  /** Names the description, which may be long; null: there is none. */
  descriptionDigest: string | null
  /** The ordinary price. */
  price: Decimal | null
  isWebAvailable: boolean | null
  /** `otherGtins`: that lead to it, too. */
  sizes: { gtin: string | null; otherGtins?: string[]; sku: string | null; label: string | null }[]
  prices: ReadPrice[]
  isDiscontinued: boolean
  /** The platform had it, and lists it no more. */
  isDeleted: boolean
  /** Fields that the answer did not have: it says nothing about them. */
  untold?: Untold[]
}

/** Every GTIN of a size. */
export function gtinsOf({ gtin, otherGtins = [] }: ReadProduct['sizes'][number]): string[] {
  return gtin === null ? otherGtins : [gtin, ...otherGtins]
}

/** A price in a list. One list may have several of a product, of different times. */
export interface ReadPrice {
  list: string
  /** The platform's id of the list. */
  listId: string | null
  currency: string | null
  price: Decimal
  /** The size that alone has this price; null: the whole variant, as it should be (spec, "Price list and prices"). */
  gtin: string | null
}

/** Names a text, however its lines are broken; null: there is none. */
export function textDigest(text: string | null): string | null {
  const plain = text?.replace(/\s+/g, ' ').trim() ?? ''
  return plain === '' ? null : digestOf(plain)
}

/** Fields of a product, or of its sizes, that an answer may leave out. */
export type Untold =
  | 'name'
  | 'number'
  | 'variant'
  | 'group'
  | 'subgroup'
  | 'brand'
  | 'season'
  | 'color'
  | 'description'
  | 'price'
  | 'isWebAvailable'
  | 'sku'
  | 'label'
