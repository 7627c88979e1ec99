import { digestOf } from '../domain/digest.ts'
import { payloadOf } from '../domain/event.ts'
import { field, text } from '../domain/field.ts'
import type { SubmittedCostPrice, SubmittedPrice, SubmittedProduct, SubmittedProductText } from '../domain/submitted.ts'
import type { Flow, Planned } from './flow.ts'

/* Master data: an ERP is the authority for products and prices and pushes them whenever there is something new; a PIM may
   add texts and images (spec, "What the service does" 2; "Products"; "Prices"). */

const submitted = { port: 'platform', urgency: 'bulk' } as const

/** Spec, Products 4 and 5: created or updated, many in one call. What the platform has acknowledged is not sent again. */
export const saveProducts: Flow = {
  ...submitted,
  name: 'save-products',
  kinds: ['ProductSubmitted'],
  plan: (event) => (isInsert(event) ? [] : [productStep(event)]),
  call: (event) => ({ port: 'platform', method: 'upsertProducts', argument: payloadOf(event) as SubmittedProduct }),
}

/** Spec, Products 3: those that are there already are left alone. */
export const insertProducts: Flow = {
  ...submitted,
  name: 'insert-products',
  kinds: ['ProductSubmitted'],
  plan: (event) => (isInsert(event) ? [productStep(event)] : []),
  call: (event) => ({ port: 'platform', method: 'insertProducts', argument: payloadOf(event) as SubmittedProduct }),
}

/** The flows that make the products that prices, stock, deliveries and sales are about: what one system submits in one minute may go out in any order. */
export const MAKE_PRODUCTS: readonly string[] = [saveProducts.name, insertProducts.name]

/** Spec, PUT /api/Products: description and images, nothing else. */
export const saveProductText: Flow = {
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
export const savePrices: Flow = {
  ...submitted,
  name: 'save-prices',
  kinds: ['PriceSubmitted'],
  follows: MAKE_PRODUCTS,
  latestWins: true,
  plan: ({ entity, payload }) => [{ part: '', entity, batch: text(payload, 'list') ?? '' }],
  call: (event) => ({ port: 'platform', method: 'savePrices', argument: payloadOf(event) as SubmittedPrice }),
}

/** Spec, "Cost price update": one call for a currency, or for a stock (public facts). */
export const saveCosts: Flow = {
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
  return stockId === null ? (text(payload, 'currency') ?? '') : `stock:${stockId}`
}

function isInsert({ payload }: Planned): boolean {
  return field(payload, 'insertOnly') === true
}

/** Whoever sends a whole catalogue each night changes little of it. */
function productStep({ entity, payload }: Planned) {
  const { force, ...product } = payload as SubmittedProduct
  return { part: '', entity, batch: 'products', digest: digestOf(product), ...(force && { force }) }
}
