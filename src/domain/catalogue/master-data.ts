import { digestOf } from '../values/digest.ts'
import type { Decimal } from '../values/money.ts'

/** A variant as read from the platform, payload of `ProductRead`. Lists are sorted: equal products are equal bytes. */
export interface ReadProduct {
  productId: string
  /** Null: not given. */
  extId: string | null
  name: string | null
  /** Style number. */
  number: string | null
  /** Color code. */
  variant: string | null
  group: string | null
  subgroup: string | null
  brand: string | null
  season: string | null
  color: string | null
  /** Hash of the description; null: none. */
  descriptionDigest: string | null
  price: Decimal | null
  isWebAvailable: boolean | null
  /** `otherGtins`: aliases. */
  sizes: { gtin: string | null; otherGtins?: string[]; sku: string | null; label: string | null }[]
  prices: ReadPrice[]
  isDiscontinued: boolean
  /** Removed from the platform's list. */
  isDeleted: boolean
  /** Fields missing in the answer: unknown. */
  untold?: Untold[]
}

export function gtinsOf({ gtin, otherGtins = [] }: ReadProduct['sizes'][number]): string[] {
  return gtin === null ? otherGtins : [gtin, ...otherGtins]
}

/** A list may have several prices of a product over time. */
export interface ReadPrice {
  list: string
  listId: string | null
  currency: string | null
  price: Decimal
  /** Null: the whole variant (spec, "Price list and prices"). */
  gtin: string | null
}

/** Independent of line breaks; null: none. */
export function textDigest(text: string | null): string | null {
  const plain = text?.replace(/\s+/g, ' ').trim() ?? ''
  return plain === '' ? null : digestOf(plain)
}

/** Fields an answer may omit. */
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
