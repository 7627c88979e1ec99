import { z } from 'zod'
import { isMap } from '../../../config/reading/path.ts'
import type { SubmittedPrice, SubmittedPriceEnd } from '../../../domain/catalogue/submitted.ts'
import { check, nothingPrivate } from '../faults.ts'
import { compact, Name, ONE_PRODUCT, Price, pricedProduct, Time } from '../fields.ts'
import { type Group, groupSchema, readGroup } from '../grouped.ts'
import { type Reading, type Resource, readingOf, resourceOf } from './resource.ts'

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
