import type { Article } from '../goods/assortment.ts'
import type { Delivery } from '../goods/delivery.ts'
import type { Goods } from '../goods/held.ts'
import type { GoodsOffice } from '../goods/office.ts'
import { Refusal } from '../refusal.ts'
import type { Emit } from '../sales/emit.ts'
import type { Pos } from '../sales/pos.ts'
import { STORES, type Stock, stockOf, WEB_STOCK } from '../stores.ts'
import type { GoodsActions } from './all.ts'
import { createStockWork } from './stock-work.ts'

/** Goods as somebody names them. */
interface Named {
  lines?: readonly { sku: string; quantity?: number }[]
  sku?: string
  quantity?: number
}

/** Pieces that are announced, if nobody says. */
const USUAL = 10

/** The actions of people on goods, in stores and in the back office. */
export function createGoodsActions(
  pos: Pos,
  goods: Goods,
  { deliveries, transfers, reservations, adjust }: GoodsOffice,
  now: () => number,
  emit: Emit,
): GoodsActions {
  /** One article of the POS's, if nobody names any. */
  function meant({ lines, sku, quantity }: Named, usual: number): { article: Article; quantity: number }[] {
    const named = lines ?? [{ sku: sku ?? pos.anyArticle().sku, quantity: quantity ?? usual }]
    return named.map((line) => ({ article: pos.articleOf(line.sku), quantity: line.quantity ?? usual }))
  }

  function stockIn(name: string | undefined): Stock {
    return name === undefined ? pos.anyStore() : stockOf(name)
  }

  /** The one that is named, or the latest that still is to be received. */
  function delivery(orderId: number | undefined): Delivery {
    const found =
      orderId === undefined
        ? deliveries.all().findLast(({ completed }) => !completed)
        : deliveries.all().find((one) => one.orderId === orderId)
    if (found) return found
    throw new Refusal(404, orderId === undefined ? 'No delivery is on its way.' : `There is no delivery ${orderId}.`)
  }

  /** The one that is named, or the latest that stands. */
  function reservation(id: string | undefined): string {
    const found = id ?? reservations.all().findLast(({ state }) => state === 'Kept')?.id
    if (found === undefined) throw new Refusal(404, 'Nothing is kept for anybody.')
    return found
  }

  return {
    ...createStockWork(goods, pos, stockIn, adjust, now, emit),

    announceDelivery({ stock: name, cost, reference, direct = false, ...named } = {}) {
      const store = stockIn(name)
      const lines = meant(named, USUAL).map(({ article, quantity }, index) => {
        const item = goods.catalogue.find({ gtin: article.gtin })
        if (!item) throw new Refusal(400, `lines[${index}]: the catalogue has no ${article.sku}.`)
        const { variant, size } = item
        const own = cost ?? variant.cost ?? goods.prices.cost(store.StockId, variant.productid)
        const counts = { expected: quantity, received: 0, cost: own, movements: [] }
        return { identity: size.identity, productid: variant.productid, gtin: article.gtin, ...counts }
      })
      const at = now()
      const orderId = deliveries.create({
        requestId: null,
        extRef: reference ?? `PO-${String(at).slice(-6)}`,
        store,
        type: direct ? 'DirectDelivery' : 'PlannedDelivery',
        orderDate: at,
        expectedAt: at,
        comment: '',
        lines,
      })
      return { orderId, stock: store.StoreNo, pieces: sum(lines.map(({ expected }) => expected)) }
    },

    receiveDelivery({ orderId: asked, part = false, close = false, ...named } = {}) {
      const { orderId, lines } = delivery(asked)
      const missing = lines.map(({ gtin, expected, received }) => ({
        gtin,
        quantity: Math.max(expected - received, 0),
      }))
      const isNamed = named.lines !== undefined || named.sku !== undefined
      const some = isNamed
        ? meant(named, 1).map(({ article, quantity }) => ({ gtin: article.gtin, quantity }))
        : part
          ? missing.map(({ gtin, quantity }) => ({ gtin, quantity: Math.ceil(quantity / 2) }))
          : missing
      const taken = some.filter(({ quantity }) => quantity > 0)
      deliveries.receive(orderId, { lines: taken, close })
      return { orderId, received: sum(taken.map(({ quantity }) => quantity)), completed: delivery(orderId).completed }
    },

    changeDeliveryCost({ orderId: asked, sku, cost } = {}) {
      const found = asked === undefined ? deliveries.all().at(-1) : delivery(asked)
      if (!found) throw new Refusal(404, 'No delivery was announced yet.')
      const gtin = sku === undefined ? null : pos.articleOf(sku).gtin
      const old = (gtin === null ? found.lines[0] : found.lines.find((line) => line.gtin === gtin))?.cost ?? 100
      const next = cost ?? Math.round(old * 110) / 100
      deliveries.changeCost(found.orderId, gtin, next)
      return { orderId: found.orderId, cost: next }
    },

    createTransfer({ from, to, received = false, ...named } = {}) {
      const source = stockIn(from)
      const target = to === undefined ? otherThan(source) : stockOf(to)
      const { transferId } = transfers.create(source, target, meant(named, 1))
      if (received) transfers.receive(transferId)
      return { transferId, from: source.StoreNo, to: target.StoreNo, received }
    },

    receiveTransfer({ transferId: asked } = {}) {
      const id = asked ?? transfers.all().findLast(({ received }) => !received)?.transferId
      if (id === undefined) throw new Refusal(404, 'No transfer is on its way.')
      const { transferId, from, to } = transfers.receive(id)
      return { transferId, from: from.StoreNo, to: to.StoreNo }
    },

    reserveStock({ stock: name, customerId = null, hours, ...named } = {}) {
      const stock = stockIn(name)
      const kept = reservations.keep(stock, meant(named, 1), { customerId, hours })
      return { ids: kept.map(({ id }) => id), stock: stock.StoreNo }
    },

    releaseReservation: ({ id } = {}) => ({ id: reservations.end(reservation(id), 'Released').id }),

    expireReservation: ({ id } = {}) => ({ id: reservations.end(reservation(id), 'Expired').id }),
  }
}

/** A store of the same country, or else the online store's. */
function otherThan({ StockId, Currency }: Stock): Stock {
  return STORES.find((one) => one.StockId !== StockId && one.Currency === Currency) ?? WEB_STOCK
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
