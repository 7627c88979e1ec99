import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { common, together } from './together.ts'

/** Levels of a stock, and complete counts (spec, "Stock adjustment"). */
export function createStockWrites({ stock }: Pick<Platform, 'stock'>): Pick<PlatformPort, 'setStock' | 'countStock'> {
  return {
    setStock: (batch) =>
      together(batch, async (items, signal) => {
        const stockId = common(items, (item) => item.stockId)
        const description = common(items, (item) => item.description)
        const levels = items.map(({ gtin, quantity }) => ({ gtin, quantity }))
        await stock.adjust({ stockId, description, items: levels }, signal)
        return {}
      }),

    async countStock({ stockId, stockCountTime, description, items }, { signal }) {
      await stock.adjust({ stockId, stockCountTime, description, items, isCompleteStockCount: true }, signal)
      return { note: `${items.length} counted` }
    },
  }
}
