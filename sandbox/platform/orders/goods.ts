import { findArticle } from '../goods/article.ts'
import type { Article } from '../goods/assortment.ts'
import type { Goods } from '../goods/held.ts'
import type { Reservations } from '../goods/reservations.ts'
import type { Pos } from '../sales/pos.ts'
import type { Store } from '../stores.ts'
import type { Order, OrderLine } from './order.ts'

/**
 * Goods of online orders: they are kept for the customer when the order comes, leave the stock when they are fetched
 * or shipped, and are let go otherwise. Goods that the catalogue does not have are nobody's.
 */
export function createOrderGoods(goods: Goods, reservations: Reservations, move: Pos['move'], keeps: () => boolean) {
  function known(lines: readonly Pick<OrderLine, 'gtin' | 'quantity'>[]): { article: Article; quantity: number }[] {
    return lines.flatMap(({ gtin, quantity }) => {
      const article = goods.catalogue.find({ gtin }) && findArticle(goods, { gtin })
      return article ? [{ article, quantity }] : []
    })
  }

  return {
    keep({ store, body, lines }: Order): void {
      if (!keeps()) return
      const hours = body.reservationLengthInHours
      reservations.keep(store, known(lines), { extId: body.orderNo, hours })
    },

    /** All that was kept for it, or of one article. */
    release({ body }: Order, state: 'Released' | 'Expired', gtin: string | null = null): void {
      if (keeps()) reservations.endOf(body.orderNo, state, gtin)
    },

    /** The goods that the store had of it leave with the customer, or in a parcel. */
    hand({ store, body, lines }: Order): void {
      if (keeps()) reservations.endOf(body.orderNo, 'Used')
      for (const { article, quantity } of known(lines.filter(({ status }) => status === 'Picked')))
        move(store, article, -quantity, 'Bestilling')
    },

    takeBack(store: Store, lines: readonly Pick<OrderLine, 'gtin' | 'quantity'>[]): void {
      for (const { article, quantity } of known(lines)) move(store, article, quantity, 'Bestilling')
    },
  }
}

export type OrderGoods = ReturnType<typeof createOrderGoods>
