import { isSameArticle } from '../../../domain/catalogue/article-number.ts'
import { field, flag, idText, list, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import { decimal, isRecord, readList, requiredId, type WireRecord } from '../../http/read.ts'
import { given, sentDecimal, sentId, sentText } from '../../http/written.ts'

/** A product as the platform has it; the spec does not show the record. What it did not write is null. */
export interface Product extends SavedProduct {
  extId: string | null
  name: string | null
  number: string | null
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

/** Throws where the record has no productId, or a price that is no decimal. */
export function readProduct(record: WireRecord): Product {
  return {
    ...readSavedProduct(record),
    extId: idText(record, 'extId'),
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

export function hasGtin({ sizes }: Pick<Product, 'sizes'>, wanted: string): boolean {
  return sizes.some(({ gtin, otherGtins }) => [gtin, ...otherGtins].some((own) => isSameArticle(own, wanted)))
}

/** The one record that was answered, also as a list of one; null where something else was. */
export function onlyRecord(answer: unknown): WireRecord | null {
  const value = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
  return isRecord(value) ? value : null
}

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

interface ListedPrice {
  list: string
  listId: string | null
  currency: string | null
  price: Decimal
}

/** The product as the answer to a write tells of it. */
export interface SavedProduct {
  productId: string
  sizes: ProductSize[]
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

/** A size of a variant. Send all sizes with their GTINs (spec, "ProductSize"). */
interface NewSize {
  externalSKU?: string | undefined
  gtin?: string | undefined
  label?: string | undefined
  /** Numeric text; the public API writes it with a comma, so it goes as it is given. */
  labelSortIndex?: string | undefined
  /** Not in the spec: further GTINs that lead to the size at a till, each with what sort of code it is. */
  identifiers?: readonly { id: string; type?: string | undefined }[] | undefined
}

/**
 * A product at variant level, as it is sent (spec, "Product (variant level)"). What is not given is not sent. A group, season,
 * brand or color that the platform does not know is created by it.
 */
export interface NewProduct {
  extId: string
  createProductSpecificSize?: boolean | undefined
  name?: string | undefined
  number?: string | undefined
  variant?: string | undefined
  groupName?: string | undefined
  /** Not in the spec; the public API wants it in an update wherever `groupName` stands. */
  subgroupName?: string | undefined
  color?: string | undefined
  season?: string | undefined
  brand?: string | undefined
  /** Decimal text. The ordinary price: campaigns belong in a price list. */
  price?: string | undefined
  cost?: string | undefined
  description?: string | undefined
  productSizes?: readonly NewSize[] | undefined
  /** URLs; the first one becomes the main image. */
  images?: readonly string[] | undefined
  /** Not in the spec, as those below: `m`, `f`, `m, f`, `b`, `g`, `c`, `i` or nothing. */
  gender?: string | undefined
  tags?: string | undefined
  /** false: no stock of it is kept (a service, a bag); true if nobody says. */
  isStockProduct?: boolean | undefined
  /** true: it gets no price label. */
  isNoLabel?: boolean | undefined
  /** Heeded without `createProductSpecificSize`; the best match if nobody says. */
  sizeSystem?: string | undefined
}

export interface BulkProduct extends NewProduct {
  productSizes?: readonly BulkSize[] | undefined
  productPrices?: readonly { pricelistName: string; price: string }[] | undefined
  pictureRef?: string | undefined
  isWebAvailable?: boolean | undefined
}

export interface BulkSize extends NewSize {
  /** Quantities as decimal text. */
  stockQty?: readonly { stockId: string; qty: string }[] | undefined
}

/** The body of a product: the fields of the spec that are given, and no other. Throws a PermanentError that names the field. */
export function sentProduct(product: BulkProduct, where: string) {
  const { price, cost, productSizes, productPrices } = product
  return given({
    extId: sentText(product.extId, `${where}: the extId`),
    createProductSpecificSize: product.createProductSpecificSize,
    name: product.name,
    number: product.number,
    variant: product.variant,
    groupName: product.groupName,
    subgroupName: product.subgroupName,
    color: product.color,
    season: product.season,
    brand: product.brand,
    price: price === undefined ? undefined : sentDecimal(price, `${where}: the price`),
    cost: cost === undefined ? undefined : sentDecimal(cost, `${where}: the cost`),
    description: product.description,
    productSizes: productSizes?.map((size, index) => sentSize(size, `${where}: size ${index + 1}`)),
    images: product.images,
    gender: product.gender,
    tags: product.tags,
    isStockProduct: product.isStockProduct,
    isNoLabel: product.isNoLabel,
    sizeSystem: product.sizeSystem,
    productPrices: productPrices?.map((line, index) => ({
      pricelistName: sentText(line.pricelistName, `${where}: productPrices ${index + 1}: the pricelistName`),
      price: sentDecimal(line.price, `${where}: productPrices ${index + 1}: the price`),
    })),
    pictureRef: product.pictureRef,
    isWebAvailable: product.isWebAvailable,
  })
}

function sentSize({ externalSKU, gtin, label, labelSortIndex, identifiers, stockQty }: BulkSize, where: string) {
  return given({
    externalSKU,
    gtin,
    label,
    labelSortIndex,
    identifiers: identifiers?.map(({ id, type }) => given({ id: sentText(id, `${where}: an identifier`), type })),
    stockQty: stockQty?.map(({ stockId, qty }) => ({
      stockId: sentId(stockId, `${where}: a stockId`),
      qty: sentDecimal(qty, `${where}: the qty`),
    })),
  })
}
