import { z } from 'zod'
import { isMap } from '../../../config/reading/path.ts'
import type { SubmitScope } from '../../../domain/access/scope.ts'
import type {
  SubmittedCorrection,
  SubmittedCostPrice,
  SubmittedDelivery,
  SubmittedTransfer,
} from '../../../domain/catalogue/submitted.ts'
import { check, fault, nothingPrivate, partOf } from '../faults.ts'
import { Currency, compact, Decimal, Gtin, Key, Name, OptionalId, Price, pricedProduct, Text, Time } from '../fields.ts'
import { type Group, groupSchema, readGroup } from '../grouped.ts'
import { placeOf, stockNamed, whichStock, whichStore, writtenByAnother } from '../store-finder.ts'
import { customerDeletions, customers } from './customers.ts'
import { orders } from './orders.ts'
import { priceEnds, prices } from './prices.ts'
import { productDeletions, products } from './products.ts'
import { inPieces, type Reading, type ReadingContext, type Resource, readingOf, single } from './resource.ts'
import { sales } from './sales.ts'
import { stockAdjustments } from './stock-adjustments.ts'

/** Spec, "Delivery (create request)". */
const Delivery = z.strictObject({
  extRef: Key.describe('What the sender knows the delivery by: the same extRef is the same delivery.'),
  storeNo: Name.nullish().describe('The number of the store, instead of storeId.'),
  storeId: OptionalId.describe("The platform's id of the store."),
  stockId: OptionalId.describe("Without it, the store's own stock."),
  orderDate: Time.nullish().describe('When the goods were ordered.'),
  expectedDeliveryDate: Time.nullish().describe('When they should arrive.'),
  comment: Text.nullish().describe('For the staff that receives them.'),
  insertAsConfirmed: z
    .boolean()
    .describe('true: staff must still receive the goods; false: they are in the stock at once.'),
  orderLines: z
    .array(
      z.strictObject({
        gtin: Gtin,
        qty: Decimal.refine((qty) => Number(qty) > 0, { error: 'a quantity above 0' }).describe(
          'How many of the size.',
        ),
        cost: Price.nullish().describe('Of one, without VAT. It holds for all sizes of the variant.'),
      }),
    )
    .min(1)
    .describe('What is on its way.'),
})

const deliveries: Resource = single('deliveries', Delivery, readDelivery)

/** Public facts, "ProductMove". */
const Transfer = z.strictObject({
  extRef: Key.describe('What the sender knows the transfer by: the same extRef is the same transfer.'),
  ...whichStore,
  toStockId: OptionalId.describe("The platform's id of the stock that gets the goods."),
  toStockNo: Name.nullish().describe('The number of the store whose stock it is, instead of toStockId.'),
  orderDate: Time.nullish().describe('When the transfer was ordered.'),
  expectedDeliveryDate: Time.nullish().describe('When the goods should arrive.'),
  comment: Text.nullish().describe('For the staff that sends and receives them.'),
  insertAsReceived: z
    .boolean()
    .describe('true: the goods are in the other stock at once; false: its staff must still receive them.'),
  productLines: z
    .array(
      z.strictObject({
        gtin: Gtin,
        qty: Decimal.refine((qty) => Number(qty) > 0, { error: 'a quantity above 0' }).describe(
          'How many of the size.',
        ),
        cost: Price.nullish().describe('Of one, without VAT.'),
      }),
    )
    .min(1)
    .describe('What is on its way.'),
})

const transfers: Resource = single('transfers', Transfer, readTransfer)

/** Public facts, "Delta correction". */
const Correction = z.strictObject({
  extRef: Key.describe('What the sender knows the correction by: the same extRef is the same correction.'),
  ...whichStore,
  comment: Text.nullish().describe('Why: broken, stolen, found.'),
  orderLines: z
    .array(
      z.strictObject({
        gtin: Gtin,
        qty: Decimal.refine((qty) => Number(qty) !== 0, { error: 'a difference: not 0' }).describe(
          'A difference, not a level: so many more, or (below 0) fewer.',
        ),
      }),
    )
    .min(1)
    .describe('What there is more, or fewer, than the platform thinks.'),
})

const stockCorrections: Resource = single('stock-corrections', Correction, readCorrection)

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

const costPrices: Resource = {
  scope: 'cost-prices',
  objects: [groupSchema(costPriceList), LooseCostPrice],
  line: LooseCostPrice,
  readObject: (value, context) =>
    isMap(value) && 'costPrices' in value
      ? readGroup(costPriceList, value, (common, price) => taken({ ...common, ...price }, context))
      : [readCostPrice(value, context)],
  readLine: readCostPrice,
}

/** Everything that can be submitted, by its scope. */
export const RESOURCES: Readonly<Record<SubmitScope, Resource>> = {
  products,
  prices,
  'cost-prices': costPrices,
  'stock-adjustments': stockAdjustments,
  deliveries,
  sales,
  orders,
  customers,
  transfers,
  'stock-corrections': stockCorrections,
  'price-ends': priceEnds,
  'product-deletions': productDeletions,
  'customer-deletions': customerDeletions,
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

function readDelivery(value: unknown, { stores }: ReadingContext): Reading {
  const checked = check(Delivery, value, nothingPrivate)
  const names = partOf(Delivery, ['storeNo', 'storeId'], value)
  const store = names && stores.named(names)
  const faults = ['faults' in checked ? checked.faults : [], store && 'faults' in store ? store.faults : []].flat()
  if ('faults' in checked || !store || 'faults' in store) return { faults }
  const { storeNo: _, stockId, orderLines, insertAsConfirmed, ...rest } = checked.value
  const stock = stockId ?? store.value.stockId
  if (stock === null) return { faults: [fault(['stockId'], 'nothing', 'a stockId: this store has no stock')] }
  const payload = {
    ...compact(rest),
    extRef: rest.extRef,
    storeId: store.value.storeId,
    stockId: stock,
    insertAsConfirmed,
    orderLines: orderLines.map(({ gtin, qty, cost }) => ({ gtin, qty, ...compact({ cost }) })),
  } satisfies SubmittedDelivery
  return { kind: 'DeliverySubmitted', payload }
}

function readTransfer(value: unknown, context: ReadingContext): Reading {
  const checked = check(Transfer, value, nothingPrivate)
  const place = placeOf(Transfer, value, context)
  const named = partOf(Transfer, ['toStockId', 'toStockNo'], value)
  const to = named && stockNamed({ stockId: named.toStockId, stockNo: named.toStockNo }, context.stores)
  const faults = [checked, place, to].flatMap((one) => (one && 'faults' in one ? one.faults : []))
  if ('faults' in checked || 'faults' in place || !to || 'faults' in to) return { faults }
  const { extRef, orderDate, expectedDeliveryDate, comment, insertAsReceived, productLines } = checked.value
  if (to.value === place.value.stockId)
    return { faults: [fault([named.toStockId ? 'toStockId' : 'toStockNo'], 'the stock that sends', 'another stock')] }
  const broken = productLines.flatMap(({ qty }, index) => inPieces(context, qty, ['productLines', index, 'qty']))
  if (broken.length > 0) return { faults: broken }
  const payload = {
    extRef,
    storeId: place.value.storeId,
    fromStockId: place.value.stockId,
    toStockId: to.value,
    ...compact({ orderDate, expectedDeliveryDate, comment }),
    received: insertAsReceived,
    lines: productLines.map(({ gtin, qty, cost }) => ({ gtin, qty, ...compact({ cost }) })),
  } satisfies SubmittedTransfer
  return { kind: 'TransferSubmitted', payload }
}

function readCorrection(value: unknown, context: ReadingContext): Reading {
  const checked = check(Correction, value, nothingPrivate)
  const place = placeOf(Correction, value, context)
  const writer = 'value' in place ? writtenByAnother(place.value.stockId, ['stockId'], context) : []
  const faults = [checked, place].flatMap((one) => ('faults' in one ? one.faults : []))
  if ('faults' in checked || 'faults' in place || writer.length > 0) return { faults: [...faults, ...writer] }
  const { extRef, comment, orderLines } = checked.value
  const broken = orderLines.flatMap(({ qty }, index) => inPieces(context, qty, ['orderLines', index, 'qty']))
  if (broken.length > 0) return { faults: broken }
  const payload = { extRef, ...place.value, ...compact({ comment }), lines: orderLines } satisfies SubmittedCorrection
  return { kind: 'CorrectionSubmitted', payload }
}
