import { field, list, text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import { decimal, requiredId, type WireRecord } from '../../http/read.ts'
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

/** Throws where the record has no productId. */
export function readSavedProduct(record: WireRecord): SavedProduct {
  return {
    productId: requiredId(record, 'productId'),
    sizes: readList(field(record, 'productSizes'), 'size', readSize),
    record,
  }
}

function readSize(record: WireRecord): ProductSize {
  return {
    identity: text(record, 'identity'),
    gtin: text(record, 'gtin'),
    otherGtins: list(record, 'identifiers').flatMap((one) => idText(one, 'id') ?? []),
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
    return [{ list, listId: idText(record, 'pricelistId'), currency: text(record, 'currency'), price }]
  }).flat()
}
