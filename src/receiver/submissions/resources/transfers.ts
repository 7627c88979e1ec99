import { z } from 'zod'
import type { SubmittedTransfer } from '../../../domain/catalogue/submitted.ts'
import { inPieces } from '../body/in-pieces.ts'
import { Decimal, Price } from '../decimal-fields.ts'
import { fault, nothingPrivate } from '../fault.ts'
import { check, partOf } from '../faults.ts'
import { compact, Key, Name, OptionalId, Text, Time } from '../fields.ts'
import { Gtin } from '../goods-fields.ts'
import { stockNamed } from '../which-stock.ts'
import { placeOf, whichStore } from '../which-store.ts'
import type { Reading, ReadingContext, Resource } from './resource.ts'

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

export const transfers: Resource = {
  scope: 'transfers',
  objects: [Transfer],
  line: Transfer,
  readObject: (value, context) => [readTransfer(value, context)],
  readLine: readTransfer,
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
