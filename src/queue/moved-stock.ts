import type { Channels } from '../domain/catalogue/channel.ts'
import type { Logger } from '../lib/logger.ts'
import type { Effect } from '../ports/attempt.ts'
import type { OrdersPort, Ports } from '../ports/ports.ts'
import type { StockOf } from '../storage/article-stock.ts'

interface CountingShop {
  name: string
  ports: Ports
  channels: Channels
}

interface Options {
  stockOf: StockOf
  announce(stock: object): Promise<void>
  logger: Logger
}

/** A shop that changes its stock with an order gets the level again. */
export function tellingMoved<Shop extends CountingShop>(shop: Shop, { stockOf, announce, logger }: Options): Shop {
  const { name, ports, channels } = shop
  const { orders } = ports
  const locations = Object.keys(channels)
  if (!orders || !ports.stock?.setLevels || locations.length === 0) return shop

  async function tellAgain(gtins: readonly string[]): Promise<void> {
    try {
      for (const gtin of new Set(gtins)) {
        const stock = await stockOf(gtin)
        if (stock) for (const again of locations) await announce({ ...stock, again })
      }
    } catch (err) {
      // The effect has happened; the next level or the weekly reconcile corrects the stock.
      logger.warn({ destination: name, err }, 'stock.not-sent-again')
    }
  }

  const methods = Object.entries(orders).map(([method, given]: [string, unknown]) => {
    if (typeof given !== 'function') return [method, given]
    const announcing = async (...args: unknown[]) => {
      const result: unknown = await given.apply(orders, args)
      await tellAgain((result as Effect | null | undefined)?.movedStock ?? [])
      return result
    }
    return [method, announcing]
  })
  return { ...shop, ports: { ...ports, orders: Object.fromEntries(methods) as OrdersPort } }
}
