import type {
  SubmittedDeletion,
  SubmittedProduct,
  SubmittedStockCount,
  SubmittedStockLevel,
} from '../domain/catalogue/submitted.ts'
import { type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { field, idText, text } from '../domain/values/field.ts'
import { digestOf } from '../domain/values/text.ts'
import type { PlatformCall } from '../ports/ports.ts'
import { type EventToRoute, type Flow, withoutRestated } from './flow.ts'
import { dependsOnEarlier, retryWhilePending, supersededBy } from './guards.ts'

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
      dependsOnEarlier('set-stock', (event) => `level:${stockOf(event)}/`),
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
