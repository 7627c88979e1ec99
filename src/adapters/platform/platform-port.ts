import type {
  NamedCustomer,
  SubmittedCustomer,
  SubmittedDelivery,
  SubmittedOrder,
  SubmittedPrice,
} from '../../domain/catalogue/submitted.ts'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { uuidOfName } from '../../lib/uuid.ts'
import type { PlatformOrder } from '../../platform/areas/orders/order-record.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Attempt, Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { createCostWrites } from './costs.ts'
import { createGoodsKeeping } from './goods-keeping.ts'
import { eachWithKeys } from './keys.ts'
import { neverTold } from './never-told.ts'
import { createOrderChanges } from './order-changes.ts'
import { createPriceEnds } from './price-ends.ts'
import { createProductWrites } from './products.ts'
import { quantities } from './quantities.ts'
import { createRemovals, goneIfTold } from './removals.ts'
import { common, together } from './together.ts'
import { sentOnce, unlessCertain } from './uncertain.ts'

/** The note of what was done where the platform did not say by which id it knows it. */
const WITHOUT_ID = 'answered without an id'

/** Our namespace of request ids: with it, an effect's key makes the same one for ever. */
const REQUESTS = '5b3c1f6e-0a83-4d0e-9c1b-2f7d64a8e913'

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

/** Prices of lists (spec, "Price list and prices"). */
function createPriceWrites({ prices }: Pick<Platform, 'prices'>): Pick<PlatformPort, 'savePrices'> {
  return {
    savePrices: (batch) =>
      together(batch, async (items, signal) => {
        await prices.saveList({ name: common(items, ({ list }) => list), prices: items.map(lineOf) }, signal)
        return {}
      }),
  }
}

function lineOf({ productExtId, gtin, productId, price, validFrom, validTo }: SubmittedPrice) {
  const line = { price, validFrom, validTo }
  if (productExtId !== undefined) return { productExtId, ...line }
  return gtin === undefined ? { productId: productId ?? '', ...line } : { gtin, ...line }
}

/** Levels of a stock, and complete counts (spec, "Stock adjustment"). */
function createStockWrites({ stock }: Pick<Platform, 'stock'>): Pick<PlatformPort, 'setStock' | 'countStock'> {
  return {
    setStock: (batch) =>
      together(batch, async (items, signal) => {
        const stockId = common(items, (item) => item.stockId)
        const description = common(items, (item) => item.description)
        const levels = items.map(({ gtin, quantity }) => ({ gtin, quantity }))
        await stock.adjust({ stockId, description, items: levels }, signal)
        return {}
      }),

    async countStock({ stockId, stockCountTime, description, items }, { signal }) {
      await stock.adjust({ stockId, stockCountTime, description, items, isCompleteStockCount: true }, signal)
      return { note: `${items.length} counted` }
    },
  }
}

/** Transfers and corrections (public facts): after a breakdown nobody knows whether they counted. */
function createGoodsMoves({
  transfers,
  corrections,
}: Pick<Platform, 'transfers' | 'corrections'>): Pick<PlatformPort, 'transferGoods' | 'correctStock'> {
  return {
    async transferGoods(transfer, { signal }) {
      const transferId = await sentOnce(transfers.create(transfer, signal))
      if (transferId === null) return { note: WITHOUT_ID }
      return {
        links: [{ kind: 'transfer', id: transfer.extRef, theirId: transferId }],
        note: `transfer id ${transferId}`,
      }
    },

    async correctStock(correction, { signal }) {
      await sentOnce(corrections.create(correction, signal))
      return { note: `${correction.lines.length} corrected` }
    },
  }
}

interface DeliveryWrites extends Pick<PlatformPort, 'createDelivery'> {
  /**
   * Traces of a delivery that may have been created. Null: it may be sent again, since the platform carries out one
   * request id once. Where nobody says so it is a PermanentError `cannot-find`: no list of deliveries has our reference.
   */
  findDelivery(delivery: SubmittedDelivery): null
}

/** Deliveries to stores (spec, "Deliveries"). */
function createDeliveryWrites({ deliveries }: Pick<Platform, 'deliveries'>): DeliveryWrites {
  return {
    async createDelivery(delivery, { key, signal }) {
      const requestId = uuidOfName(REQUESTS, key)
      const sent = deliveries.create({ ...delivery, requestId }, signal)
      const orderId = await (deliveries.heedsRequestId() ? sent : sentOnce(sent))
      if (orderId === null) return { note: WITHOUT_ID }
      return { links: [{ kind: 'delivery', id: delivery.extRef, theirId: orderId }], note: `order id ${orderId}` }
    },

    findDelivery({ extRef }) {
      if (deliveries.heedsRequestId()) return null
      throw new PermanentError(
        `whether the platform has delivery ${extRef} cannot be asked, and nobody says that it carries out one requestId ` +
          'once (platform.endpoints, deliveries.create, requestId: heeded). Look at the deliveries to that store, then ' +
          'skip this one, or retry it with --again',
        { code: 'cannot-find' },
      )
    },
  }
}

type Links = NonNullable<Effect['links']>

/** Completed online orders that become sales (spec, "Online order imported as a sale"). */
function createSaleWrites({
  customers,
  sales,
  freight,
}: Pick<Platform, 'customers' | 'sales' | 'freight'>): Pick<PlatformPort, 'importSale'> {
  /** The sale is not on the wire yet, and to obtain a customer again does nothing twice. */
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
      if (saleId === null) return { links, note: WITHOUT_ID }
      links.push({ kind: 'sale', id: sale.saleGuid, theirId: saleId })
      return { links, note: `sale id ${saleId}` }
    },
  }
}

/** The lines with the platform's own article in place of freight, which has no GTIN. Asked only where there is freight. */
async function withFreight<Line extends { gtin: string }>(
  lines: readonly Line[],
  { freight }: Pick<Platform, 'freight'>,
  signal: AbortSignal,
): Promise<Line[]> {
  if (lines.every(({ gtin }) => gtin !== '')) return [...lines]
  const identity = await freight.read(signal)
  if (identity === null)
    throw new PermanentError(
      'platform: it names no article for freight (GET /api/Sale/freight). Ask its contact for one.',
      {
        code: 'no-freight-article',
      },
    )
  return lines.map((line) => (line.gtin === '' ? { ...line, gtin: identity } : line))
}

/** Customers to obtain or create (spec, "POS settlements and sales"), and to delete (public facts). No error holds an id of theirs. */
function createCustomerWrites({
  customers,
  operations,
}: Pick<Platform, 'customers' | 'operations'>): Pick<PlatformPort, 'saveCustomer' | 'deleteCustomer'> {
  /** As known by link, or as the platform says; null: it has none. */
  async function idOf({ extId = '', customerId }: NamedCustomer, { links, signal }: Attempt): Promise<string | null> {
    if (customerId !== undefined) return customerId
    const [known] = await links('customer', [extId])
    if (known) return known.theirId
    for await (const found of customers.search({ extIds: [extId] }, signal)) return found.customerId
    if (await operations.isProven('customers.search')) return null
    throw new PermanentError(
      'platform: this platform has never found any customer, so its word that it has none of this extId proves nothing. ' +
        'Give the customerId; where customers are searched otherwise: platform.endpoints, customers.search',
      { code: 'customer-unseen' },
    )
  }

  return {
    async saveCustomer(customer, { signal }) {
      const customerId = await customers.obtain(customer, signal)
      return { links: [customerLink(customer, customerId)], note: `customer id ${customerId}` }
    },

    async deleteCustomer(named, attempt) {
      const id = await idOf(named, attempt)
      if (id === null) return { note: 'not there (any more)' }
      try {
        await customers.delete(id, attempt.signal)
        return { note: 'deleted' }
      } catch (error) {
        return await goneIfTold(operations, 'customers.delete', error, 'the customer')
      }
    },
  }
}

function customerLink({ extId }: SubmittedCustomer, customerId: string): NonNullable<Effect['links']>[number] {
  return { kind: 'customer', id: extId, theirId: customerId }
}

interface OrderWrites extends Pick<PlatformPort, 'createOrder'> {
  /**
   * The order that an earlier attempt created; null: there is none. A platform that may not be able to tell of any order is
   * not believed there: UnknownOutcomeError `not-proven`.
   */
  findOrder(order: SubmittedOrder, signal: AbortSignal): Promise<Effect | null>
}

/** New online orders for stores (spec, "Omnichannel"); see order-changes.ts for what becomes of them later. */
function createOrderWrites({ orders, operations }: Pick<Platform, 'orders' | 'operations'>): OrderWrites {
  /** The order with this number, which must be ours. */
  async function read(order: SubmittedOrder, signal: AbortSignal): Promise<Effect | null> {
    const { orderNo, storeId, stockId } = order
    const found = await orders.read(orderNo, { storeId, stockId, signal })
    if (!found) return null
    if (found.orderNo !== orderNo || !sameGoods(found.lines, order.lines))
      throw new PermanentError(
        `platform: there is an order ${orderNo} already, with other lines. Look at it, and submit this one under another number.`,
        { code: 'order-number-taken' },
      )
    return effectOf(orderNo, found.orderId)
  }

  return {
    async createOrder(order, { signal }) {
      const { storeId, stockId, ...sent } = order
      try {
        const orderId = await orders.create(sent, { storeId, stockId, signal })
        return orderId === null ? { note: WITHOUT_ID } : effectOf(order.orderNo, orderId)
      } catch (error) {
        // The number is taken: by an earlier call of ours, or by another order.
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

function effectOf(orderNo: string, orderId: string | null): Effect {
  if (orderId === null) return {}
  return { links: [{ kind: 'order', id: orderNo, theirId: orderId }], note: `order id ${orderId}` }
}

/** Whether they are about as many of each article, however they are split into lines. */
function sameGoods(there: PlatformOrder['lines'], ours: SubmittedOrder['lines']): boolean {
  const counted = quantities(there)
  const wanted = quantities(ours)
  return (
    counted.size === wanted.size && [...wanted].every(([key, { quantity }]) => counted.get(key)?.quantity === quantity)
  )
}
