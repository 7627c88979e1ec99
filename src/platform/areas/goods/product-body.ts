import { given, sentDecimal, sentId, sentText } from '../../http/written.ts'

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
  /** The id that the sender knows the variant by: the key of create-or-update. */
  extId: string
  /** true: the product gets sizes of its own, to which more can be added later. */
  createProductSpecificSize?: boolean | undefined
  name?: string | undefined
  /** The number of the style. */
  number?: string | undefined
  /** Color code. */
  variant?: string | undefined
  groupName?: string | undefined
  /** Not in the spec; the public API wants it in an update wherever `groupName` stands. */
  subgroupName?: string | undefined
  color?: string | undefined
  season?: string | undefined
  brand?: string | undefined
  /** Decimal text. The ordinary price: campaigns belong in a price list. */
  price?: string | undefined
  /** Decimal text. */
  cost?: string | undefined
  description?: string | undefined
  productSizes?: readonly NewSize[] | undefined
  /** URLs; the first one becomes the main image. */
  images?: readonly string[] | undefined
  /** Not in the spec, as those below: `m`, `f`, `m, f`, `b`, `g`, `c`, `i` or nothing. */
  gender?: string | undefined
  /** Commas between them. */
  tags?: string | undefined
  /** false: no stock of it is kept (a service, a bag); true if nobody says. */
  isStockProduct?: boolean | undefined
  /** true: it gets no price label. */
  isNoLabel?: boolean | undefined
  /** Heeded without `createProductSpecificSize`; the best match if nobody says. */
  sizeSystem?: string | undefined
}

/** A product of a bulk call, which takes some fields more. */
export interface BulkProduct extends NewProduct {
  productSizes?: readonly BulkSize[] | undefined
  /** Prices as decimal text. */
  productPrices?: readonly { pricelistName: string; price: string }[] | undefined
  /** A URL. */
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
