import { Router } from 'express'
import { articleOfItem } from '../goods/article.ts'
import { createBulk } from '../goods/bulk.ts'
import { type Complaints, complaintsAbout } from '../goods/complaints.ts'
import type { Goods } from '../goods/held.ts'
import { OPEN } from '../goods/prices.ts'
import { type BatchedProduct, ProductBody, SizeBody, type Variant, WholeProduct } from '../goods/product.ts'
import { listedProduct, writtenProduct } from '../goods/record.ts'
import { matches, ProductFilter, pageOf } from '../goods/search.ts'
import { Refusal } from '../refusal.ts'
import { readBody } from '../sales/door.ts'
import type { Pos } from '../sales/pos.ts'
import { STOCKS } from '../stores.ts'

const NAMES = [...Object.keys(ProductBody.shape), ...Object.keys(SizeBody.shape), 'stockId', 'qty']

/** The fields that a product may bring besides itself. */
type Brought = ProductBody & Pick<BatchedProduct, 'productPrices'>

/** Products (spec, "Products"; facts, §1a). */
export function createProductsApi(goods: Goods, pos: Pos): Router {
  const { catalogue, prices, stock } = goods
  const router = Router()
  const bulk = createBulk(catalogue, { complaints, save })

  router.post('/api/v2/Products/bulk-insert', ({ body }, response) => {
    // The official example is an array of one (facts, line of L376).
    response.json([bulk.insert(body)])
  })
  router.put('/api/v2/Products/bulk-upsert', ({ body }, response) => void response.json(bulk.upsert(body)))

  router.post('/api/Products', ({ body }, response) => {
    const product = readBody(WholeProduct, body, NAMES)
    response.json(writtenProduct(saved(product, named(product))))
  })
  router.put('/api/Products', ({ body }, response) => {
    const product = readBody(ProductBody, body, NAMES)
    if (product.extId == null && product.productid == null)
      throw new Refusal(400, 'extId or productid is required, here or in the path: which product is changed?')
    const current = named(product)
    if (!current) throw new Refusal(404, `There is no product ${product.extId ?? product.productid}.`)
    response.json(writtenProduct(saved(product, current)))
  })
  router.put('/api/products/:id', ({ body, params: { id } }, response) => {
    const current = product(id)
    response.json(writtenProduct(saved(readBody(ProductBody, body, NAMES), current)))
  })
  router.get('/api/products/:id', ({ params: { id } }, response) => void response.json(writtenProduct(product(id))))
  router.delete('/api/products/:id', ({ params: { id } }, response) => {
    catalogue.remove(product(id))
    response.status(200).end()
  })

  router.post('/api/Product', ({ body }, response) => {
    const filter = readBody(ProductFilter, body ?? {}, Object.keys(ProductFilter.shape))
    response.json(pageOf(catalogue.variants(), filter).map((variant) => listedProduct(variant, goods, filter)))
  })
  router.post('/api/Product/count', ({ body }, response) => {
    const filter = readBody(ProductFilter, body ?? {}, Object.keys(ProductFilter.shape))
    response.json(catalogue.variants().filter((variant) => matches(variant, filter)).length)
  })
  router.get('/api/Product/gtin/:gtin', ({ params: { gtin } }, response) => {
    const found = catalogue.variants().filter(({ sizes }) => sizes.some((size) => size.gtin === gtin))
    response.json(found.map((variant) => listedProduct(variant, goods, {})))
  })
  return router

  /** By the platform's id, or else by the integrator's own. */
  function product(id: string): Variant {
    const found = (/^\d{1,9}$/.test(id) ? catalogue.byId(Number(id)) : null) ?? catalogue.byExtId(id)
    if (!found) throw new Refusal(404, `There is no product ${id}.`)
    return found
  }

  function named({ extId, productid }: ProductBody): Variant | null {
    return (extId ? catalogue.byExtId(extId) : null) ?? (productid == null ? null : catalogue.byId(productid))
  }

  function complaints(body: Brought, current: Variant | null): Complaints {
    return complaintsAbout(body, current, goods, (id) =>
      pos.book.moved.some(({ article }) => catalogue.find({ gtin: article.gtin })?.size.identity === id),
    )
  }

  function saved(body: ProductBody, current: Variant | null): Variant {
    const found = Object.entries(complaints(body, current)).map(([field, why]) => `${field}: ${why}`)
    if (found.length > 0) throw new Refusal(400, found.join(' '))
    return save(body, current)
  }

  /** The product with all that it brought: prices in lists, and quantities, which are moved as if by hand. */
  function save(body: Brought, current: Variant | null): Variant {
    const variant = current ? catalogue.change(current, body) : catalogue.create(body)
    for (const { pricelistName, price } of body.productPrices ?? []) {
      const list = prices.byName(pricelistName)
      if (list) prices.set(list.pricelistId, [{ productid: variant.productid, price, ...OPEN }])
    }
    for (const { gtin, label, stockQty } of body.productSizes ?? []) {
      const size = variant.sizes.find((one) => (gtin ? one.gtin === gtin : one.label === (label ?? '')))
      for (const { stockId, qty } of stockQty ?? []) {
        const store = STOCKS.find(({ StockId }) => StockId === stockId)
        const missing = size ? qty - stock.level(stockId, size.identity) : 0
        if (store && size && missing !== 0) pos.move(store, articleOfItem({ variant, size }), missing, 'Manual')
      }
    }
    return variant
  }
}
