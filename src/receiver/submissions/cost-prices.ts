import { z } from 'zod'
import { isMap } from '../../config/path.ts'
import type { SubmittedCostPrice } from '../../domain/submitted.ts'
import { check } from './faults.ts'
import { Currency, compact, Price } from './fields.ts'
import { type Group, groupSchema, readGroup } from './grouped.ts'
import { namesOneProduct, ONE_PRODUCT, pricedProduct } from './priced.ts'
import { type Reading, type Resource, readingOf } from './resource.ts'

const fields = { ...pricedProduct, price: Price }
const currency = { currency: Currency.describe('The cost price holds in all stocks of this currency.') }

const LooseCostPrice = z.strictObject({ ...currency, ...fields }).refine(namesOneProduct, ONE_PRODUCT)

/** Spec, "Cost price update". */
const costPriceList = {
  list: 'costPrices',
  common: z.strictObject(currency),
  each: z.strictObject(fields).refine(namesOneProduct, ONE_PRODUCT),
} satisfies Group<z.ZodObject, z.ZodType>

export const costPrices: Resource = {
  scope: 'cost-prices',
  objects: [groupSchema(costPriceList), LooseCostPrice],
  line: LooseCostPrice,
  readObject: (value) =>
    isMap(value) && 'costPrices' in value
      ? readGroup(costPriceList, value, (common, price) => taken({ ...common, ...price }))
      : [readCostPrice(value)],
  readLine: readCostPrice,
}

function readCostPrice(value: unknown): Reading {
  return readingOf(
    check(LooseCostPrice, value, () => false),
    taken,
  )
}

function taken(price: z.output<typeof LooseCostPrice>): Reading {
  const payload = { ...compact(price), currency: price.currency, price: price.price } satisfies SubmittedCostPrice
  return { kind: 'CostPriceSubmitted', payload }
}
