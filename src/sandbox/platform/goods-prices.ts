import { Refusal } from './refusal.ts'
import { STORES } from './stores.ts'

/** What a product costs in a list, in a time. Milliseconds since 1970. */
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
  lines: readonly PriceLine[]
  lastUpdate: number
}

/** What a product cost the retailer, in the currency of the stock. */
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
  const lists = new Map<number, PriceList>()
  const costs = new Map<string, Cost>()

  return {
    lists: (): PriceList[] => [...lists.values()],

    byName: (name: string): PriceList | null => [...lists.values()].find((one) => one.name === name) ?? null,

    byId: (pricelistId: number): PriceList | null => lists.get(pricelistId) ?? null,

    /** Makes a list. Its currency is not in the request: it is that of the first store, until somebody assigns it. */
    create(name: string, currency = STORES[0]?.Currency ?? ''): PriceList {
      const list: PriceList = { pricelistId: 301 + lists.size, name, currency, lines: [], lastUpdate: now() }
      lists.set(list.pricelistId, list)
      return list
    },

    /** Adds lines; one of the same product from the same moment on is replaced. Other lines stay. */
    set(pricelistId: number, added: readonly PriceLine[]): PriceList {
      const list = lists.get(pricelistId)
      if (!list) throw new Refusal(400, `pricelistId ${pricelistId}: there is no such price list.`)
      const lines = new Map([...list.lines, ...added].map((line) => [`${line.productid}/${line.validFrom}`, line]))
      const next: PriceList = { ...list, lines: [...lines.values()], lastUpdate: now() }
      lists.set(pricelistId, next)
      return next
    },

    /** Gives a list another name. */
    rename(pricelistId: number, name: string): void {
      const list = lists.get(pricelistId)
      if (list) lists.set(pricelistId, { ...list, name })
    },

    costs: (): Cost[] => [...costs.values()],

    /** The cost of a product in a stock; null: nobody said. */
    cost: (stockId: number, productid: number): number | null => costs.get(`${stockId}/${productid}`)?.price ?? null,

    setCost(stockId: number, productid: number, price: number): void {
      costs.set(`${stockId}/${productid}`, { stockId, productid, price, updatedAt: now() })
    },
  }
}

export type Prices = ReturnType<typeof createPrices>
