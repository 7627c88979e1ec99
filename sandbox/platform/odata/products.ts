import type { Item } from '../goods/catalogue.ts'
import type { Variant } from '../goods/product.ts'
import type { RowSet } from './filter.ts'
import type { Columns } from './rows.ts'

/* The two sets of products (spec, "Products"). No source shows their columns: these are ours, in the manner of the other sets. */

/** Variants, without sizes, GTINs and SKUs. */
export const PRODUCT: Columns<Variant> = {
  PRODUCTID: ({ productid }) => productid,
  ExtId: ({ extId }) => extId,
  Name: ({ name }) => name,
  Number: ({ number }) => number,
  Variant: ({ variant }) => variant,
  Brand: ({ brand }) => brand,
  Group: ({ groupName }) => groupName,
  Season: ({ season }) => season,
  Color: ({ color }) => color,
}

/** Sizes, each with the variant that it is one of. */
export const PRODUCT_SIZE: Columns<Item> = {
  PRODUCTID_FK: ({ variant }) => variant.productid,
  EAN: ({ size }) => size.gtin,
  ExternalSKU: ({ size }) => size.externalSKU,
  SizeLabel: ({ size }) => size.label,
}

export const PRODUCTS: RowSet = {
  name: 'Products',
  columns: Object.keys(PRODUCT),
  filterable: ['PRODUCTID'],
  topBeforeFilter: true,
}

export const PRODUCTLISTSIZES: RowSet = {
  name: 'ProductListSizes',
  columns: Object.keys(PRODUCT_SIZE),
  filterable: ['PRODUCTID_FK'],
  topBeforeFilter: true,
}
