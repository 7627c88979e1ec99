import { field, list, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import { flag, isRecord, requiredText, type WireRecord } from '../../http/read.ts'
import { decimal } from '../../http/read-decimal.ts'
import { readList } from '../../http/read-list.ts'

/** A size of a product, as the platform has it. */
interface ProductSize {
  /** The id that the platform names the SKU by. */
  identity: string | null
  gtin: string | null
  /** Further GTINs that lead to it at a till; none where they were not asked for. */
  otherGtins: string[]
  label: string | null
  externalSKU: string | null
  /** The prices in each price list; null: they were not asked for. */
  prices: ListedPrice[] | null
}

/** A product's price in one price list. */
interface ListedPrice {
  list: string
  listId: string | null
  currency: string | null
  price: Decimal
}

/** The product as the answer to a write tells of it. */
export interface SavedProduct {
  /** The platform's id of the variant. */
  productId: string
  sizes: ProductSize[]
  /** The product as the platform wrote it, fields that the hub does not know included. */
  record: WireRecord
}

/** A product as the platform has it; the spec does not show the record. What it did not write is null. */
export interface Product extends SavedProduct {
  extId: string | null
  name: string | null
  number: string | null
  /** Color code. */
  variant: string | null
  groupName: string | null
  subgroupName: string | null
  color: string | null
  season: string | null
  brand: string | null
  price: Decimal | null
  cost: Decimal | null
  description: string | null
  isWebAvailable: boolean | null
  isDiscontinued: boolean | null
  /** When it last changed, as written: its zone is not shown. */
  updated: string | null
}

/** Throws where the record has no productId. */
export function readSavedProduct(record: WireRecord): SavedProduct {
  return {
    productId: requiredText(record, 'productId'),
    sizes: readList(field(record, 'productSizes'), 'size', readSize),
    record,
  }
}

/** Throws where the record has no productId, or a price that is no decimal. */
export function readProduct(record: WireRecord): Product {
  return {
    ...readSavedProduct(record),
    extId: text(record, 'extId'),
    name: text(record, 'name'),
    number: text(record, 'number'),
    variant: text(record, 'variant'),
    groupName: text(record, 'groupName'),
    subgroupName: text(record, 'subgroupName'),
    color: text(record, 'color'),
    season: text(record, 'season'),
    brand: text(record, 'brand'),
    price: decimal(record, 'price'),
    cost: decimal(record, 'cost'),
    description: text(record, 'description'),
    isWebAvailable: flag(record, 'isWebAvailable'),
    isDiscontinued: flag(record, 'isDiscontinued'),
    updated: text(record, 'upt'),
  }
}

/** Whether a GTIN is one of those of a product. */
export function hasGtin({ sizes }: Pick<Product, 'sizes'>, wanted: string): boolean {
  return sizes.some(({ gtin, otherGtins }) => gtin === wanted || otherGtins.includes(wanted))
}

/** The one record that was answered, also as a list of one; null where something else was. */
export function onlyRecord(answer: unknown): WireRecord | null {
  const value = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
  return isRecord(value) ? value : null
}

function readSize(record: WireRecord): ProductSize {
  return {
    identity: text(record, 'identity'),
    gtin: text(record, 'gtin'),
    otherGtins: list(record, 'identifiers').flatMap((one) => text(one, 'id') ?? []),
    label: text(record, 'label'),
    externalSKU: text(record, 'externalSKU'),
    prices: readPrices(field(record, 'pricelists')),
  }
}

/** A list may name the product without a price for it: such an entry is left out. */
function readPrices(written: unknown): ListedPrice[] | null {
  if (written === undefined || written === null) return null
  return readList(written, 'price', (record) => {
    const [list, price] = [text(record, 'pricelistName'), decimal(record, 'price')]
    if (list === null || price === null) return []
    return [{ list, listId: text(record, 'pricelistId'), currency: text(record, 'currency'), price }]
  }).flat()
}
