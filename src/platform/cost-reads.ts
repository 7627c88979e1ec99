import { text } from '../domain/field.ts'
import type { Decimal } from '../domain/money.ts'
import type { Client } from './client.ts'
import { readList, type WireRecord } from './read.ts'
import { requiredDecimal } from './read-decimal.ts'
import { sentCurrency, sentDecimal, sentId, sentText } from './written.ts'

/** What a product costs the retailer in one stock, without VAT. */
interface StockCost {
  productId: string | null
  /** Where it was asked for per GTIN. */
  gtin: string | null
  externalSku: string | null
  stockId: string | null
  stockExtId: string | null
  currency: string | null
  cost: Decimal
  /** As written: its zone is not shown. */
  updated: string | null
  record: WireRecord
}

/** The stock, by the platform's id or the retailer's own. */
type StockName = { stockId: string } | { stockExtId: string }

/** Cost prices as the platform has them, and landed costs. Not in the spec. */
export interface Costs {
  /** GET /api/Pricelist/cost/stockid/{id}, or /stockextid/{id}. `perGtin`: a row for each size, not for each product. */
  of(stock: StockName, options?: { perGtin?: boolean; signal?: AbortSignal | undefined }): Promise<StockCost[]>
  /** POST /api/Pricelist/buycost: what a product costs with freight and duty. Without cost prices nothing is sent. */
  saveLanded(
    costs: ({ currency: string } | { stockId: string }) & {
      costPrices: readonly (({ productId: string } | { gtin: string }) & { price: string })[]
    },
    signal?: AbortSignal,
  ): Promise<void>
}

export function createCosts(client: Client): Costs {
  return {
    of(stock, { perGtin = false, signal } = {}) {
      const query = { perGtin }
      const read = (answer: unknown) => readList(answer, 'cost price', readCost)
      if ('stockExtId' in stock) {
        const path = { stockExtId: sentText(stock.stockExtId, 'costs.ofStockExtId: the stockExtId') }
        return client.read('costs.ofStockExtId', { path, query, signal }, read)
      }
      const path = { stockId: String(sentId(stock.stockId, 'costs.ofStock: the stockId')) }
      return client.read('costs.ofStock', { path, query, signal }, read)
    },

    async saveLanded(costs, signal) {
      const where = 'costs.saveLanded:'
      const { costPrices } = costs
      if (costPrices.length === 0) return
      const body = {
        ...('stockId' in costs
          ? { stockId: sentId(costs.stockId, `${where} the stockId`) }
          : { currency: sentCurrency(costs.currency, `${where} the currency`) }),
        costPrices: costPrices.map((line, index) => {
          const of = `${where} cost price ${index + 1}`
          const key =
            'gtin' in line
              ? { gtin: sentText(line.gtin, `${of}: the gtin`) }
              : { productId: sentId(line.productId, `${of}: the productId`) }
          return { ...key, price: sentDecimal(line.price, of) }
        }),
      }
      await client.write('costs.saveLanded', { body, signal })
    },
  }
}

function readCost(record: WireRecord): StockCost {
  return {
    productId: text(record, 'productId'),
    gtin: text(record, 'gtin'),
    externalSku: text(record, 'externalSKU'),
    stockId: text(record, 'stockId'),
    stockExtId: text(record, 'stockExtId'),
    currency: text(record, 'currency'),
    cost: requiredDecimal(record, 'costPrice'),
    updated: text(record, 'updatedDateTime'),
    record,
  }
}
