import { articleKey } from '../../domain/catalogue/article-number.ts'
import type { SubmittedCustomer, SubmittedDelivery, SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { isDeclined } from '../../domain/orders/order-update.ts'
import {
  isNotFound,
  messageOf,
  PermanentError,
  RetryLaterError,
  UnknownOutcomeError,
} from '../../domain/values/errors.ts'
import { text } from '../../domain/values/field.ts'
import { type Decimal, parseDecimal, sumDecimals, ZERO } from '../../domain/values/money.ts'
import { uuidOfName } from '../../lib/uuid.ts'
import { allRows, type Listed } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformOrder, Reservation } from '../../platform/resources/orders.ts'
import type { Attempt, Effect, PlatformPort } from '../../ports/ports.ts'
import {
  createCostWrites,
  createPriceEnds,
  createPriceWrites,
  createProductWrites,
  createStockWrites,
  eachWithKeys,
  type Methods,
  type Of,
  refused,
} from './catalogue.ts'
import { createCustomerWrites, createRemovals, customerLink, goneIfTold } from './customers.ts'

/** Namespace of request ids, made of the effect's key. */
const REQUESTS = '5b3c1f6e-0a83-4d0e-9c1b-2f7d64a8e913'

function createDeliveryWrites({ goodsDeliveries }: Of<'goodsDeliveries'>) {
  return {
    async createDelivery(delivery: SubmittedDelivery, { key, signal }: Attempt): Promise<Effect> {
      const requestId = uuidOfName(REQUESTS, key)
      const sent = goodsDeliveries.create({ ...delivery, requestId }, signal)
      const orderId = await (goodsDeliveries.heedsRequestId() ? sent : sentOnce(sent))
      return madeEffect('delivery', delivery.extRef, orderId, 'order id')
    },

    /** Null where the platform honours requestId; else PermanentError `cannot-find`. */
    findDelivery({ extRef }: SubmittedDelivery): null {
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
function createGoodsMoves(platform: Of<'transfers' | 'corrections'>): Methods<'transferGoods' | 'correctStock'> {
  const { transfers, corrections } = platform
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
}: Of<'reservations' | 'operations'>): Required<Methods<'keepGoods' | 'releaseGoods'>> {
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

/** `reservesOrders`: the platform reserves no goods for an online order by itself. */
export function createPlatformPort(platform: Platform, { reservesOrders = false } = {}): PlatformPort {
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

function neverTold(orderNo: string): string {
  return (
    `this platform has never told of any order, so its word that there is no order ${orderNo} proves nothing: it may have ` +
    'no such endpoint. Look for the order at the POS or in the portal; where orders are read otherwise: ' +
    'platform.endpoints, orders.read'
  )
}

interface Pieces {
  gtin: string
  quantity: Decimal
}

/** By `articleKey`, however they are split into lines; under '' what has no number. */
function quantities(lines: PlatformOrder['lines'] | SubmittedOrder['lines']): Map<string, Pieces> {
  const sums = new Map<string, Pieces>()
  for (const { gtin, quantity } of lines) {
    const key = articleKey(gtin ?? '')
    const before = sums.get(key) ?? { gtin: gtin ?? '', quantity: ZERO }
    sums.set(key, { ...before, quantity: sumDecimals([before.quantity, parseDecimal(quantity ?? 0)]) })
  }
  return sums
}

/** May have been executed: only 503 says that nothing was begun. */
const BROKE_DOWN = /^(http-408|http-5(?!03)\d\d|half-answer)$/

/** For requests that must not take effect twice: a 5xx is in doubt. */
async function sentOnce<T>(sent: Promise<T>): Promise<T> {
  try {
    return await sent
  } catch (error) {
    throw unlessCertain(error)
  }
}

function unlessCertain(error: unknown): unknown {
  if (!(error instanceof RetryLaterError) || !BROKE_DOWN.test(error.code)) return error
  return new UnknownOutcomeError(error.message, { code: error.code, cause: error })
}

/** Linked by the id that the platform answered, if it did. */
function madeEffect(kind: string, id: string, theirId: string | null, idName = `${kind} id`): Effect {
  if (theirId === null) return { note: 'answered without an id' }
  return { links: [{ kind, id, theirId }], note: `${idName} ${theirId}` }
}

/** Spec, "Omnichannel". */
function createOrderWrites({ orders, operations }: Of<'orders' | 'operations'>) {
  async function read(order: SubmittedOrder, signal: AbortSignal): Promise<Effect | null> {
    const { orderNo, storeId, stockId } = order
    const found = await orders.read(orderNo, { storeId, stockId, signal })
    if (!found) return null
    if (found.orderNo !== orderNo || !sameGoods(found.lines, order.lines))
      throw new PermanentError(
        `platform: there is an order ${orderNo} already, with other lines. Look at it, and submit this one under another number.`,
        { code: 'order-number-taken' },
      )
    return found.orderId === null ? {} : madeEffect('order', orderNo, found.orderId)
  }

  return {
    async createOrder(order: SubmittedOrder, { signal }: Attempt): Promise<Effect> {
      const { storeId, stockId, ...sent } = order
      try {
        return madeEffect('order', order.orderNo, await orders.create(sent, { storeId, stockId, signal }))
      } catch (error) {
        // The number is taken, by an earlier call of ours or another order.
        const found = error instanceof RetryLaterError && error.code === 'http-409' ? await read(order, signal) : null
        if (found) return found
        throw unlessCertain(error)
      }
    },

    /** The order of an earlier attempt. A platform that never showed an order proves nothing: UnknownOutcomeError `not-proven`. */
    async findOrder(order: SubmittedOrder, signal: AbortSignal): Promise<Effect | null> {
      const found = await read(order, signal)
      if (found || (await operations.isProven('orders.read'))) return found
      throw new UnknownOutcomeError(`platform: ${neverTold(order.orderNo)}`, { code: 'not-proven' })
    },
  }
}

function sameGoods(there: PlatformOrder['lines'], ours: SubmittedOrder['lines']): boolean {
  const counted = quantities(there)
  const wanted = quantities(ours)
  return (
    counted.size === wanted.size && [...wanted].every(([key, { quantity }]) => counted.get(key)?.quantity === quantity)
  )
}

const OFF = new Set(['Rejected', 'Expired'])

const UNTOUCHED = new Set([null, 'UnHandled'])

/** Public facts, PUT and DELETE /api/OmniChannel. The order is read first: what a store has picked must not vanish from its POS. */
function createOrderChanges({
  orders,
  operations,
}: Of<'orders' | 'operations'>): Methods<'changeOrder' | 'cancelOrder'> {
  return {
    async changeOrder(order, { signal }) {
      const { storeId, stockId, ...sent } = order
      const { orderNo } = order
      const store = { storeId, stockId, signal }
      const there = ofNumber(await orders.read(orderNo, store), orderNo)
      if (!there && (await operations.isProven('orders.read')))
        throw refused(
          'no-such-order',
          `there is no order ${orderNo} to change. See what became of its submission (\`tillbridge order ${orderNo}\`).`,
        )
      if (!there)
        throw refused(
          'order-unseen',
          `order ${orderNo} was not changed, since whether the store has begun with it cannot be seen: ${neverTold(orderNo)}. Call the store.`,
        )
      const begun = beginningOf(there, true)
      if (begun !== null) throw tooLate(orderNo, begun, 'changed')
      await orders.update({ ...sent, status: 'UnHandled' }, store).catch((error) => {
        throw refusedAsLate(error, orderNo, 'changed')
      })
      return { note: 'changed' }
    },

    async cancelOrder({ orderNo, storeId, stockId }, { signal }) {
      const store = { storeId, stockId, signal }
      const there = ofNumber(await orders.read(orderNo, store), orderNo)
      if (there?.status && OFF.has(there.status)) return { note: `${there.status} already` }
      const begun = there && beginningOf(there, false)
      if (begun) throw tooLate(orderNo, begun, 'cancelled')
      try {
        await orders.delete(orderNo, store)
      } catch (error) {
        // 404, or 0 (facts, "-> int"): nothing was deleted.
        const isNone = isNotFound(error) || (error instanceof PermanentError && error.code === 'refused')
        if (!isNone) throw refusedAsLate(error, orderNo, 'cancelled')
        if (there && !isNotFound(error))
          throw refused(
            'not-cancelled',
            `order ${orderNo} is still at the store: ${messageOf(error)} Call the store.`,
            error,
          )
        // One of them must be known to work to prove that there is no such order.
        if ((await operations.isProven('orders.delete')) || (await operations.isProven('orders.read')))
          return { note: 'not there (any more)' }
        throw refused(
          'not-cancelled',
          `order ${orderNo} may still be at the store. Its cancellation deleted nothing (${error.message}), and neither that ` +
            'nor reading an order has ever worked on the platform. Call the store; where orders are cancelled otherwise: ' +
            'platform.endpoints, orders.delete.',
          error,
        )
      }
      return { note: 'cancelled' }
    },
  }
}

function ofNumber(found: PlatformOrder | null, orderNo: string): PlatformOrder | null {
  return found?.orderNo?.toLowerCase() === orderNo.trim().toLowerCase() ? found : null
}

/** The store has begun. A declined line counts for a change only, which would bring it back. */
function beginningOf({ status, lines }: PlatformOrder, declinedCounts: boolean): string | null {
  if (!UNTOUCHED.has(status)) return status
  const line = lines.find((one) => !UNTOUCHED.has(one.status) && (declinedCounts || !isDeclined(one.status)))
  return line ? `${line.status} in part` : null
}

type Done = 'changed' | 'cancelled'

function tooLate(orderNo: string, status: string, done: Done): PermanentError {
  return refused(
    'order-begun',
    `order ${orderNo} is ${status}: the store has begun with it, and it was not ${done}. Call the store, and settle with the customer what is to happen.`,
  )
}

function refusedAsLate(error: unknown, orderNo: string, done: Done): unknown {
  if (!(error instanceof RetryLaterError) || error.code !== 'http-409') return error
  return refused(
    'order-begun',
    `order ${orderNo} was not ${done}: ${error.message}. The store has begun with it: call it, and settle with the customer what is to happen.`,
    error,
  )
}

async function withFreight<Line extends { gtin: string }>(
  lines: readonly Line[],
  { freight }: Of<'freight'>,
  signal: AbortSignal,
): Promise<Line[]> {
  if (lines.every(({ gtin }) => gtin !== '')) return [...lines]
  const identity = await freight.read(signal)
  if (identity === null)
    throw refused(
      'no-freight-article',
      'it names no article for freight (GET /api/Sale/freight). Ask its contact for one.',
    )
  return lines.map((line) => (line.gtin === '' ? { ...line, gtin: identity } : line))
}

/** Spec, "Online order imported as a sale". */
function createSaleWrites({ customers, sales, freight }: Of<'customers' | 'sales' | 'freight'>): Methods<'importSale'> {
  /** Repeatable, and made before the sale is sent. */
  async function obtain(customer: SubmittedCustomer, signal: AbortSignal): Promise<string> {
    try {
      return await customers.obtain(customer, signal)
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) throw error
      throw new RetryLaterError(error.message, { code: error.code, cause: error })
    }
  }

  return {
    async importSale({ customer, storeId, orderNo, ...sale }, { signal }) {
      const isNamed = 'customerId' in customer
      const customerId = isNamed ? (customer.customerId ?? '') : await obtain(customer, signal)
      const links = isNamed ? [] : [customerLink(customer, customerId)]
      const lines = await withFreight(sale.lines, { freight }, signal)
      const imported = { ...sale, lines, extRef: orderNo, customerId }
      const saleId = await sentOnce(sales.import(imported, { storeId, signal }))
      const made = madeEffect('sale', sale.saleGuid, saleId)
      return { ...made, links: [...links, ...(made.links ?? [])] }
    },
  }
}
