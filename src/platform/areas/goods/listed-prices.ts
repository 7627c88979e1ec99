import { field, text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import type { Listed } from '../../http/listed.ts'
import { orNone } from '../../http/or-none.ts'
import { isRecord, requiredDecimal, type WireRecord } from '../../http/read.ts'
import { readListed } from '../../http/read-rows.ts'
import { sentId, sentText } from '../../http/written.ts'

/** A price as a list has it. */
export interface ListedPrice {
  productId: string | null
  gtin: string | null
  price: Decimal
  /** Times as written: the zone is not shown. Open: from 2000-01-01, to 9999-12-31, as the platform writes it. */
  validFrom: string | null
  validTo: string | null
  /** The row as the platform wrote it, fields that the hub does not know included. */
  record: WireRecord
}

/** A price with its list: what an article costs anywhere. */
interface PriceAnywhere extends ListedPrice {
  listId: string | null
  list: string | null
  currency: string | null
}

/** One product of a list, by exactly one of these. */
export type ListedProduct = { productId: string } | { gtin: string }

/** The prices in lists, one product at a time. Not in the spec. */
export interface ListedPrices {
  /** GET /api/PricelistV2/{listId}/prices: every price of the product there, those to come too. */
  read(listId: string, product: ListedProduct, signal?: AbortSignal): Promise<Listed<ListedPrice>>
  /** DELETE of the same: all of them, not one: without any, a product cannot be sold where the list is the recommended one. */
  delete(listId: string, product: ListedProduct, signal?: AbortSignal): Promise<void>
  /** GET /api/Pricelist/gtin/{gtin}: its prices in all lists. */
  byGtin(gtin: string, signal?: AbortSignal): Promise<Listed<PriceAnywhere>>
}

export function createListedPrices(client: Client): ListedPrices {
  return {
    async read(listId, product, signal) {
      const call = callOf('listedPrices.read', listId, product)
      const found = client.read('listedPrices.read', { ...call, signal }, (answer) =>
        readListed(answer, 'price', readPrice),
      )
      const listed = await orNone(found, { rows: [], aside: [] })
      client.aside('listedPrices.read', `list ${listId}, ${Object.values(product).join('')}`, listed.aside)
      return listed
    },

    async delete(listId, product, signal) {
      await client.write('listedPrices.delete', { ...callOf('listedPrices.delete', listId, product), signal })
    },

    async byGtin(gtin, signal) {
      const path = { gtin: sentText(gtin, 'listedPrices.byGtin: the gtin') }
      const listed = await client.read('listedPrices.byGtin', { path, signal }, (answer) =>
        readListed(isRecord(answer) ? field(answer, 'prices') : answer, 'price', readAnywhere),
      )
      client.aside('listedPrices.byGtin', path.gtin, listed.aside)
      return listed
    },
  }
}

function callOf(operation: string, listId: string, product: ListedProduct) {
  const query =
    'gtin' in product
      ? { gtin: sentText(product.gtin, `${operation}: the gtin`) }
      : { productId: String(sentId(product.productId, `${operation}: the productId`)) }
  return { path: { listId: sentText(listId, `${operation}: the listId`) }, query }
}

function readPrice(record: WireRecord): ListedPrice {
  return {
    productId: idText(record, 'productId'),
    gtin: text(record, 'gtin'),
    price: requiredDecimal(record, 'price'),
    validFrom: text(record, 'validFrom'),
    validTo: text(record, 'validTo'),
    record,
  }
}

function readAnywhere(record: WireRecord): PriceAnywhere {
  return {
    ...readPrice(record),
    listId: idText(record, 'pricelistId'),
    list: text(record, 'name'),
    currency: text(record, 'currency'),
  }
}
