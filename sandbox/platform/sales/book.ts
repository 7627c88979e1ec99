import type { Article } from '../goods/assortment.ts'
import type { Stock } from '../stores.ts'
import type { Receipt } from './sale-payload.ts'

/** A sale that the platform has, from a POS or imported. */
export interface Sold {
  saleId: number
  /** Milliseconds since 1970. */
  instant: number
  receipt: Receipt
}

/** Goods that came to a stock (positive) or left it. */
export interface Moved {
  movementId: number
  instant: number
  store: Stock
  article: Article
  quantity: number
  /** One of the types of StockMovementCreated (spec, Events 7). */
  type: string
}

/** The sales and movements, in the order in which they happened: settlements and odata read them. */
export function createSalesBook(now: () => number) {
  const sold: Sold[] = []
  const moved: Moved[] = []
  return {
    sold: sold as readonly Sold[],
    moved: moved as readonly Moved[],

    /** Gives the sale its id. */
    sell(receipt: Receipt): Sold {
      const sale = { saleId: 7_200_001 + sold.length, instant: receipt.instant, receipt }
      sold.push(sale)
      return sale
    },

    move(movement: Omit<Moved, 'instant'>): void {
      moved.push({ ...movement, instant: now() })
    },
  }
}

export type SalesBook = ReturnType<typeof createSalesBook>
