import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { createCostWrites } from './costs.ts'
import { createCustomerWrites } from './customers.ts'
import { createDeliveryWrites } from './deliveries.ts'
import { withFreight } from './freight-lines.ts'
import { createGoodsKeeping } from './goods-keeping.ts'
import { createGoodsMoves } from './goods-moves.ts'
import { eachWithKeys } from './keys.ts'
import { createOrderChanges } from './order-changes.ts'
import { createOrderWrites } from './orders.ts'
import { createPriceEnds } from './price-ends.ts'
import { createPriceWrites } from './prices.ts'
import { createProductWrites } from './products.ts'
import { createRemovals } from './removals.ts'
import { createSaleWrites } from './sales.ts'
import { createStockWrites } from './stock.ts'

/** Ways that only some platforms need. */
export interface PlatformWays {
  /** The platform keeps no goods for an online order by itself: a reservation is made besides. */
  reservesOrders?: boolean
}

/** The platform as a destination: what own systems submit becomes calls of its client. */
export function createPlatformPort(platform: Platform, { reservesOrders = false }: PlatformWays = {}): PlatformPort {
  const { createOrder, findOrder } = createOrderWrites(platform)
  const { createDelivery, findDelivery } = createDeliveryWrites(platform)
  const { changeOrder, cancelOrder } = createOrderChanges(platform)
  const whole = async (order: SubmittedOrder, signal: AbortSignal) => ({
    ...order,
    lines: await withFreight(order.lines, platform, signal),
  })
  return eachWithKeys({
    ...createProductWrites(platform),
    ...createPriceWrites(platform),
    ...createCostWrites(platform),
    ...createStockWrites(platform),
    createDelivery,
    ...createSaleWrites(platform),
    createOrder: async (order, attempt) => createOrder(await whole(order, attempt.signal), attempt),
    changeOrder: async (order, attempt) => changeOrder(await whole(order, attempt.signal), attempt),
    cancelOrder,
    ...createCustomerWrites(platform),
    ...createRemovals(platform),
    ...createPriceEnds(platform),
    ...createGoodsMoves(platform),
    ...(reservesOrders && createGoodsKeeping(platform)),
    async find({ signal }, call) {
      if (call.method === 'createOrder') return await findOrder(await whole(call.argument, signal), signal)
      if (call.method === 'createDelivery') return findDelivery(call.argument)
      throw new TypeError(`${call.port}.${call.method} cannot be looked for`)
    },
  })
}
