import type {
  SubmittedCostPrice,
  SubmittedDeletion,
  SubmittedPrice,
  SubmittedPriceEnd,
  SubmittedProduct,
  SubmittedProductText,
} from '../domain/catalogue/submitted.ts'
import { type Event, payloadOf } from '../domain/queue/event.ts'
import { digestOf } from '../domain/values/digest.ts'
import { field, text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'
import type { Flow, Planned } from './flow.ts'
import { withoutSaidSince } from './said-since.ts'

/* Master data: an ERP is the authority for products and prices and pushes them whenever there is something new; a PIM may
   add texts and images (spec, "What the service does" 2; "Products"; "Prices"). */

const submitted = { port: 'platform', urgency: 'bulk' } as const

/** The flows that make the products that prices, stock, deliveries and sales are about: what one system submits in one minute may go out in any order. */
export const MAKE_PRODUCTS: readonly string[] = ['save-products']

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
