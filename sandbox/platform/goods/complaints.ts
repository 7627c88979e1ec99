import { STOCKS } from '../stores.ts'
import { ASSORTMENT } from './assortment.ts'
import type { Goods } from './held.ts'
import type { BatchedProduct, ProductBody, Variant } from './product.ts'

/** Faults by the field that has them; empty: nothing is wrong. */
export type Complaints = Record<string, string>

/** The sizes of the company's own size systems. */
const SHARED_SIZES = new Set(['XS', 'S', 'M', 'L', 'XL', 'XXL', 'One size', '', ...ASSORTMENT.map(({ size }) => size)])

/**
 * Objections of the platform to this product, new (`current` is null) or changed. `moved` says whether something of a
 * size was ever sold, counted or received.
 */
export function complaintsAbout(
  body: ProductBody & Pick<BatchedProduct, 'productPrices'>,
  current: Variant | null,
  { catalogue, prices }: Goods,
  moved: (identity: string) => boolean,
): Complaints {
  const complaints: Complaints = {}
  const ownSizes = body.createProductSpecificSize ?? current?.ownSizes ?? false
  if (current && ownSizes !== current.ownSizes && current.sizes.some(({ identity }) => moved(identity)))
    complaints.SizeSystem = 'The size system cannot be changed once the product has stock movements.'
  const owner = body.extId ? catalogue.byExtId(body.extId) : null
  if (owner && owner.productid !== current?.productid)
    complaints.ExtId = `${body.extId} is the extId of product ${owner.productid}.`

  const gtins = new Set<string>()
  for (const { gtin, label, stockQty } of body.productSizes ?? []) {
    const taken = gtin ? catalogue.find({ gtin }) : null
    if (taken && taken.variant.productid !== current?.productid)
      complaints[`GTIN ${gtin}`] = `It belongs to product ${taken.variant.productid}.`
    if (gtin && gtins.has(gtin)) complaints[`GTIN ${gtin}`] = 'Two sizes of the product have it.'
    if (gtin) gtins.add(gtin)
    const known = current?.sizes.some((size) => size.label === label || (gtin && size.gtin === gtin)) ?? false
    if (!ownSizes && !known && !SHARED_SIZES.has(label ?? ''))
      complaints.SizeSystem = `No size system has ${label}; createProductSpecificSize would make one.`
    for (const { stockId } of stockQty ?? [])
      if (!STOCKS.some(({ StockId }) => StockId === stockId)) complaints.StockQty = `There is no stock ${stockId}.`
  }
  for (const { pricelistName } of body.productPrices ?? [])
    if (!prices.byName(pricelistName)) complaints.ProductPrices = `There is no price list ${pricelistName}.`
  return complaints
}
