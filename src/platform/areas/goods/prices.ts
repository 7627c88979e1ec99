import { field, idText, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import {
  isRecord,
  type Listed,
  orNone,
  readListed,
  requiredDecimal,
  requiredId,
  requiredText,
  UnexpectedAnswer,
  type WireRecord,
  whole,
} from '../../http/read.ts'
import {
  given,
  type SentTime,
  sentCurrency,
  sentDecimal,
  sentId,
  sentText,
  sentTime,
  unsendable,
} from '../../http/written.ts'

type ProductKey = { productExtId: string } | { gtin: string } | { productId: string }

type ListPrice = ProductKey & {
  /** Decimal text, in the currency of the stores that the list is assigned to. */
  price: string
  /** From the beginning, and for ever, where they are not given (as the public API says). */
  validFrom?: SentTime | undefined
  validTo?: SentTime | undefined
}

/** Cost prices: kept per stock, set for all stocks of one currency (ISO 4217), or for one stock. */
type NewCosts = ({ currency: string } | { stockId: string }) & {
  /** The price is decimal text. */
  costPrices: readonly (ProductKey & { price: string })[]
}

interface PriceList {
  id: string
  name: string
  productCount: number | null
  /** The time as the platform wrote it: its zone is not shown. */
  updated: string | null
  record: WireRecord
}

/** Price lists and cost prices (spec, "Price list and prices"). Prices may take 15 minutes to be seen at a till. */
export interface Prices {
  /**
   * POST /api/PriceListV2: creates the list of this name, or changes it. Lines that are not given stay as they are.
   * Gives what was answered, null where that is not a price list: the spec does not show it.
   */
  saveList(list: { name: string; prices: readonly ListPrice[] }, signal?: AbortSignal): Promise<PriceList | null>
  /** GET /api/Pricelist: all price lists, without their prices. Not in the spec. */
  lists(signal?: AbortSignal): Promise<Listed<PriceList>>
  /**
   * POST /api/Pricelist/cost, in one currency, or in one stock, which is not in the spec. Without cost prices nothing is sent.
   */
  saveCosts(costs: NewCosts, signal?: AbortSignal): Promise<void>
}

export function createPrices(client: Client): Prices {
  return {
    async saveList({ name, prices }, signal) {
      const body = { name: sentText(name, 'prices.saveList: the name'), prices: prices.map(sentPrice) }
      return readSaved(await client.write('prices.saveList', { body, signal }))
    },

    async lists(signal) {
      const listed = await client.read('prices.lists', { signal }, (answer) =>
        readListed(answer, 'price list', readPriceList),
      )
      client.aside('prices.lists', '', listed.aside)
      return listed
    },

    async saveCosts(costs, signal) {
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

function sentPrice(line: ListPrice, index: number) {
  const where = `prices.saveList: price ${index + 1}`
  const { price, validFrom, validTo } = line
  return {
    ...sentKey(line, where),
    price: sentDecimal(price, where),
    ...given({
      validFrom: sentTime(validFrom, `${where}: validFrom`),
      validTo: sentTime(validTo, `${where}: validTo`),
    }),
  }
}

/** The key that names the product. Two are refused, because nobody knows which of them would win. */
function sentKey(line: { productExtId?: string; gtin?: string; productId?: string }, where: string) {
  const { productExtId, gtin, productId } = line
  const keys = Object.entries(given({ productExtId, gtin, productId }))
  const [key] = keys
  if (!key || keys.length > 1)
    throw unsendable(where, `must name its product by one of productExtId, gtin and productId, not by ${keys.length}.`)
  const [name, value] = key
  return { [name]: name === 'productId' ? sentId(value, where) : sentText(value, `${where}: ${name}`) }
}

function readPriceList(record: WireRecord): PriceList {
  return {
    id: requiredId(record, 'pricelistId', 'id'),
    name: requiredText(record, 'name'),
    productCount: whole(record, 'productCount'),
    updated: text(record, 'lastUpdate'),
    record,
  }
}

/** The list is saved whatever the answer's shape. */
function readSaved(answer: unknown): PriceList | null {
  if (!isRecord(answer)) return null
  try {
    return readPriceList(answer)
  } catch (error) {
    if (error instanceof UnexpectedAnswer) return null
    throw error
  }
}

/** A price as a list has it. */
export interface ListedPrice {
  productId: string | null
  gtin: string | null
  price: Decimal
  /** Times as written: the zone is not shown. Open: from 2000-01-01, to 9999-12-31, as the platform writes it. */
  validFrom: string | null
  validTo: string | null
  record: WireRecord
}

interface PriceAnywhere extends ListedPrice {
  listId: string | null
  list: string | null
  currency: string | null
}

export type ListedProduct = { productId: string } | { gtin: string }

/** The prices in lists, one product at a time. Not in the spec. */
export interface ListedPrices {
  /** GET /api/PricelistV2/{listId}/prices: every price of the product there, those to come too. */
  read(listId: string, product: ListedProduct, signal?: AbortSignal): Promise<Listed<ListedPrice>>
  /** DELETE of the same: all of them, not one: without any, a product cannot be sold where the list is the recommended one. */
  delete(listId: string, product: ListedProduct, signal?: AbortSignal): Promise<void>
  /** GET /api/Pricelist/gtin/{gtin}: its prices in all lists. */
  byGtin(gtin: string, signal?: AbortSignal): Promise<Listed<PriceAnywhere>>
}

export function createListedPrices(client: Client): ListedPrices {
  return {
    async read(listId, product, signal) {
      const call = callOf('listedPrices.read', listId, product)
      const found = client.read('listedPrices.read', { ...call, signal }, (answer) =>
        readListed(answer, 'price', readPrice),
      )
      const listed = await orNone(found, { rows: [], aside: [] })
      client.aside('listedPrices.read', `list ${listId}, ${Object.values(product).join('')}`, listed.aside)
      return listed
    },

    async delete(listId, product, signal) {
      await client.write('listedPrices.delete', { ...callOf('listedPrices.delete', listId, product), signal })
    },

    async byGtin(gtin, signal) {
      const path = { gtin: sentText(gtin, 'listedPrices.byGtin: the gtin') }
      const listed = await client.read('listedPrices.byGtin', { path, signal }, (answer) =>
        readListed(isRecord(answer) ? field(answer, 'prices') : answer, 'price', readAnywhere),
      )
      client.aside('listedPrices.byGtin', path.gtin, listed.aside)
      return listed
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

function readPrice(record: WireRecord): ListedPrice {
  return {
    productId: idText(record, 'productId'),
    gtin: text(record, 'gtin'),
    price: requiredDecimal(record, 'price'),
    validFrom: text(record, 'validFrom'),
    validTo: text(record, 'validTo'),
    record,
  }
}

function readAnywhere(record: WireRecord): PriceAnywhere {
  return {
    ...readPrice(record),
    listId: idText(record, 'pricelistId'),
    list: text(record, 'name'),
    currency: text(record, 'currency'),
  }
}

interface StockCost {
  productId: string | null
  /** The GTIN, where the cost was asked for per GTIN. */
  gtin: string | null
  externalSku: string | null
  stockId: string | null
  stockExtId: string | null
  currency: string | null
  cost: Decimal
  updated: string | null
  record: WireRecord
}

type StockName = { stockId: string } | { stockExtId: string }

/** Cost prices as the platform has them. Not in the spec. */
export interface Costs {
  /** GET /api/Pricelist/cost/stockid/{id}, or /stockextid/{id}. `perGtin`: a row for each size, not for each product. */
  of(stock: StockName, options?: { perGtin?: boolean; signal?: AbortSignal | undefined }): Promise<Listed<StockCost>>
  /** GET /api/Pricelist/gtin/{gtin}, which tells its prices as well: what one article costs in each stock. */
  ofGtin(gtin: string, signal?: AbortSignal): Promise<Listed<StockCost>>
}

export function createCosts(client: Client): Costs {
  return {
    async of(stock, { perGtin = false, signal } = {}) {
      const [operation, path] =
        'stockExtId' in stock
          ? (['costs.ofStockExtId', { stockExtId: sentText(stock.stockExtId, 'costs.of: the stockExtId') }] as const)
          : (['costs.ofStock', { stockId: String(sentId(stock.stockId, 'costs.of: the stockId')) }] as const)
      const listed = await client.read(operation, { path, query: { perGtin }, signal }, (answer) =>
        readListed(answer, 'cost price', readCost),
      )
      client.aside(operation, `stock ${Object.values(path).join('')}`, listed.aside)
      return listed
    },

    async ofGtin(gtin, signal) {
      const path = { gtin: sentText(gtin, 'costs.ofGtin: the gtin') }
      const listed = await client.read('listedPrices.byGtin', { path, signal }, (answer) =>
        readListed(field(answer, 'costPrices') ?? null, 'cost price', readCost),
      )
      client.aside('listedPrices.byGtin', `${path.gtin}, costs`, listed.aside)
      return listed
    },
  }
}

function readCost(record: WireRecord): StockCost {
  return {
    productId: idText(record, 'productId'),
    gtin: text(record, 'gtin'),
    externalSku: text(record, 'externalSKU'),
    stockId: idText(record, 'stockId'),
    stockExtId: text(record, 'stockExtId'),
    currency: text(record, 'currency'),
    cost: requiredDecimal(record, 'costPrice'),
    updated: text(record, 'updatedDateTime'),
    record,
  }
}

/** Freight, which is an article of its own on a sale. Not in the spec. */
export interface Freight {
  /** GET /api/Sale/freight: what a sales line names freight by; null: the platform has no such article. */
  read(signal?: AbortSignal): Promise<string | null>
}

export function createFreight(client: Client): Freight {
  return {
    read: (signal) =>
      client.read('freight.read', { signal }, (answer) =>
        isRecord(answer) ? text(answer, 'identity') : text({ identity: answer }, 'identity'),
      ),
  }
}
