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
import { digestOf } from '../domain/values/digest.ts'
import { field, text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'
import { type Flow, type Planned, withoutSaidSince } from './flow.ts'

/* Master data: an ERP is the authority for products and prices and pushes them whenever there is something new; a PIM may
   add texts and images (spec, "What the service does" 2; "Products"; "Prices"). */

const submitted = { port: 'platform', urgency: 'bulk' } as const

/** The flows that make the products that prices, stock, deliveries and sales are about: what one system submits in one minute may go out in any order. */
const MAKE_PRODUCTS: readonly string[] = ['save-products']

/**
 * Spec, Products 3 to 5: created or updated, or created only where it is not there, many in one call. What the platform has
 * acknowledged is not sent again. A deletion is one of its states: the same product that is submitted after it is news.
 */
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

/** Spec, PUT /api/Products: description and images, nothing else. */
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

/** Spec, POST /api/PriceListV2: one call for a list. */
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

/** A price that is to end before its time, or for good (public facts, PricelistV2). */
const endPrice: Flow = {
  ...submitted,
  name: 'end-price',
  kinds: ['PriceEndSubmitted'],
  undoneBy: {
    flows: [savePrices.name],
    leaves: (end) => (text(payloadOf(end), 'validFrom') === null ? end : null),
  },
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'endPrice', argument: payloadOf(event) as SubmittedPriceEnd }),
}

/** Spec, "Cost price update": one call for a currency, or for a stock (public facts). */
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

/** What is to be said of a product still, or deleted of it. One that is inserted does nothing to one that is there. */
function leftOfProduct(event: Event, later: Pick<Event, 'kind' | 'body'>): Event | null {
  const isText = later.kind === 'ProductTextSubmitted'
  if (isDeletion(event) !== isDeletion(later)) return !isText && isUndoing(event, later) ? null : event
  const since = payloadOf(later) as SubmittedProduct
  if (isDeletion(event) || isInsert(since) || isInsert(payloadOf(event))) return event
  return withoutSaidSince(event, since, NAMES)
}

/** What of a product says nothing by itself. */
const NAMES = ['extId', 'createProductSpecificSize', 'force']

/** Whether a product was deleted as a whole since, or is sold again with what was deleted of it. */
function isUndoing(event: Event, later: Pick<Event, 'kind' | 'body'>): boolean {
  const { gtin, gtins } = payloadOf(isDeletion(event) ? event : later) as SubmittedDeletion
  if (gtin === undefined && gtins === undefined) return true
  const { productSizes = [] } = isDeletion(event) ? (payloadOf(later) as SubmittedProduct) : {}
  return productSizes.some((size) => size.gtin !== undefined && (gtins === 'all' || size.gtin === gtin))
}

/** Whether a price has ended, or an ended one holds again: an end without a date is about prices that have an end, or a date of their own. */
function isEnded(price: Pick<Event, 'body'>, end: Pick<Event, 'body'>): boolean {
  return text(payloadOf(end), 'validFrom') !== null || text(payloadOf(price), 'validTo') !== null
}

/** Said twice it is the same, until the product is submitted again. */
function deletionStep({ entity, payload }: Planned) {
  return { part: '', entity, digest: digestOf({ deleted: payload }) }
}

/** The step of a product, with a digest: a sender of a whole catalogue each night changes little of it. */
function productStep({ entity, payload }: Planned) {
  const { force, ...product } = payload as SubmittedProduct
  const batch = isInsert(payload) ? 'inserts' : 'products'
  return { part: '', entity, batch, digest: digestOf(product), ...(force && { force }) }
}

/** Products and prices: every flow of this file, products first. */
export const masterData: readonly Flow[] = [saveProducts, saveProductText, savePrices, saveCosts, endPrice]

/**
 * Goods on their way to a store (spec, PUT /api/Delivery). An uncertain one is sent again only where its request id is known to
 * keep it from being two; else it waits for a person.
 */
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

/* Goods that an own system moves: they are differences, which count again each time that they are sent. Nobody says that the
   platform carries one out once, and it cannot be asked, so an uncertain one waits for a person (public facts). */

const moved = {
  follows: MAKE_PRODUCTS,
  port: 'platform',
  once: true,
  noFind: true,
  onUnknown: 'hold',
  urgency: 'bulk',
} as const

/** From one stock to another. */
const transferGoods: Flow = {
  ...moved,
  name: 'transfer-goods',
  kinds: ['TransferSubmitted'],
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'transferGoods', argument: payloadOf(event) as SubmittedTransfer }),
}

/** More, or fewer, in one stock. */
const correctStock: Flow = {
  ...moved,
  name: 'correct-stock',
  kinds: ['CorrectionSubmitted'],
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'correctStock', argument: payloadOf(event) as SubmittedCorrection }),
}

/** Goods that own systems move: every flow of this file. */
export const goodsMoves: readonly Flow[] = [transferGoods, correctStock]

/**
 * A completed online order becomes a sale, for returns in stores and the customer's history (spec, PUT /api/Sale). Whether
 * the platform would book it twice is not known, and it cannot be asked: an uncertain one waits for a person.
 */
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

/** The sales of one order of one system are imported in their order: a return after what was sold. They hold up nothing else of that number. */
function lineOf({ origin, entity, payload }: Planned): string | null {
  const orderNo = idText(payload, 'orderNo')
  return orderNo === null ? entity : `sale:${keyPart(origin)}/${keyPart(orderNo)}`
}

/* Stock that another system counts, an online store's for example (spec, "Stock" 1 and 2). */

/** Spec, Stock 2: changes as they happen. They are levels: only the newest matters. */
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

/** Spec, Stock 1: what is not in a complete count becomes 0. A newer one says all of the stock anew. */
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

/** The entity of complete counts of a level's stock. */
function countOf(event: Event): string {
  return `count:${stockOf(event)}`
}

/** The count with a level of its stock that was told since. */
function withLevel(count: Event, body: Uint8Array): Event {
  const { stockId, gtin, quantity } = payloadOf({ body }) as SubmittedStockLevel
  const counted = payloadOf(count) as SubmittedStockCount
  if (counted.stockId !== stockId) return count
  const items = [...counted.items.filter((item) => item.gtin !== gtin), { gtin, quantity }]
  return { ...count, body: Buffer.from(JSON.stringify({ ...counted, items })) }
}
