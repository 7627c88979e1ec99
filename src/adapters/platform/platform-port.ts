import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../../ports/ports.ts'
import {
  createCostWrites,
  createPriceEnds,
  createPriceWrites,
  createProductWrites,
  createStockWrites,
  eachWithKeys,
} from './catalogue.ts'
import { createCustomerWrites, createRemovals } from './customers.ts'
import { createDeliveryWrites, createGoodsKeeping, createGoodsMoves } from './goods.ts'
import { createOrderChanges, createOrderWrites, createSaleWrites, withFreight } from './orders.ts'

interface PlatformWays {
  /** The platform reserves no goods for an online order by itself. */
  reservesOrders?: boolean
}

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
