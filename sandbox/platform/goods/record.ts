import type { Goods } from './held.ts'
import type { Size, Variant } from './product.ts'

/** Parts of a product that may be told besides. */
export interface Shown {
  includePricelists?: boolean | null | undefined
  includeEmptyGTINs?: boolean | null | undefined
  includeStockQuantity?: boolean | null | undefined
  includeAlternativeIdentifiers?: boolean | null | undefined
}

/** The product as it is read in a list (facts, §1a "Product record on read"): without the `extId`. */
export function listedProduct(variant: Variant, goods: Goods, shown: Shown) {
  return {
    ...described(variant),
    productSizes: variant.sizes
      .filter(({ gtin }) => gtin !== null || shown.includeEmptyGTINs)
      .map((size) => ({
        ...sizeRecord(size),
        ...(shown.includeStockQuantity && { stockQty: stockOf(goods, size) }),
        ...(shown.includePricelists && { pricelists: pricesOf(goods, variant) }),
        ...(shown.includeAlternativeIdentifiers && { identifiers: size.identifiers ?? [] }),
      })),
  }
}

/** The product as it is answered to whom wrote it: `WebUpdateableProduct` of the facts, §3. */
export function writtenProduct(variant: Variant) {
  return {
    id: variant.id,
    extId: variant.extId,
    createProductSpecificSize: variant.ownSizes,
    ...described(variant),
    isNoLabel: variant.isNoLabel,
    ins: new Date(variant.ins).toISOString(),
    productSizes: variant.sizes.map((size) => ({ ...sizeRecord(size), labelSortIndex: size.labelSortIndex })),
  }
}

function described(variant: Variant) {
  return {
    productid: variant.productid,
    name: variant.name,
    number: variant.number,
    variant: variant.variant,
    groupName: variant.groupName,
    subgroupName: variant.subgroupName,
    color: variant.color,
    season: variant.season,
    brand: variant.brand,
    gender: variant.gender,
    isDiscontinued: false,
    tags: variant.tags,
    price: variant.price,
    cost: variant.cost,
    upt: new Date(variant.upt).toISOString(),
    description: variant.description,
    internalDescription: null,
    isStockProduct: variant.isStockProduct,
    isWebAvailable: variant.isWebAvailable,
    // The first image is the main one (spec, "Product").
    pictureRef: variant.images[0] ?? null,
    images: variant.images,
  }
}

function sizeRecord({ identity, gtin, label, externalSKU }: Size) {
  return { identity, gtin, label, externalSKU }
}

function stockOf({ stock }: Goods, { identity }: Size) {
  return stock.levelsOf(identity).map(({ stockId, quantity }) => ({ stockId, qty: quantity }))
}

function pricesOf({ prices }: Goods, { productid }: Variant) {
  return prices
    .lists()
    .flatMap(({ currency, name, pricelistId, lines }) =>
      (lines.get(productid) ?? []).map(({ price }) => ({ currency, pricelistName: name, pricelistId, price })),
    )
}
