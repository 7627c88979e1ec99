import { type Request, Router } from 'express'
import type { Goods } from '../goods/held.ts'
import type { PriceLine, PriceList } from '../goods/prices.ts'
import { Refusal } from '../refusal.ts'
import { STOCKS, type Stock } from '../stores.ts'

/** The prices of one product in a list, or in all of them, and what products cost in a stock (facts, §1a). */
export function createListedPricesApi({ catalogue, prices }: Goods): Router {
  const router = Router()
  router.get('/api/PricelistV2/:id/prices', (request, response) => {
    const { list, productid } = asked(request)
    response.json((list.lines.get(productid) ?? []).map(priceRecord))
  })
  router.delete('/api/PricelistV2/:id/prices', (request, response) => {
    const { list, productid } = asked(request)
    prices.remove(list.pricelistId, productid)
    response.status(200).end()
  })
  router.get('/api/Pricelist/gtin/:gtin', ({ params: { gtin } }, response) => {
    const productid = catalogue.find({ gtin })?.variant.productid ?? 0
    const found = prices
      .lists()
      .flatMap(({ pricelistId, name, currency, lines }) =>
        (lines.get(productid) ?? []).map((line) => ({ ...priceRecord(line), gtin, pricelistId, name, currency })),
      )
    const costPrices = STOCKS.flatMap((stock) => costsIn(stock)).filter((cost) => cost.productId === productid)
    response.json({ prices: found, costPrices: costPrices.map((cost) => ({ ...cost, gtin })) })
  })
  return router

  function costsIn({ StockId, StoreNo, Currency }: Stock) {
    return prices.costs(StockId).map(({ stockId, productid, price, updatedAt }) => ({
      currency: Currency,
      gtin: catalogue.byId(productid)?.sizes[0]?.gtin ?? null,
      externalSKU: null,
      productId: productid,
      stockId,
      stockExtId: StoreNo,
      costPrice: price,
      updatedDateTime: new Date(updatedAt).toISOString(),
    }))
  }

  function asked({ params, query }: Request): { list: PriceList; productid: number } {
    const list = prices.byId(Number(params.id))
    if (!list) throw new Refusal(404, `There is no price list ${params.id}.`)
    const { gtin, externalSKU, identity, productId } = query as Record<string, string | undefined>
    const variant = productId
      ? catalogue.byId(Number(productId))
      : catalogue.find({ gtin, externalSKU, identity })?.variant
    if (!variant) throw new Refusal(404, 'There is no such product.')
    return { list, productid: variant.productid }
  }
}

function priceRecord({ productid, price, validFrom, validTo }: PriceLine) {
  return {
    productId: productid,
    gtin: null,
    price,
    validFrom: new Date(validFrom).toISOString(),
    validTo: new Date(validTo).toISOString(),
  }
}
