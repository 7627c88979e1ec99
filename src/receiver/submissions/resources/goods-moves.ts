import { z } from 'zod'
import type { SubmittedCorrection, SubmittedDelivery, SubmittedTransfer } from '../../../domain/catalogue/submitted.ts'
import {
  check,
  compact,
  Decimal,
  fault,
  Gtin,
  Key,
  Name,
  nothingPrivate,
  OptionalId,
  Price,
  partOf,
  Text,
  Time,
} from '../fields.ts'
import {
  inPieces,
  placeOf,
  type Reading,
  type ReadingContext,
  type Resource,
  single,
  stockNamed,
  whichStore,
  writtenByAnother,
} from './resource.ts'

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

export const deliveries: Resource = single('deliveries', Delivery, readDelivery)

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

export const transfers: Resource = single('transfers', Transfer, readTransfer)

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

export const stockCorrections: Resource = single('stock-corrections', Correction, readCorrection)

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
