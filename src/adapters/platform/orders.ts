import { articleKey } from '../../domain/catalogue/article-number.ts'
import type { SubmittedCustomer, SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { isDeclined } from '../../domain/orders/order-update.ts'
import { isNotFound, PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { type Decimal, parseDecimal, sumDecimals } from '../../domain/values/money.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformOrder } from '../../platform/resources/orders.ts'
import type { Effect, PlatformPort } from '../../ports/ports.ts'
import { customerLink } from './customers.ts'

function neverTold(orderNo: string): string {
  return (
    `this platform has never told of any order, so its word that there is no order ${orderNo} proves nothing: it may have ` +
    'no such endpoint. Look for the order at the POS or in the portal; where orders are read otherwise: ' +
    'platform.endpoints, orders.read'
  )
}

interface Line {
  gtin: string | null
  quantity: string | null
}

interface Pieces {
  gtin: string
  quantity: Decimal
}

/** By `articleKey`, however they are split into lines; under '' what has no number. */
export function quantities(lines: readonly Line[]): Map<string, Pieces> {
  const sums = new Map<string, Pieces>()
  for (const { gtin, quantity } of lines) {
    const key = articleKey(gtin ?? '')
    const before = sums.get(key) ?? { gtin: gtin ?? '', quantity: parseDecimal(0) }
    sums.set(key, { ...before, quantity: sumDecimals([before.quantity, parseDecimal(quantity ?? 0)]) })
  }
  return sums
}

/** May have been executed: only 503 says that nothing was begun. */
const BROKE_DOWN = /^(http-408|http-5(?!03)\d\d|half-answer)$/

/** For requests that must not take effect twice: a 5xx is in doubt. */
export async function sentOnce<T>(sent: Promise<T>): Promise<T> {
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
export function madeEffect(kind: string, id: string, theirId: string | null, idName = `${kind} id`): Effect {
  if (theirId === null) return { note: 'answered without an id' }
  return { links: [{ kind, id, theirId }], note: `${idName} ${theirId}` }
}

interface OrderWrites extends Pick<PlatformPort, 'createOrder'> {
  /** The order of an earlier attempt. A platform that never showed an order proves nothing: UnknownOutcomeError `not-proven`. */
  findOrder(order: SubmittedOrder, signal: AbortSignal): Promise<Effect | null>
}

/** Spec, "Omnichannel". */
export function createOrderWrites({ orders, operations }: Pick<Platform, 'orders' | 'operations'>): OrderWrites {
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
    async createOrder(order, { signal }) {
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

    async findOrder(order, signal) {
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
export function createOrderChanges({
  orders,
  operations,
}: Pick<Platform, 'orders' | 'operations'>): Pick<PlatformPort, 'changeOrder' | 'cancelOrder'> {
  return {
    async changeOrder(order, { signal }) {
      const { storeId, stockId, ...sent } = order
      const store = { storeId, stockId, signal }
      const there = ofNumber(await orders.read(order.orderNo, store), order.orderNo)
      if (!there) throw (await operations.isProven('orders.read')) ? notThere(order.orderNo) : cannotSee(order.orderNo)
      const begun = beginningOf(there, true)
      if (begun !== null) throw tooLate(order.orderNo, begun, 'changed')
      await orders.update({ ...sent, status: 'UnHandled' }, store).catch((error) => {
        throw refusedAsLate(error, order.orderNo, 'changed')
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
        if (!deletedNone(error)) throw refusedAsLate(error, orderNo, 'cancelled')
        if (there && !isNotFound(error)) throw notDeleted(orderNo, error)
        // One of them must be known to work to prove that there is no such order.
        const tells = (await operations.isProven('orders.delete')) || (await operations.isProven('orders.read'))
        if (!tells) throw notCancelled(orderNo, error)
        return { note: 'not there (any more)' }
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

/** 404, or 0 (facts, "-> int"). */
function deletedNone(error: unknown): error is PermanentError {
  return isNotFound(error) || (error instanceof PermanentError && error.code === 'refused')
}

type Done = 'changed' | 'cancelled'

function tooLate(orderNo: string, status: string, done: Done): PermanentError {
  return new PermanentError(
    `platform: order ${orderNo} is ${status}: the store has begun with it, and it was not ${done}. ` +
      'Call the store, and settle with the customer what is to happen.',
    { code: 'order-begun' },
  )
}

function refusedAsLate(error: unknown, orderNo: string, done: Done): unknown {
  if (!(error instanceof RetryLaterError) || error.code !== 'http-409') return error
  return new PermanentError(
    `platform: order ${orderNo} was not ${done}: ${error.message}. The store has begun with it: call it, and settle with ` +
      'the customer what is to happen.',
    { code: 'order-begun', cause: error },
  )
}

function notThere(orderNo: string): PermanentError {
  return new PermanentError(
    `platform: there is no order ${orderNo} to change. See what became of its submission (\`tillbridge order ${orderNo}\`).`,
    { code: 'no-such-order' },
  )
}

function cannotSee(orderNo: string): PermanentError {
  return new PermanentError(
    `platform: order ${orderNo} was not changed, since whether the store has begun with it cannot be seen: ` +
      `${neverTold(orderNo)}. Call the store.`,
    { code: 'order-unseen' },
  )
}

function notDeleted(orderNo: string, cause: PermanentError): PermanentError {
  return new PermanentError(`platform: order ${orderNo} is still at the store: ${cause.message} Call the store.`, {
    code: 'not-cancelled',
    cause,
  })
}

function notCancelled(orderNo: string, cause: PermanentError): PermanentError {
  return new PermanentError(
    `platform: order ${orderNo} may still be at the store. Its cancellation deleted nothing (${cause.message}), and neither that ` +
      'nor reading an order has ever worked on the platform. Call the store; where orders are cancelled otherwise: ' +
      'platform.endpoints, orders.delete.',
    { code: 'not-cancelled', cause },
  )
}

export async function withFreight<Line extends { gtin: string }>(
  lines: readonly Line[],
  { freight }: Pick<Platform, 'freight'>,
  signal: AbortSignal,
): Promise<Line[]> {
  if (lines.every(({ gtin }) => gtin !== '')) return [...lines]
  const identity = await freight.read(signal)
  if (identity === null)
    throw new PermanentError(
      'platform: it names no article for freight (GET /api/Sale/freight). Ask its contact for one.',
      { code: 'no-freight-article' },
    )
  return lines.map((line) => (line.gtin === '' ? { ...line, gtin: identity } : line))
}

type Links = NonNullable<Effect['links']>

/** Spec, "Online order imported as a sale". */
export function createSaleWrites({
  customers,
  sales,
  freight,
}: Pick<Platform, 'customers' | 'sales' | 'freight'>): Pick<PlatformPort, 'importSale'> {
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
      const links: Links = []
      let customerId = 'customerId' in customer ? customer.customerId : null
      if (!('customerId' in customer)) {
        customerId = await obtain(customer, signal)
        links.push(customerLink(customer, customerId))
      }
      const lines = await withFreight(sale.lines, { freight }, signal)
      const imported = { ...sale, lines, extRef: orderNo, customerId: customerId ?? '' }
      const saleId = await sentOnce(sales.import(imported, { storeId, signal }))
      const made = madeEffect('sale', sale.saleGuid, saleId)
      return { ...made, links: [...links, ...(made.links ?? [])] }
    },
  }
}
