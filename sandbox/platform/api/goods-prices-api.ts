import { Router } from 'express'
import { z } from 'zod'
import { Instant, stockOfId } from '../goods/door.ts'
import type { Goods } from '../goods/held.ts'
import { OPEN, type PriceLine, type PriceList } from '../goods/prices.ts'
import type { Variant } from '../goods/product.ts'
import { Refusal } from '../refusal.ts'
import { readBody } from '../sales/door.ts'
import { STOCKS } from '../stores.ts'

const ProductName = {
  productExtId: z.string().nullish(),
  gtin: z.string().nullish(),
  productId: z.int().nullish(),
}
const WebPrice = z.strictObject({
  ...ProductName,
  price: z.number().min(0),
  validFrom: Instant.nullish(),
  validTo: Instant.nullish(),
})
const WebPricelist = z.strictObject({
  name: z.string().min(1),
  pricelistId: z.int().nullish(),
  prices: z.array(WebPrice),
})
const CostPrices = z.strictObject({
  currency: z.string().nullish(),
  stockId: z.int().nullish(),
  stockExtId: z.string().nullish(),
  costPrices: z.array(z.strictObject({ ...ProductName, price: z.number().min(0) })),
})
const NAMES = [WebPricelist, WebPrice, CostPrices].flatMap(({ shape }) => Object.keys(shape))

/** Price lists and cost prices (spec, "Price list and prices"; facts, §1a). A call with a bad line does nothing. */
export function createPricesApi({ catalogue, prices }: Goods): Router {
  const router = Router()

  router.post('/api/PriceListV2', ({ body }, response) => {
    const { name, pricelistId, prices: said } = readBody(WebPricelist, body, NAMES)
    const lines = said.map(({ price, validFrom, validTo, ...product }, index): PriceLine => {
      const at = `prices[${index}]`
      const line = { price, validFrom: validFrom ?? OPEN.validFrom, validTo: validTo ?? OPEN.validTo }
      if (line.validFrom > line.validTo) throw new Refusal(400, `${at}: validTo is before validFrom.`)
      return { productid: productOf(product, at).productid, ...line }
    })
    if (pricelistId != null && !prices.byId(pricelistId))
      throw new Refusal(400, `pricelistId ${pricelistId}: there is no such price list.`)
    const id = pricelistId ?? (prices.byName(name) ?? prices.create(name)).pricelistId
    prices.rename(id, name)
    response.json(listRecord(prices.set(id, lines)))
  })

  router.get('/api/Pricelist', (_, response) => void response.json(prices.lists().map(listRecord)))

  router.post('/api/Pricelist/cost', ({ body }, response) => {
    const { currency, stockId, stockExtId, costPrices } = readBody(CostPrices, body, NAMES)
    const stocks = currency ? STOCKS.filter(({ Currency }) => Currency === currency) : [stockOfId(stockId, stockExtId)]
    if (stocks.length === 0) throw new Refusal(400, `currency ${currency}: no stock has it.`)
    const costs = costPrices.map(({ price, ...product }, index) => ({
      price,
      productid: productOf(product, `costPrices[${index}]`).productid,
    }))
    for (const { StockId } of stocks)
      for (const { productid, price } of costs) prices.setCost(StockId, productid, price)
    response.status(200).end()
  })
  return router

  /** Prices are those of the variant, whichever of its sizes it is named by. */
  function productOf({ productExtId, gtin, productId }: z.infer<z.ZodObject<typeof ProductName>>, at: string): Variant {
    const found = productExtId
      ? catalogue.byExtId(productExtId)
      : gtin
        ? catalogue.find({ gtin })?.variant
        : productId == null
          ? null
          : catalogue.byId(productId)
    const name = productExtId || gtin || productId
    if (name == null) throw new Refusal(400, `${at}: productExtId, gtin or productId is required.`)
    if (!found) throw new Refusal(400, `${at}: there is no product ${name}.`)
    return found
  }
}

function listRecord({ pricelistId, name, lines, lastUpdate }: PriceList) {
  return { pricelistId, name, productCount: lines.size, lastUpdate: new Date(lastUpdate).toISOString() }
}
