import { text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import type { Client } from '../../http/client.ts'
import type { WireRecord } from '../../http/read.ts'
import { columnsOf } from '../../odata/columns.ts'
import { type OdataRows, readOdata } from '../../odata/odata.ts'

/** A product at variant level (spec, Products: without sizes, GTINs or SKUs). Which columns there are is not shown. */
interface ProductRow {
  productId: string | null
  extId: string | null
  name: string | null
  number: string | null
  variant: string | null
  /** The row as it came, without columns of persons. */
  record: WireRecord
}

/** One size of a product. Which columns there are is not shown. */
interface ProductSizeRow {
  productId: string | null
  gtin: string | null
  label: string | null
  sku: string | null
  /** The row as it came, without columns of persons. */
  record: WireRecord
}

/** A question for product rows. Without `select` all columns come: their names are not shown, and a wrong one is an error. */
interface ProductRowQuery {
  select?: readonly string[]
}

export interface ProductRows {
  /** GET /odata/Products: the whole list, slow (15 seconds and more). */
  list(query?: ProductRowQuery, signal?: AbortSignal): Promise<OdataRows<ProductRow>>
}

export interface ProductSizes {
  /** GET /odata/ProductListSizes: the whole list. */
  list(query?: ProductRowQuery, signal?: AbortSignal): Promise<OdataRows<ProductSizeRow>>
}

export function createProductRows(client: Client): ProductRows {
  return {
    list: async ({ select } = {}, signal) =>
      readOdata(client, {
        operation: 'productRows.list',
        query: {},
        columns: columns(select),
        read: readProduct,
        signal,
      }),
  }
}

export function createProductSizes(client: Client): ProductSizes {
  return {
    list: async ({ select } = {}, signal) =>
      readOdata(client, {
        operation: 'productSizes.list',
        query: {},
        columns: columns(select),
        read: readSize,
        signal,
      }),
  }
}

function columns(select: readonly string[] | undefined): string[] | null {
  return select && select.length > 0 ? columnsOf([], select) : null
}

function readProduct(record: WireRecord): ProductRow {
  return {
    productId: first(record, 'PRODUCTID', 'PRODUCTID_FK'),
    extId: idText(record, 'ExtId'),
    name: text(record, 'Name'),
    number: text(record, 'Number'),
    variant: text(record, 'Variant'),
    record,
  }
}

function readSize(record: WireRecord): ProductSizeRow {
  return {
    productId: first(record, 'PRODUCTID', 'PRODUCTID_FK'),
    gtin: first(record, 'EAN', 'GTIN'),
    label: first(record, 'Label', 'SizeLabel'),
    sku: first(record, 'ExternalSKU', 'SKU'),
    record,
  }
}

function first(record: WireRecord, ...names: string[]): string | null {
  for (const name of names) {
    const found = text(record, name)
    if (found !== null) return found
  }
  return null
}
