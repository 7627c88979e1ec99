import { z } from 'zod'
import type { SubmittedDelivery } from '../../../domain/catalogue/submitted.ts'
import { Decimal, Price } from '../decimal-fields.ts'
import { fault, nothingPrivate } from '../fault.ts'
import { check, partOf } from '../faults.ts'
import { compact, Key, Name, OptionalId, Text, Time } from '../fields.ts'
import { Gtin } from '../goods-fields.ts'
import type { Reading, ReadingContext, Resource } from './resource.ts'

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

export const deliveries: Resource = {
  scope: 'deliveries',
  objects: [Delivery],
  line: Delivery,
  readObject: (value, context) => [readDelivery(value, context)],
  readLine: readDelivery,
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
