import { articleKey } from '../../domain/catalogue/article-number.ts'
import type { SubmittedDelivery, SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { text } from '../../domain/values/field.ts'
import { uuidOfName } from '../../lib/uuid.ts'
import { allRows, type Listed } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Reservation } from '../../platform/resources/orders.ts'
import type { Attempt, PlatformPort } from '../../ports/ports.ts'
import {
  createCostWrites,
  createPriceEnds,
  createPriceWrites,
  createProductWrites,
  createStockWrites,
  eachWithKeys,
} from './catalogue.ts'
import { createCustomerWrites, createRemovals, goneIfTold } from './customers.ts'
import {
  createOrderChanges,
  createOrderWrites,
  createSaleWrites,
  madeEffect,
  quantities,
  sentOnce,
  withFreight,
} from './orders.ts'

/** Namespace of request ids, made of the effect's key. */
const REQUESTS = '5b3c1f6e-0a83-4d0e-9c1b-2f7d64a8e913'

interface DeliveryWrites extends Pick<PlatformPort, 'createDelivery'> {
  /** Null where the platform honours requestId; else PermanentError `cannot-find`. */
  findDelivery(delivery: SubmittedDelivery): null
}

function createDeliveryWrites({ goodsDeliveries }: Pick<Platform, 'goodsDeliveries'>): DeliveryWrites {
  return {
    async createDelivery(delivery, { key, signal }) {
      const requestId = uuidOfName(REQUESTS, key)
      const sent = goodsDeliveries.create({ ...delivery, requestId }, signal)
      const orderId = await (goodsDeliveries.heedsRequestId() ? sent : sentOnce(sent))
      return madeEffect('delivery', delivery.extRef, orderId, 'order id')
    },

    findDelivery({ extRef }) {
      if (goodsDeliveries.heedsRequestId()) return null
      throw new PermanentError(
        `whether the platform has delivery ${extRef} cannot be asked, and nobody says that it executes one requestId ` +
          'once (platform.endpoints, goodsDeliveries.create, requestId: heeded). Look at the deliveries to that store, then ' +
          'skip this one, or retry it with --again',
        { code: 'cannot-find' },
      )
    },
  }
}

/** Public facts. After a 5xx they are in doubt. */
function createGoodsMoves({
  transfers,
  corrections,
}: Pick<Platform, 'transfers' | 'corrections'>): Pick<PlatformPort, 'transferGoods' | 'correctStock'> {
  return {
    async transferGoods(transfer, { signal }) {
      return madeEffect('transfer', transfer.extRef, await sentOnce(transfers.create(transfer, signal)))
    },

    async correctStock(correction, { signal }) {
      await sentOnce(corrections.create(correction, signal))
      return { note: `${correction.lines.length} corrected` }
    },
  }
}

/**
 * Reservations for an online order (public facts, Stockreservation). What is reserved is read first and made to be as the order says, so
 * that a repeat reserves nothing twice.
 */
export function createGoodsKeeping({
  reservations,
  operations,
}: Pick<Platform, 'reservations' | 'operations'>): Required<Pick<PlatformPort, 'keepGoods' | 'releaseGoods'>> {
  /** A reservation that cannot be read may be for the order, unless it names another. */
  async function keptFor(orderNo: string, stockId: string, signal: AbortSignal): Promise<Listed<Reservation>> {
    const { rows, rejected } = await reservations.list(stockId, signal)
    return {
      rows: rows.filter(({ extId }) => extId === orderNo),
      rejected: rejected.filter(({ record }) => (text(record, 'extId') ?? orderNo) === orderNo),
    }
  }

  const whatIsKept = (orderNo: string) => `what is kept for order ${orderNo}`

  /** After a try that may have reserved, an endpoint that never listed anything proves nothing. */
  async function requireWord(orderNo: string, { previous }: Attempt): Promise<void> {
    if (previous !== 'open' || (await operations.isProven('reservations.list'))) return
    throw new PermanentError(
      `platform: whether goods are kept for order ${orderNo} already cannot be seen: this platform has never told of any reservation. ` +
        'Look in the portal; where they are listed otherwise: platform.endpoints, reservations.list',
      { code: 'reservation-unseen' },
    )
  }

  /** One that ran out, or that a POS used, is gone. */
  async function releaseReservation(id: string, orderNo: string, signal: AbortSignal): Promise<void> {
    try {
      await reservations.release(id, signal)
    } catch (error) {
      if (error instanceof RetryLaterError && error.code === 'http-409') return
      await goneIfTold(operations, 'reservations.release', error, `what is kept for order ${orderNo}`)
    }
  }

  return {
    async keepGoods({ orderNo, stockId, reservationLengthInHours: hours, lines }, attempt) {
      const { signal } = attempt
      const kept = allRows(await keptFor(orderNo, stockId, signal), whatIsKept(orderNo))
      if (kept.length === 0) await requireWord(orderNo, attempt)
      const wanted = quantities(lines)
      // Freight has no stock.
      wanted.delete('')
      for (const one of kept) {
        const key = articleKey(one.gtin ?? '')
        const quantity = wanted.get(key)?.quantity
        wanted.delete(key)
        if (quantity === undefined) await releaseReservation(one.id, orderNo, signal)
        else if (quantity !== one.quantity) await reservations.change(one.id, { quantity, hours }, signal)
      }
      const missing = [...wanted.values()]
      if (missing.length > 0) await reservations.create({ stockId, extId: orderNo, hours, lines: missing }, signal)
      const note = kept.length === 0 ? 'kept' : 'kept as it is now'
      return { links: [{ kind: 'kept', id: orderNo, theirId: stockId }], note }
    },

    async releaseGoods({ orderNo, stockId }, { links, signal }) {
      const linked = stockId === undefined ? await links('kept', [orderNo]) : []
      let released = 0
      for (const stock of stockId === undefined ? linked.map(({ theirId }) => theirId) : [stockId]) {
        const listed = await keptFor(orderNo, stock, signal)
        for (const { id } of listed.rows) await releaseReservation(id, orderNo, signal)
        released += allRows(listed, whatIsKept(orderNo)).length
      }
      return { note: released === 0 ? 'nothing was kept' : `${released} released` }
    },
  }
}

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
