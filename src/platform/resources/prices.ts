import { field, idText, text } from '../../domain/values/field.ts'
import { type Client, queryList } from '../http/client.ts'
import { decimal, isRecord, type Listed, orNone, readListed, whole } from '../http/read.ts'
import {
  body,
  first,
  must,
  optional,
  sentCurrency,
  sentDecimal,
  sentId,
  sentText,
  sentTime,
  shape,
  unsendable,
} from '../http/shape.ts'

const writeKey = body({ productExtId: optional(sentText), gtin: optional(sentText), productId: optional(sentId) })

type ProductKey = { productExtId: string } | { gtin: string } | { productId: string }

/** One key only: with two, it is not known which wins. */
function sentKey(line: ProductKey, where: string) {
  const key = writeKey(line, where)
  const count = Object.keys(key).length
  if (count === 1) return key
  throw unsendable(where, `must name its product by one of productExtId, gtin and productId, not by ${count}.`)
}

const writeListPrice = body({ price: sentDecimal, validFrom: optional(sentTime), validTo: optional(sentTime) })

type ListPrice = ProductKey & Parameters<typeof writeListPrice>[0]

type NewCosts = ({ currency: string } | { stockId: string }) & {
  costPrices: readonly (ProductKey & { price: string })[]
}

export const PRICE_FIELDS = ['name', 'prices', ...writeKey.fields, ...writeListPrice.fields]
export const COST_FIELDS = ['currency', 'stockId', 'costPrices', ...writeKey.fields, 'price']

export const priceListShape = shape({
  id: must(idText, 'pricelistId', 'id'),
  name: must(text),
  productCount: whole,
  updated: first(text, 'lastUpdate'),
})

type PriceList = ReturnType<typeof priceListShape>

/** Spec, "Price list and prices". */
export function createPrices(client: Client) {
  return {
    /** Creates or changes the list; lines that are not given stay. */
    async saveList(
      { name, prices }: { name: string; prices: readonly ListPrice[] },
      signal?: AbortSignal,
    ): Promise<void> {
      const sent = prices.map((line, index) => {
        const where = `prices.saveList: price ${index + 1}`
        return { ...sentKey(line, where), ...writeListPrice(line, where) }
      })
      const body = { name: sentText(name, 'prices.saveList: the name'), prices: sent }
      await client.write('prices.saveList', { body, signal })
    },

    lists: (signal?: AbortSignal): Promise<Listed<PriceList>> =>
      queryList(client, 'prices.lists', { call: { signal }, what: 'price list', read: priceListShape }),

    async saveCosts(costs: NewCosts, signal?: AbortSignal): Promise<void> {
      const where =
        'stockId' in costs
          ? { stockId: sentId(costs.stockId, 'prices.saveCosts: the stockId') }
          : { currency: sentCurrency(costs.currency, 'prices.saveCosts: the currency') }
      const costPrices = costs.costPrices.map((line, index) => {
        const which = `prices.saveCosts: cost price ${index + 1}`
        return { ...sentKey(line, which), price: sentDecimal(line.price, which) }
      })
      if (costPrices.length > 0) await client.write('prices.saveCosts', { body: { ...where, costPrices }, signal })
    },
  }
}

const LISTED = {
  price: must(decimal),
  /** As written, zone unknown. Open: 2000-01-01 and 9999-12-31. */
  ...{ validFrom: text, validTo: text },
}

export const listedPriceShape = shape(LISTED)
export type ListedPrice = ReturnType<typeof listedPriceShape>

export const priceAnywhereShape = shape({ ...LISTED, list: first(text, 'name'), currency: text })

export const costShape = shape({ stockId: idText, stockExtId: text, currency: text, cost: must(decimal, 'costPrice') })

export type ListedProduct = { productId: string } | { gtin: string }

export function createListedPrices(client: Client) {
  return {
    read: (listId: string, product: ListedProduct, signal?: AbortSignal): Promise<Listed<ListedPrice>> =>
      orNone(
        queryList(client, 'listedPrices.read', {
          call: { ...callOf('listedPrices.read', listId, product), signal },
          about: `list ${listId}, ${Object.values(product).join('')}`,
          what: 'price',
          read: listedPriceShape,
        }),
        { rows: [], rejected: [] },
      ),

    /** All of its prices in the list. */
    async delete(listId: string, product: ListedProduct, signal?: AbortSignal): Promise<void> {
      await client.write('listedPrices.delete', { ...callOf('listedPrices.delete', listId, product), signal })
    },

    async byGtin(gtin: string, signal?: AbortSignal) {
      const path = { gtin: sentText(gtin, 'listedPrices.byGtin: the gtin') }
      const found = await client.read(
        'listedPrices.byGtin',
        { path, signal },
        async (answer) => ({
          prices: await readListed(isRecord(answer) ? field(answer, 'prices') : answer, 'price', priceAnywhereShape),
          costs: await readListed(isRecord(answer) ? field(answer, 'costPrices') : null, 'cost price', costShape),
        }),
        ({ prices }) => prices.rows.length > 0,
      )
      client.rejected('listedPrices.byGtin', path.gtin, [...found.prices.rejected, ...found.costs.rejected])
      return found
    },
  }
}

function callOf(operation: string, listId: string, product: ListedProduct) {
  const query =
    'gtin' in product
      ? { gtin: sentText(product.gtin, `${operation}: the gtin`) }
      : { productId: String(sentId(product.productId, `${operation}: the productId`)) }
  return { path: { listId: sentText(listId, `${operation}: the listId`) }, query }
}

export function createFreight(client: Client) {
  return {
    read: (signal?: AbortSignal): Promise<string | null> =>
      client.read('freight.read', { signal }, (answer) =>
        text(isRecord(answer) ? answer : { identity: answer }, 'identity'),
      ),
  }
}
