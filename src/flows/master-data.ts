import type {
  SubmittedCostPrice,
  SubmittedDeletion,
  SubmittedPrice,
  SubmittedPriceEnd,
  SubmittedProduct,
  SubmittedProductText,
} from '../domain/catalogue/submitted.ts'
import { payloadOf } from '../domain/queue/event.ts'
import { digestOf } from '../domain/values/digest.ts'
import { field, text } from '../domain/values/field.ts'
import type { Flow, Planned } from './flow.ts'

/* Master data: an ERP is the authority for products and prices and pushes them whenever there is something new; a PIM may
   add texts and images (spec, "What the service does" 2; "Products"; "Prices"). */

const submitted = { port: 'platform', urgency: 'bulk' } as const

/**
 * Spec, Products 4 and 5: created or updated, many in one call. What the platform has acknowledged is not sent again. A deletion
 * is one of its states: the same product that is submitted after it is news.
 */
const saveProducts: Flow = {
  ...submitted,
  name: 'save-products',
  kinds: ['ProductSubmitted', 'ProductDeletionSubmitted'],
  plan: (event) =>
    event.kind === 'ProductDeletionSubmitted' ? [deletionStep(event)] : isInsert(event) ? [] : [productStep(event)],
  call: (event) =>
    event.kind === 'ProductDeletionSubmitted'
      ? { port: 'platform', method: 'deleteProduct', argument: payloadOf(event) as SubmittedDeletion }
      : { port: 'platform', method: 'upsertProducts', argument: payloadOf(event) as SubmittedProduct },
}

/** Spec, Products 3: those that are there already are left alone. */
const insertProducts: Flow = {
  ...submitted,
  name: 'insert-products',
  kinds: ['ProductSubmitted'],
  plan: (event) => (isInsert(event) ? [productStep(event)] : []),
  call: (event) => ({ port: 'platform', method: 'insertProducts', argument: payloadOf(event) as SubmittedProduct }),
}

/** The flows that make the products that prices, stock, deliveries and sales are about: what one system submits in one minute may go out in any order. */
export const MAKE_PRODUCTS: readonly string[] = [saveProducts.name, insertProducts.name]

/** Spec, PUT /api/Products: description and images, nothing else. */
const saveProductText: Flow = {
  ...submitted,
  name: 'save-product-text',
  kinds: ['ProductTextSubmitted'],
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
  const stockId = text(payload, 'stockId')
  const place = stockId === null ? (text(payload, 'currency') ?? '') : `stock:${stockId}`
  return field(payload, 'landed') === true ? `landed:${place}` : place
}

function isInsert({ payload }: Planned): boolean {
  return field(payload, 'insertOnly') === true
}

/** Said twice it is the same, until the product is submitted again. */
function deletionStep({ entity, payload }: Planned) {
  return { part: '', entity, digest: digestOf({ deleted: payload }) }
}

/** The step of a product, with a digest: a sender of a whole catalogue each night changes little of it. */
function productStep({ entity, payload }: Planned) {
  const { force, ...product } = payload as SubmittedProduct
  return { part: '', entity, batch: 'products', digest: digestOf(product), ...(force && { force }) }
}

/** Products and prices: every flow of this file, products first. */
export const masterData: readonly Flow[] = [
  saveProducts,
  insertProducts,
  saveProductText,
  savePrices,
  saveCosts,
  endPrice,
]
