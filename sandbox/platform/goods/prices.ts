import { Refusal } from '../refusal.ts'
import { STORES } from '../stores.ts'

/** The price of a product in a list, in a time. Milliseconds since 1970. */
export interface PriceLine {
  productid: number
  price: number
  validFrom: number
  validTo: number
}

export interface PriceList {
  pricelistId: number
  name: string
  currency: string
  /** By product; one product may have several, from different moments on. */
  lines: ReadonlyMap<number, readonly PriceLine[]>
  lastUpdate: number
}

type OpenList = PriceList & { lines: Map<number, readonly PriceLine[]> }

/** The price that a product cost the retailer, in the currency of the stock. */
export interface Cost {
  stockId: number
  productid: number
  price: number
  updatedAt: number
}

/** A price without dates holds from the first to the last (facts, §1a "open dates"). */
export const OPEN = { validFrom: Date.parse('2000-01-01T00:00:00Z'), validTo: Date.parse('9999-12-31T00:00:00Z') }

/** The price lists, and the cost prices, which each stock has for itself. */
export function createPrices(now: () => number) {
  const lists = new Map<number, OpenList>()
  const costs = new Map<number, Map<number, Cost>>()

  function costsOf(stockId: number): Map<number, Cost> {
    const here = costs.get(stockId) ?? new Map<number, Cost>()
    costs.set(stockId, here)
    return here
  }

  return {
    lists: (): PriceList[] => [...lists.values()],

    byName: (name: string): PriceList | null => [...lists.values()].find((one) => one.name === name) ?? null,

    byId: (pricelistId: number): PriceList | null => lists.get(pricelistId) ?? null,

    /** Makes a list. Its currency is not in the request: it is that of the first store, until somebody assigns it. */
    create(name: string, currency = STORES[0]?.Currency ?? ''): PriceList {
      const list: OpenList = { pricelistId: 301 + lists.size, name, currency, lines: new Map(), lastUpdate: now() }
      lists.set(list.pricelistId, list)
      return list
    },

    /** Adds lines; one of the same product from the same moment on is replaced. Other lines stay. */
    set(pricelistId: number, added: readonly PriceLine[]): PriceList {
      const list = lists.get(pricelistId)
      if (!list) throw new Refusal(400, `pricelistId ${pricelistId}: there is no such price list.`)
      for (const line of added) {
        const others = list.lines.get(line.productid)?.filter(({ validFrom }) => validFrom !== line.validFrom) ?? []
        list.lines.set(line.productid, [...others, line])
      }
      list.lastUpdate = now()
      return list
    },

    /** Takes every price of a product off a list. */
    remove(pricelistId: number, productid: number): void {
      lists.get(pricelistId)?.lines.delete(productid)
    },

    /** Gives a list another name. */
    rename(pricelistId: number, name: string): void {
      const list = lists.get(pricelistId)
      if (list) list.name = name
    },

    /** Every cost of a stock. */
    costs: (stockId: number): Cost[] => [...(costs.get(stockId)?.values() ?? [])],

    /** The cost of a product in a stock; null: nobody said. */
    cost: (stockId: number, productid: number): number | null => costs.get(stockId)?.get(productid)?.price ?? null,

    setCost(stockId: number, productid: number, price: number): void {
      costsOf(stockId).set(productid, { stockId, productid, price, updatedAt: now() })
    },

    /** Takes in costs that were there before. */
    loadCosts(stockId: number, known: readonly Cost[]): void {
      const here = costsOf(stockId)
      for (const cost of known) here.set(cost.productid, cost)
    },

    /** Takes in prices that were there before, of products that have none here. */
    load(pricelistId: number, known: readonly (readonly [productid: number, lines: readonly PriceLine[]])[]): void {
      const list = lists.get(pricelistId)
      for (const [productid, lines] of known) list?.lines.set(productid, lines)
    },
  }
}

export type Prices = ReturnType<typeof createPrices>
