import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { storeTime } from '../sales/clock.ts'
import type { Emit } from '../sales/emit.ts'
import type { Pos } from '../sales/pos.ts'
import { articleOfItem } from './article.ts'
import type { Item } from './catalogue.ts'
import { Instant, stockOfId } from './door.ts'
import type { Goods } from './held.ts'

const AdjustItem = z.strictObject({
  gtin: z.string().nullish(),
  identity: z.string().nullish(),
  externalSKU: z.string().nullish(),
  quantity: z.int(),
  cost: z.number().min(0).nullish(),
  serials: z.array(z.string()).nullish(),
})

/** A stock adjustment: the level that each item is to have (spec, "Stock adjustment"). */
export const Adjustment = z.strictObject({
  description: z.string().nullish(),
  stockId: z.int().nullish(),
  stockExtId: z.string().nullish(),
  stockCountTime: Instant.nullish(),
  isCompleteStockCount: z.boolean().nullish(),
  saveAsStockCount: z.boolean().nullish(),
  items: z.array(AdjustItem).nullish(),
})
export type Adjustment = z.infer<typeof Adjustment>

export const ADJUSTMENT_NAMES = [...Object.keys(Adjustment.shape), ...Object.keys(AdjustItem.shape)]

/** Sets stock levels, and says so: a movement for each level that was another one, and one StockCountReconciled. */
export function createAdjust({ catalogue, stock }: Goods, move: Pos['move'], now: () => number, emit: Emit) {
  let counts = 610_000

  function itemsOf({ items, isCompleteStockCount }: Adjustment): Map<string, { item: Item; quantity: number }> {
    const wanted = new Map<string, { item: Item; quantity: number }>()
    for (const [index, { quantity, ...name }] of (items ?? []).entries()) {
      const at = `items[${index}]`
      const item = catalogue.find(name)
      const called = name.gtin ?? name.identity ?? name.externalSKU
      if (called == null) throw new Refusal(400, `${at}: gtin is required.`)
      if (!item) throw new Refusal(400, `${at}: there is no ${called}.`)
      if (wanted.has(item.size.identity)) throw new Refusal(400, `${at}: this item is there twice.`)
      wanted.set(item.size.identity, { item, quantity })
    }
    // Sizes left out of a complete count were not there (spec, Stock 1; facts, §5 line 22).
    if (isCompleteStockCount)
      for (const item of catalogue.items())
        if (!wanted.has(item.size.identity)) wanted.set(item.size.identity, { item, quantity: 0 })
    return wanted
  }

  return (adjustment: Adjustment) => {
    const { stockId, stockExtId, stockCountTime, isCompleteStockCount, description } = adjustment
    const store = stockOfId(stockId, stockExtId)
    const at = now()
    if (isCompleteStockCount && stockCountTime == null)
      throw new Refusal(400, 'stockCountTime is required with isCompleteStockCount: when did the count start?')
    if (stockCountTime != null && stockCountTime > at) throw new Refusal(400, 'stockCountTime is in the future.')
    const wanted = [...itemsOf(adjustment).values()]
    counts += 1
    const stockMovements = wanted.flatMap(({ item, quantity }) => {
      const difference = quantity - stock.level(store.StockId, item.size.identity)
      return difference === 0 ? [] : [move(store, articleOfItem(item), difference, 'Reconciliation')]
    })
    const payload = {
      companyId: 7,
      stockCountId: counts,
      stockId: store.StockId,
      stockExtId: store.StoreNo,
      description: description ?? '',
      isCompleteStockCount: isCompleteStockCount ?? false,
      countedDateTime: storeTime(stockCountTime ?? at, store),
      createdDateTime: storeTime(at, store),
      items: wanted.map(({ item: { variant, size }, quantity }) => ({
        identity: size.identity,
        gtin: size.gtin ?? '',
        sku: size.externalSKU ?? '',
        productId: variant.productid,
        quantity,
      })),
      stockMovements,
    }
    emit('StockCountReconciled', payload, store)
    return payload
  }
}

export type Adjust = ReturnType<typeof createAdjust>
