import { isSameArticle } from '../../../domain/catalogue/article-number.ts'
import { flag, idText, list, text } from '../../../domain/values/field.ts'
import { decimal, isRecord, type WireRecord } from '../../http/read.ts'
import {
  asIs,
  body,
  eachOrNone,
  first,
  itself,
  must,
  optional,
  type ReadField,
  rows,
  rowsIfTold,
  shape,
} from '../../http/shape.ts'
import { sentDecimal, sentId, sentText } from '../../http/written.ts'

const otherGtins: ReadField<string[]> = Object.assign(
  (record: unknown) => list(record, 'identifiers').flatMap((one) => idText(one, 'id') ?? []),
  { names: ['identifiers', 'identifiers.id'] },
)

const listed = rowsIfTold(
  'price',
  'pricelists',
  shape({ list: first(text, 'pricelistName'), listId: first(idText, 'pricelistId'), currency: text, price: decimal }),
)

const prices = Object.assign(
  (record: unknown, name: string) =>
    listed(record, name)?.flatMap(({ list, price, ...more }) =>
      list === null || price === null ? [] : [{ list, price, ...more }],
    ) ?? null,
  { names: listed.names ?? [] },
)

/** Undocumented in the spec; missing fields are null. */
export const productShape = shape({
  productId: must(idText),
  sizes: rows(
    'size',
    'productSizes',
    shape({
      identity: text,
      gtin: text,
      otherGtins,
      label: text,
      externalSKU: text,
      prices,
    }),
  ),
  record: itself,
  ...{ extId: idText, name: text, number: text, variant: text, groupName: text, subgroupName: text, color: text },
  ...{ season: text, brand: text, price: decimal, description: text, isWebAvailable: flag, isDiscontinued: flag },
})
export type Product = ReturnType<typeof productShape>

export function hasGtin({ sizes }: Pick<Product, 'sizes'>, wanted: string): boolean {
  return sizes.some(({ gtin, otherGtins }) => [gtin, ...otherGtins].some((own) => isSameArticle(own, wanted)))
}

export function onlyRecord(answer: unknown): WireRecord | null {
  const value = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
  return isRecord(value) ? value : null
}

const TEXT = asIs<string>()
const FLAG = asIs<boolean>()

/** Send all sizes with their GTINs (spec, "ProductSize"). The public API writes `labelSortIndex` with a comma. */
const SIZE = {
  ...{ externalSKU: TEXT, gtin: TEXT, label: TEXT, labelSortIndex: TEXT },
  identifiers: eachOrNone('identifier', body({ id: sentText, type: TEXT })),
}

const PRODUCT = {
  extId: sentText,
  createProductSpecificSize: FLAG,
  ...{ name: TEXT, number: TEXT, variant: TEXT, groupName: TEXT, subgroupName: TEXT, color: TEXT, season: TEXT },
  ...{ brand: TEXT, price: optional(sentDecimal), cost: optional(sentDecimal), description: TEXT },
  productSizes: eachOrNone('size', body(SIZE)),
  images: asIs<readonly string[]>(),
  ...{ gender: TEXT, tags: TEXT, isStockProduct: FLAG, isNoLabel: FLAG, sizeSystem: TEXT },
}

/** Spec, "Product (variant level)"; decimals are text. */
export const writeProduct = body(PRODUCT)
export type NewProduct = Parameters<typeof writeProduct>[0]

export const writeBulkProduct = body({
  ...PRODUCT,
  productSizes: eachOrNone(
    'size',
    body({ ...SIZE, stockQty: eachOrNone('stock', body({ stockId: sentId, qty: sentDecimal })) }),
  ),
  productPrices: eachOrNone('price', body({ pricelistName: sentText, price: sentDecimal })),
  pictureRef: TEXT,
  isWebAvailable: FLAG,
})
export type BulkProduct = Parameters<typeof writeBulkProduct>[0]
