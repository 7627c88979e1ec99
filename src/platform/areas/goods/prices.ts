import { text } from '../../../domain/values/field.ts'
import type { Client } from '../../http/client.ts'
import type { Listed } from '../../http/listed.ts'
import { isRecord, requiredId, requiredText, UnexpectedAnswer, type WireRecord, whole } from '../../http/read.ts'
import { readListed } from '../../http/read-rows.ts'
import { type SentTime, sentTime } from '../../http/sent-time.ts'
import { given, sentCurrency, sentDecimal, sentId, sentText, unsendable } from '../../http/written.ts'

/** One product, by exactly one of its keys. Prices hold for a variant: `productExtId` is what the spec prefers. */
type ProductKey = { productExtId: string } | { gtin: string } | { productId: string }

/** A price in a list (spec, "Price list and prices"). */
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

/** A price list, without its prices. */
interface PriceList {
  id: string
  name: string
  productCount: number | null
  /** The time as the platform wrote it: its zone is not shown. */
  updated: string | null
  /** The price as the platform wrote it, fields that the hub does not know included. */
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

/** The price area of a client. What cannot be sent is a PermanentError that names the line, before anything is sent. */
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

/** The list is saved, whatever was answered: an answer of another shape is no failure. */
function readSaved(answer: unknown): PriceList | null {
  if (!isRecord(answer)) return null
  try {
    return readPriceList(answer)
  } catch (error) {
    if (error instanceof UnexpectedAnswer) return null
    throw error
  }
}
