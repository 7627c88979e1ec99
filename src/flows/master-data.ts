import type {
  SubmittedDeletion,
  SubmittedProduct,
  SubmittedStockCount,
  SubmittedStockLevel,
} from '../domain/catalogue/submitted.ts'
import type { OrderAssertion } from '../domain/orders/order-evidence.ts'
import { isDeclined, type OrderUpdate, unpackedGoods } from '../domain/orders/order-update.ts'
import { type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { field, idText, text } from '../domain/values/field.ts'
import { digestOf } from '../domain/values/text.ts'
import { readOrderUpdate } from '../platform/payloads/order-update.ts'
import type { PlatformCall } from '../ports/ports.ts'
import { shipping } from './context.ts'
import { type EventToRoute, type Flow, withoutRestated } from './flow.ts'
import { dependsOnEarlier, retryWhilePending, supersededBy, verifyWithPlatform } from './guards.ts'
import { FULFILLED, leavesOpen, UPDATED, updateOf } from './update.ts'

export function submission(name: string, kind: string, method: PlatformCall['method'], more: Partial<Flow> = {}): Flow {
  return {
    ...{ name, kinds: [kind], port: 'platform', urgency: 'bulk' },
    plan: ({ entity }) => [{ part: '', entity }],
    call: (event) => ({ port: 'platform', method, argument: payloadOf(event) }) as PlatformCall,
    ...more,
  }
}

/** Submissions of one minute may go out in any order. */
const afterProducts = retryWhilePending('save-products')

export const masterData: readonly Flow[] = [
  {
    ...submission('save-products', 'ProductSubmitted', 'upsertProducts'),
    kinds: ['ProductSubmitted', 'ProductDeletionSubmitted'],
    guards: [supersededBy({ flows: ['save-products', 'save-product-text'], leaves: leftOfProduct })],
    plan: (event) => [
      isDeletion(event)
        ? { part: '', entity: event.entity, digest: digestOf({ deleted: event.payload }) }
        : productStep(event),
    ],
    call(event) {
      const payload = payloadOf(event)
      if (isDeletion(event))
        return { port: 'platform', method: 'deleteProduct', argument: payload as SubmittedDeletion }
      const method = isInsert(payload) ? 'insertProducts' : 'upsertProducts'
      return { port: 'platform', method, argument: payload as SubmittedProduct }
    },
  },
  // PUT /api/Products: description and images only.
  submission('save-product-text', 'ProductTextSubmitted', 'saveProductText', {
    guards: [supersededBy({ flows: ['save-product-text', 'save-products'], leaves: leftOfProduct })],
  }),
  // POST /api/PriceListV2: one call per list.
  submission('save-prices', 'PriceSubmitted', 'savePrices', {
    guards: [
      supersededBy({ flows: ['end-price'], leaves: (price, end) => (isEnded(price, end) ? null : price) }),
      afterProducts,
    ],
    latestWins: true,
    plan: ({ entity, payload }) => [{ part: '', entity, batch: text(payload, 'list') ?? '' }],
  }),
  // "Cost price update": one call per currency or stock (public facts).
  submission('save-costs', 'CostPriceSubmitted', 'saveCosts', {
    guards: [afterProducts],
    latestWins: true,
    plan: ({ entity, payload }) => [{ part: '', entity, batch: placeOfCost(payload) }],
  }),
  submission('end-price', 'PriceEndSubmitted', 'endPrice', {
    guards: [
      supersededBy({
        flows: ['save-prices'],
        leaves: (end) => (text(payloadOf(end), 'validFrom') === null ? end : null),
      }),
    ],
  }),
]

function placeOfCost(payload: unknown): string {
  const stockId = idText(payload, 'stockId')
  return stockId === null ? (text(payload, 'currency') ?? '') : `stock:${stockId}`
}

function isInsert(payload: unknown): boolean {
  return field(payload, 'insertOnly') === true
}

function isDeletion({ kind }: Pick<Event, 'kind'>): boolean {
  return kind === 'ProductDeletionSubmitted'
}

function leftOfProduct(event: Event, later: Pick<Event, 'kind' | 'body'>): Event | null {
  const isText = later.kind === 'ProductTextSubmitted'
  if (isDeletion(event) !== isDeletion(later)) return !isText && isUndoing(event, later) ? null : event
  const since = payloadOf(later) as SubmittedProduct
  if (isDeletion(event) || isInsert(since) || isInsert(payloadOf(event))) return event
  return withoutRestated(event, since, NAMES)
}

const NAMES = ['extId', 'createProductSpecificSize', 'force']

function isUndoing(event: Event, later: Pick<Event, 'kind' | 'body'>): boolean {
  const { gtin, gtins } = payloadOf(isDeletion(event) ? event : later) as SubmittedDeletion
  if (gtin === undefined && gtins === undefined) return true
  const { productSizes = [] } = isDeletion(event) ? (payloadOf(later) as SubmittedProduct) : {}
  return productSizes.some((size) => size.gtin !== undefined && (gtins === 'all' || size.gtin === gtin))
}

/** An end without date concerns dated prices. */
function isEnded(price: Pick<Event, 'body'>, end: Pick<Event, 'body'>): boolean {
  return text(payloadOf(end), 'validFrom') !== null || text(payloadOf(price), 'validTo') !== null
}

function productStep({ entity, payload }: EventToRoute) {
  const { force, ...product } = payload as SubmittedProduct
  const batch = isInsert(payload) ? 'inserts' : 'products'
  return { part: '', entity, batch, digest: digestOf(product), ...(force && { force }) }
}

/** In doubt it is repeated only if the platform dedupes by request id, or can be asked; else held. */
const once = { guards: [afterProducts], atMostOnce: true, whenInDoubt: 'hold' } as const

/** Differences, not idempotent; the platform cannot be asked (public facts). */
const blind = { ...once, noLookup: true } as const

export const goodsMoves: readonly Flow[] = [
  // Goods deliveries to a store (PUT /api/Delivery).
  submission('create-delivery', 'DeliverySubmitted', 'createDelivery', once),
  submission('transfer-goods', 'TransferSubmitted', 'transferGoods', blind),
  submission('correct-stock', 'CorrectionSubmitted', 'correctStock', blind),
  // A completed online order becomes a sale (PUT /api/Sale).
  submission('import-sale', 'SaleSubmitted', 'importSale', {
    ...blind,
    plan: (event) => [{ part: '', entity: lineOf(event) }],
  }),
]

/** In order per order and system (return after sale). */
function lineOf({ origin, entity, payload }: EventToRoute): string | null {
  const orderNo = idText(payload, 'orderNo')
  return orderNo === null ? entity : `sale:${keyPart(origin)}/${keyPart(orderNo)}`
}

export const stockLevels: readonly Flow[] = [
  // Stock 2: levels, so only the newest matters. One call has one stock and one description.
  submission('set-stock', 'StockLevelSubmitted', 'setStock', {
    latestWins: true,
    guards: [
      dependsOnEarlier('count-stock', countOf),
      supersededBy({ flows: ['count-stock'], elsewhere: countOf, leaves: () => null }),
      afterProducts,
    ],
    plan: ({ entity, payload }) => [
      { part: '', entity, batch: `${idText(payload, 'stockId')}:${text(payload, 'description') ?? ''}` },
    ],
  }),
  // Stock 1: whatever a complete count omits becomes 0. A newer count restates the stock.
  submission('count-stock', 'StockCountSubmitted', 'countStock', {
    latestWins: true,
    guards: [
      dependsOnEarlier('set-stock', (event) => `level:${stockOf(event)}`),
      supersededBy({
        flows: ['set-stock'],
        elsewhere: () => null,
        leaves: (count, { body }) => withLevel(count, body),
      }),
      afterProducts,
    ],
  }),
]

function stockOf(event: Event): string {
  return keyPart(idText(payloadOf(event), 'stockId') ?? '')
}

function countOf(event: Event): string {
  return `count:${stockOf(event)}`
}

function withLevel(count: Event, body: Uint8Array): Event {
  const { stockId, gtin, quantity } = payloadOf({ body }) as SubmittedStockLevel
  const counted = payloadOf(count) as SubmittedStockCount
  if (counted.stockId !== stockId) return count
  const items = [...counted.items.filter((item) => item.gtin !== gtin), { gtin, quantity }]
  return { ...count, body: Buffer.from(JSON.stringify({ ...counted, items })) }
}

/** Goods of orders, where the platform does not reserve them itself (`platform.reserveOrders`). */
const keepGoods: Flow = submission('keep-goods', 'OrderSubmitted', 'keepGoods', {
  kinds: ['OrderSubmitted', 'OrderChangeSubmitted'],
  urgency: 'prompt',
  method: 'keepGoods',
  latestWins: true,
  guards: [supersededBy({ flows: ['release-goods', 'release-goods-after'], leaves: () => null })],
  // Digests of orders would be stored for ever.
  plan: (event) => [{ part: '', entity: stockLineOf(event), version: null }],
})

const releaseGoods: Flow = submission('release-goods', 'OrderCancelSubmitted', 'releaseGoods', {
  urgency: 'prompt',
  method: 'releaseGoods',
  plan: (event) => [{ part: '', entity: stockLineOf(event) }],
})

/** Whether the platform releases these itself is undocumented. */
export const releaseGoodsAfter: Flow = {
  port: 'platform',
  urgency: 'prompt',
  name: 'release-goods-after',
  kinds: [UPDATED, FULFILLED],
  method: 'releaseGoods',
  toOrigin: true,
  plan({ kind, payload }) {
    const order = readOrderUpdate(payload)
    return order && isOver(kind, order) ? [{ part: '', entity: `kept:${keyPart(order.number)}` }] : []
  },
  guards: [shipping((event) => (mayBeSent(updateOf(event)) ? 'anyone' : null)), verifyWithPlatform(finishedAssertion)],
  call(event, _, { isSent }) {
    const order = updateOf(event)
    if (mayBeSent(order) && isSent !== false) return null
    return { port: 'platform', method: 'releaseGoods', argument: { orderNo: order.number } }
  },
}

function isOver(kind: string, order: OrderUpdate): boolean {
  if (isOff(order)) return true
  if (kind !== FULFILLED && order.status !== 'Shipped') return false
  return order.shipments === null || leavesOpen(order) || isPacked(order)
}

function mayBeSent(order: OrderUpdate): boolean {
  return leavesOpen(order) && !isOff(order)
}

function isOff({ status }: OrderUpdate): boolean {
  return status === 'Rejected' || status === 'Expired'
}

function isPacked(order: OrderUpdate): boolean {
  const wanted = order.lines.filter(({ status }) => !isDeclined(status))
  const countable = wanted.every(({ gtin, quantity }) => gtin !== null && quantity !== null)
  return wanted.length > 0 && countable && unpackedGoods(order).length === 0
}

/** The status of a packed order is undocumented. */
function finishedAssertion(event: Event): OrderAssertion {
  const { number: order, shipments } = updateOf(event)
  const parcel = shipments?.at(-1)?.id
  return parcel === undefined ? { order, is: 'over' } : { order, is: 'packed', parcel }
}

function stockLineOf({ entity, payload }: EventToRoute): string | null {
  const orderNo = idText(payload, 'orderNo')
  return orderNo === null ? entity : `kept:${keyPart(orderNo)}`
}

export const reservedGoods: readonly Flow[] = [keepGoods, releaseGoods, releaseGoodsAfter]
