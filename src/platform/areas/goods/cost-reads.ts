import { field, text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import type { Listed } from '../../http/listed.ts'
import { requiredDecimal, type WireRecord } from '../../http/read.ts'
import { readListed } from '../../http/read-rows.ts'
import { sentId, sentText } from '../../http/written.ts'

/** A product's cost to the retailer in one stock, without VAT. */
interface StockCost {
  productId: string | null
  /** The GTIN, where the cost was asked for per GTIN. */
  gtin: string | null
  externalSku: string | null
  stockId: string | null
  stockExtId: string | null
  currency: string | null
  cost: Decimal
  /** The time as written: its zone is not shown. */
  updated: string | null
  record: WireRecord
}

/** The stock, by the platform's id or the retailer's own. */
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
