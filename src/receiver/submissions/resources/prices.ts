import { z } from 'zod'
import { isMap } from '../../../config/schema/schemas-at.ts'
import type { SubmittedCostPrice, SubmittedPrice, SubmittedPriceEnd } from '../../../domain/catalogue/submitted.ts'
import { Currency, check, compact, Name, nothingPrivate, ONE_PRODUCT, Price, pricedProduct, Time } from '../fields.ts'
import {
  type Group,
  groupSchema,
  type Reading,
  type ReadingContext,
  type Resource,
  readGroup,
  readingOf,
  resourceOf,
  stockNamed,
  whichStock,
} from './resource.ts'

const fields = {
  ...pricedProduct,
  price: Price.describe('Of one, VAT included, in the currency of the stores that have the list.'),
  validFrom: Time.nullish().describe('Without it: from the beginning.'),
  validTo: Time.nullish().describe('Without it: for ever.'),
}

const ORDERED = { path: ['validTo'], error: 'a time after validFrom' }

const ListPrice = z
  .strictObject(fields)
  .refine(...ONE_PRODUCT)
  .refine(endsAfterItBegins, ORDERED)

/** One price and its list (spec, Prices rule 1: a price needs a list). */
const LooseListPrice = z
  .strictObject({
    list: Name.describe('The name of the price list. The platform creates it if it does not exist.'),
    ...fields,
  })
  .refine(...ONE_PRODUCT)
  .refine(endsAfterItBegins, ORDERED)

/** Spec, "Price list and prices". */
const priceList = {
  list: 'prices',
  common: z.strictObject({ name: Name.describe('The name of the price list.') }),
  each: ListPrice,
} satisfies Group<z.ZodObject, z.ZodType>

export const prices: Resource = {
  scope: 'prices',
  objects: [groupSchema(priceList), LooseListPrice],
  line: LooseListPrice,
  readObject: (value) =>
    isMap(value) && ('prices' in value || 'name' in value)
      ? readGroup(priceList, value, ({ name }, price) => taken({ list: name, ...price }))
      : [readPrice(value)],
  readLine: readPrice,
}

function readPrice(value: unknown): Reading {
  return readingOf(check(LooseListPrice, value, nothingPrivate), taken)
}

function taken(price: z.output<typeof LooseListPrice>): Reading {
  const payload = { ...compact(price), list: price.list, price: price.price } satisfies SubmittedPrice
  return { kind: 'PriceSubmitted', payload }
}

function endsAfterItBegins({ validFrom, validTo }: { validFrom?: unknown; validTo?: unknown }): boolean {
  return typeof validFrom !== 'string' || typeof validTo !== 'string' || validFrom < validTo
}

/** Public facts, PricelistV2: a price that ends before its time. */
const PriceEnd = z
  .strictObject({
    list: Name.describe('The name of the price list.'),
    ...pricedProduct,
    validFrom: Time.nullish().describe(
      'Of the price that is meant. Without it, each of the product that has a beginning or an end of its own: the ordinary price stays.',
    ),
  })
  .refine(...ONE_PRODUCT)

export const priceEnds: Resource = resourceOf('price-ends', PriceEnd, nothingPrivate, (end) => ({
  kind: 'PriceEndSubmitted',
  payload: { ...compact(end), list: end.list } satisfies SubmittedPriceEnd,
}))

const costFields = {
  ...pricedProduct,
  gtin: pricedProduct.gtin.describe(
    'The EAN or GTIN of one of its sizes. Beside a productId, this goes to the platform.',
  ),
  price: Price.describe('What one costs the retailer, without VAT.'),
}

/** Spec: a currency. Public facts: or a stock. */
const where = {
  currency: Currency.nullish().describe('The cost price holds in all stocks of this currency.'),
  stockId: whichStock.stockId.describe('Or in this stock alone; not in the specification.'),
  stockNo: whichStock.stockNo,
}

const ONE_PLACE = 'exactly one of currency, stockId and stockNo'

/** A line may hold both (spec L97-101); `productExtId` is not in the specification, and stands alone. */
const ONE_VARIANT = [
  ({ productExtId, gtin, productId }: { productExtId?: unknown; gtin?: unknown; productId?: unknown }) =>
    (productExtId ?? null) === null ? (gtin ?? productId ?? null) !== null : (gtin ?? productId ?? null) === null,
  {
    error: 'gtin, productId or both of one product, or productExtId alone',
    when: ({ value }: { value: unknown }) => isMap(value),
  },
] as const

const LooseCostPrice = z.strictObject({ ...where, ...costFields }).refine(...ONE_VARIANT)

/** Spec, "Cost price update". */
const costPriceList = {
  list: 'costPrices',
  common: z.strictObject(where),
  each: z.strictObject(costFields).refine(...ONE_VARIANT),
} satisfies Group<z.ZodObject, z.ZodType>

export const costPrices: Resource = {
  scope: 'cost-prices',
  objects: [groupSchema(costPriceList), LooseCostPrice],
  line: LooseCostPrice,
  readObject: (value, context) =>
    isMap(value) && 'costPrices' in value
      ? readGroup(costPriceList, value, (common, price) => takenCost({ ...common, ...price }, context))
      : [readCostPrice(value, context)],
  readLine: readCostPrice,
}

function readCostPrice(value: unknown, context: ReadingContext): Reading {
  return readingOf(check(LooseCostPrice, value, nothingPrivate), (cost) => takenCost(cost, context))
}

function takenCost(cost: z.output<typeof LooseCostPrice>, { stores }: ReadingContext): Reading {
  const { currency, stockId, stockNo, price, ...product } = cost
  const given = [currency, stockId, stockNo].filter((one) => one !== null && one !== undefined)
  if (given.length !== 1)
    return { faults: [`found ${given.length} of currency, stockId and stockNo, expected ${ONE_PLACE}`] }
  if (currency) return costOf({ ...compact(product), currency, price })
  return readingOf(stockNamed({ stockId, stockNo }, stores), (id) =>
    costOf({ ...compact(product), stockId: id, price }),
  )
}

function costOf(payload: SubmittedCostPrice): Reading {
  return { kind: 'CostPriceSubmitted', payload }
}
