import type { Adjust } from '../goods/adjust.ts'
import type { Goods } from '../goods/held.ts'
import { Refusal } from '../refusal.ts'
import { storeTime } from '../sales/clock.ts'
import type { Emit } from '../sales/emit.ts'
import type { Pos } from '../sales/pos.ts'
import type { Stock } from '../stores.ts'
import type { GoodsActions } from './all.ts'

/** Counting a stock, and correcting it by hand. */
export function createStockWork(
  goods: Goods,
  pos: Pos,
  stockIn: (name: string | undefined) => Stock,
  adjust: Adjust,
  now: () => number,
  emit: Emit,
): Pick<GoodsActions, 'countStock' | 'adjustStock'> {
  let adjustments = 640_000

  function levelOf({ StockId }: Stock, gtin: string): number {
    const item = goods.catalogue.find({ gtin })
    if (!item) throw new Refusal(400, `The catalogue has no ${gtin}.`)
    return goods.stock.level(StockId, item.size.identity)
  }

  return {
    countStock({ stock: name, lines, sku, quantity, complete = false } = {}) {
      const stock = stockIn(name)
      const { gtin: one } = pos.articleOf(sku ?? lines?.[0]?.sku ?? pos.anyArticle().sku)
      const items = lines?.map((line) => ({ gtin: pos.articleOf(line.sku).gtin, quantity: line.quantity })) ?? [
        // One is missing.
        { gtin: one, quantity: quantity ?? Math.max(levelOf(stock, one) - 1, 0) },
      ]
      const { stockCountId, stockMovements } = adjust({
        stockId: stock.StockId,
        description: 'Counted in the store',
        items,
        ...(complete && { isCompleteStockCount: true, stockCountTime: now() }),
      })
      return { stockCountId, stock: stock.StoreNo, counted: items.length, corrected: stockMovements.length }
    },

    adjustStock({ stock: name, sku, quantity = -1, reason = 'Broken' } = {}) {
      const stock = stockIn(name)
      const article = sku === undefined ? pos.anyArticle() : pos.articleOf(sku)
      const moved = pos.move(stock, article, quantity, 'Manual')
      adjustments += 1
      // Nothing shows this payload; the shape is the sandbox's own.
      const payload = {
        companyId: 7,
        adjustmentId: adjustments,
        stockId: stock.StockId,
        stockExtId: stock.StoreNo,
        reason,
        createdDateTime: storeTime(now(), stock),
        items: [{ gtin: article.gtin, sku: article.sku, quantity, stockLevel: moved.stockLevel }],
        stockMovements: [moved],
      }
      emit('StockAdjustmentCreated', payload, stock)
      return { adjustmentId: adjustments, stock: stock.StoreNo, sku: article.sku, stockLevel: moved.stockLevel }
    },
  }
}
