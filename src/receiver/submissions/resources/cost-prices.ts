import { z } from 'zod'
import { isMap } from '../../../config/reading/path.ts'
import type { SubmittedCostPrice } from '../../../domain/catalogue/submitted.ts'
import { check, nothingPrivate } from '../faults.ts'
import { Currency, compact, Price, pricedProduct } from '../fields.ts'
import { type Group, groupSchema, readGroup } from '../grouped.ts'
import { stockNamed, whichStock } from '../store-finder.ts'
import { type Reading, type ReadingContext, type Resource, readingOf } from './resource.ts'

const fields = {
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

const LooseCostPrice = z.strictObject({ ...where, ...fields }).refine(...ONE_VARIANT)

/** Spec, "Cost price update". */
const costPriceList = {
  list: 'costPrices',
  common: z.strictObject(where),
  each: z.strictObject(fields).refine(...ONE_VARIANT),
} satisfies Group<z.ZodObject, z.ZodType>

export const costPrices: Resource = {
  scope: 'cost-prices',
  objects: [groupSchema(costPriceList), LooseCostPrice],
  line: LooseCostPrice,
  readObject: (value, context) =>
    isMap(value) && 'costPrices' in value
      ? readGroup(costPriceList, value, (common, price) => taken({ ...common, ...price }, context))
      : [readCostPrice(value, context)],
  readLine: readCostPrice,
}

function readCostPrice(value: unknown, context: ReadingContext): Reading {
  return readingOf(check(LooseCostPrice, value, nothingPrivate), (cost) => taken(cost, context))
}

function taken(cost: z.output<typeof LooseCostPrice>, { stores }: ReadingContext): Reading {
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
