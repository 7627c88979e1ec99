import type {
  SubmittedCorrection,
  SubmittedCostPrice,
  SubmittedDeletion,
  SubmittedDelivery,
  SubmittedPrice,
  SubmittedPriceEnd,
  SubmittedProduct,
  SubmittedProductText,
  SubmittedSale,
  SubmittedStockCount,
  SubmittedStockLevel,
  SubmittedTransfer,
} from '../domain/catalogue/submitted.ts'
import { type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { field, idText, text } from '../domain/values/field.ts'
import { digestOf } from '../domain/values/text.ts'
import { type Flow, type Planned, withoutSaidSince } from './flow.ts'

/**
 * Master data: the ERP owns products and prices and pushes changes; a PIM may add texts and images (spec, "What the service does" 2;
 * "Products"; "Prices").
 */

const submitted = { port: 'platform', urgency: 'bulk' } as const

/** Creates the products that prices, stock, deliveries and sales refer to: submissions of one minute may go out in any order. */
const MAKE_PRODUCTS: readonly string[] = ['save-products']

/** Spec, Products 3 to 5: create or update, or create only if missing, in batches. */
const saveProducts: Flow = {
  ...submitted,
  name: 'save-products',
  kinds: ['ProductSubmitted', 'ProductDeletionSubmitted'],
  undoneBy: { flows: [...MAKE_PRODUCTS, 'save-product-text'], leaves: leftOfProduct },
  plan: (event) => [event.kind === 'ProductDeletionSubmitted' ? deletionStep(event) : productStep(event)],
  call(event) {
    const payload = payloadOf(event)
    if (event.kind === 'ProductDeletionSubmitted')
      return { port: 'platform', method: 'deleteProduct', argument: payload as SubmittedDeletion }
    const method = isInsert(payload) ? 'insertProducts' : 'upsertProducts'
    return { port: 'platform', method, argument: payload as SubmittedProduct }
  },
}

/** Spec, PUT /api/Products: description and images only. */
const saveProductText: Flow = {
  ...submitted,
  name: 'save-product-text',
  kinds: ['ProductTextSubmitted'],
  undoneBy: { flows: ['save-product-text', saveProducts.name], leaves: leftOfProduct },
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({
    port: 'platform',
    method: 'saveProductText',
    argument: payloadOf(event) as SubmittedProductText,
  }),
}

/** Spec, POST /api/PriceListV2: one call per list. */
const savePrices: Flow = {
  ...submitted,
  name: 'save-prices',
  kinds: ['PriceSubmitted'],
  undoneBy: { flows: ['end-price'], leaves: (price, end) => (isEnded(price, end) ? null : price) },
  follows: MAKE_PRODUCTS,
  latestWins: true,
  plan: ({ entity, payload }) => [{ part: '', entity, batch: text(payload, 'list') ?? '' }],
  call: (event) => ({ port: 'platform', method: 'savePrices', argument: payloadOf(event) as SubmittedPrice }),
}

const endPrice: Flow = {
  ...submitted,
  name: 'end-price',
  kinds: ['PriceEndSubmitted'],
  undoneBy: { flows: [savePrices.name], leaves: (end) => (text(payloadOf(end), 'validFrom') === null ? end : null) },
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'endPrice', argument: payloadOf(event) as SubmittedPriceEnd }),
}

/** Spec, "Cost price update": one call per currency or stock (public facts). */
const saveCosts: Flow = {
  ...submitted,
  name: 'save-costs',
  kinds: ['CostPriceSubmitted'],
  follows: MAKE_PRODUCTS,
  latestWins: true,
  plan: ({ entity, payload }) => [{ part: '', entity, batch: placeOfCost(payload) }],
  call: (event) => ({ port: 'platform', method: 'saveCosts', argument: payloadOf(event) as SubmittedCostPrice }),
}

function placeOfCost(payload: unknown): string {
  const stockId = idText(payload, 'stockId')
  return stockId === null ? (text(payload, 'currency') ?? '') : `stock:${stockId}`
}

function isInsert(payload: unknown): boolean {
  return field(payload, 'insertOnly') === true
}

const isDeletion = ({ kind }: Pick<Event, 'kind'>) => kind === 'ProductDeletionSubmitted'

function leftOfProduct(event: Event, later: Pick<Event, 'kind' | 'body'>): Event | null {
  const isText = later.kind === 'ProductTextSubmitted'
  if (isDeletion(event) !== isDeletion(later)) return !isText && isUndoing(event, later) ? null : event
  const since = payloadOf(later) as SubmittedProduct
  if (isDeletion(event) || isInsert(since) || isInsert(payloadOf(event))) return event
  return withoutSaidSince(event, since, NAMES)
}

const NAMES = ['extId', 'createProductSpecificSize', 'force']

function isUndoing(event: Event, later: Pick<Event, 'kind' | 'body'>): boolean {
  const { gtin, gtins } = payloadOf(isDeletion(event) ? event : later) as SubmittedDeletion
  if (gtin === undefined && gtins === undefined) return true
  const { productSizes = [] } = isDeletion(event) ? (payloadOf(later) as SubmittedProduct) : {}
  return productSizes.some((size) => size.gtin !== undefined && (gtins === 'all' || size.gtin === gtin))
}

/** True if a price was ended since, or holds again: an end without date concerns dated prices. */
function isEnded(price: Pick<Event, 'body'>, end: Pick<Event, 'body'>): boolean {
  return text(payloadOf(end), 'validFrom') !== null || text(payloadOf(price), 'validTo') !== null
}

function deletionStep({ entity, payload }: Planned) {
  return { part: '', entity, digest: digestOf({ deleted: payload }) }
}

function productStep({ entity, payload }: Planned) {
  const { force, ...product } = payload as SubmittedProduct
  const batch = isInsert(payload) ? 'inserts' : 'products'
  return { part: '', entity, batch, digest: digestOf(product), ...(force && { force }) }
}

export const masterData: readonly Flow[] = [saveProducts, saveProductText, savePrices, saveCosts, endPrice]

/** Goods deliveries to a store (spec, PUT /api/Delivery). In doubt it is repeated only if its request id dedupes; else held. */
export const createDelivery: Flow = {
  name: 'create-delivery',
  kinds: ['DeliverySubmitted'],
  follows: MAKE_PRODUCTS,
  port: 'platform',
  once: true,
  onUnknown: 'hold',
  urgency: 'bulk',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'createDelivery', argument: payloadOf(event) as SubmittedDelivery }),
}

const moved = {
  follows: MAKE_PRODUCTS,
  port: 'platform',
  once: true,
  noFind: true,
  onUnknown: 'hold',
  urgency: 'bulk',
} as const

/** Movements are differences and not idempotent; the platform cannot be asked, so in doubt they are held (public facts). */
const transferGoods: Flow = {
  ...moved,
  name: 'transfer-goods',
  kinds: ['TransferSubmitted'],
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'transferGoods', argument: payloadOf(event) as SubmittedTransfer }),
}

const correctStock: Flow = {
  ...moved,
  name: 'correct-stock',
  kinds: ['CorrectionSubmitted'],
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'correctStock', argument: payloadOf(event) as SubmittedCorrection }),
}

export const goodsMoves: readonly Flow[] = [transferGoods, correctStock]

/** A completed online order becomes a sale (spec, PUT /api/Sale). */
export const importSale: Flow = {
  name: 'import-sale',
  kinds: ['SaleSubmitted'],
  follows: MAKE_PRODUCTS,
  port: 'platform',
  once: true,
  noFind: true,
  onUnknown: 'hold',
  urgency: 'bulk',
  plan: (event) => [{ part: '', entity: lineOf(event) }],
  call: (event) => ({ port: 'platform', method: 'importSale', argument: payloadOf(event) as SubmittedSale }),
}

/** Sales of one order and system in order (return after sale); they block nothing else of that number. */
function lineOf({ origin, entity, payload }: Planned): string | null {
  const orderNo = idText(payload, 'orderNo')
  return orderNo === null ? entity : `sale:${keyPart(origin)}/${keyPart(orderNo)}`
}

/** Spec, Stock 2: levels, so only the newest matters. */
export const setStock: Flow = {
  name: 'set-stock',
  kinds: ['StockLevelSubmitted'],
  follows: MAKE_PRODUCTS,
  port: 'platform',
  urgency: 'bulk',
  latestWins: true,
  undoneBy: { flows: ['count-stock'], elsewhere: countOf, leaves: () => null },
  afterEarlier: { flow: 'count-stock', about: countOf },
  // One call has one stock and one description.
  plan: ({ entity, payload }) => [
    { part: '', entity, batch: `${idText(payload, 'stockId')}:${text(payload, 'description') ?? ''}` },
  ],
  call: (event) => ({ port: 'platform', method: 'setStock', argument: payloadOf(event) as SubmittedStockLevel }),
}

/** Spec, Stock 1: whatever a complete count omits becomes 0. A newer count restates the stock. */
export const countStock: Flow = {
  name: 'count-stock',
  kinds: ['StockCountSubmitted'],
  follows: MAKE_PRODUCTS,
  port: 'platform',
  urgency: 'bulk',
  latestWins: true,
  afterEarlier: { flow: setStock.name, about: (event) => `level:${stockOf(event)}/` },
  undoneBy: { flows: [setStock.name], elsewhere: () => null, leaves: (count, { body }) => withLevel(count, body) },
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'countStock', argument: payloadOf(event) as SubmittedStockCount }),
}

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
