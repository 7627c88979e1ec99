import { isNoEndpoint } from '../../../domain/values/errors.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Platform } from '../../platform.ts'

/** The quantities that a stock has of its articles, in all: pieces kept for somebody are not taken off. */
interface StockNow {
  rows: { gtin: string | null; quantity: Decimal }[]
  /** The platform lists nothing, which is more likely to be a failure. */
  suspect: boolean
}

/**
 * Reads what a stock has now. StockStatus is named in the specification, and no path to it is shown: where there is none, the levels
 * are asked for (spec, Stock 4), unless these are what can be sold.
 */
export async function stockNow(
  { stockStatus, stock, operations }: Pick<Platform, 'stockStatus' | 'stock' | 'operations'>,
  stockId: string,
  signal: AbortSignal,
): Promise<StockNow> {
  try {
    return await stockStatus.list({ stockId }, signal)
  } catch (error) {
    if (!isNoEndpoint(error) || stock.areSellable() || (await operations.isProven('stockStatus.list'))) throw error
    const { rows } = await stock.levels({ stockIds: [stockId] }, signal)
    return { rows: rows.map(({ id, quantity }) => ({ gtin: id, quantity })), suspect: rows.length === 0 }
  }
}
