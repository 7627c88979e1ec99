import { z } from 'zod'
import type {
  SubmittedCorrection,
  SubmittedCostPrice,
  SubmittedDelivery,
  SubmittedStockCount,
  SubmittedStockLevel,
  SubmittedTransfer,
} from '../../../domain/catalogue/submitted.ts'
import { isMap } from '../../../lib/collections.ts'
import type { SlicedWork } from '../../../lib/semaphore.ts'
import * as f from '../fields.ts'
import {
  type Checked,
  fault,
  type Group,
  groupSchema,
  MAX_FAULTS,
  type ReadingContext,
  readGroup,
  resource,
  rightFields,
} from '../reading.ts'
import { inPieces, linesInPieces, locationOf, stockOf, writtenByAnother, writtenStockOf } from '../stores.ts'

const description = { description: f.Text.nullish().describe('What the platform shows with the change.') }
const level = {
  gtin: f.Gtin,
  quantity: f.Decimal.describe('The new level: not a difference. The public API takes whole numbers only.'),
}

/** Spec, "Stock adjustment", of all articles: those that are not in it become 0. */
const count = {
  list: 'items',
  common: z
    .strictObject({
      ...f.whichStock,
      ...description,
      isCompleteStockCount: z.literal(true).describe('All articles: those that are not in `items` become 0.'),
      stockCountTime: f.Time.describe('When the count began.'),
      confirmation: z
        .string()
        .nullish()
        .describe('What a dry run answered: it names the articles that become 0, and is asked for before they do.'),
    })
    .refine(...f.ONE_STOCK),
  each: z.strictObject(level),
} satisfies Group

/** Levels; in a group, of some articles of a stock (spec, "Stock adjustment"). */
export const stockAdjustments = resource({
  kind: 'StockLevelSubmitted',
  item: z.strictObject({ ...f.whichStock, ...level, ...description }).refine(...f.ONE_STOCK),
  group: {
    list: 'items',
    common: z
      .strictObject({
        ...f.whichStock,
        ...description,
        isCompleteStockCount: z
          .literal(false, { error: 'false: a complete stock count is the only object of its body' })
          .nullish()
          .describe('Some articles: the others stay as they are.'),
      })
      .refine(...f.ONE_STOCK),
    each: z.strictObject(level),
    join: ({ isCompleteStockCount: _, ...common }) => common,
  },
  besides: groupSchema(count),
  finds: { stockId: writtenStockOf },
  rules: [({ quantity = '' }, context) => inPieces(context, quantity, ['quantity'])],
  take: ({ description, gtin, quantity }, { stockId }) => ({
    payload: { ...f.compact({ description }), stockId, gtin, quantity } satisfies SubmittedStockLevel,
  }),
  examples: [
    { stockId: 3011, description: 'Web shop', items: [{ gtin: '7040000010017', quantity: 4 }] },
    {
      stockNo: '104',
      isCompleteStockCount: true,
      stockCountTime: '2026-11-20T06:00:00Z',
      items: [{ gtin: '7040000010017', quantity: 4 }],
      confirmation: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
    },
    { stockId: 3011, gtin: '7040000010017', quantity: 4 },
  ],
})

export function isStockCount(value: unknown): boolean {
  return isMap(value) && value.isCompleteStockCount === true
}

export interface ReadCount {
  count: SubmittedStockCount
  confirmation: string | null
}

/** Yields to others: it may have all articles of a store. */
export async function readStockCount(
  value: unknown,
  context: ReadingContext,
  work: SlicedWork,
): Promise<Checked<ReadCount>> {
  const shells: z.output<typeof count.common>[] = []
  const items: SubmittedStockCount['items'] = []
  const indexes = new Map<string, number>()
  let index = 0
  const faults: string[] = []
  const readings = readGroup(count, value, (shell, each) => {
    const item = each as z.output<typeof count.each>
    const at = ['items', index]
    const before = indexes.get(item.gtin)
    const twice = before === undefined ? [] : [fault([...at, 'gtin'], `the one of items[${before}]`, 'each GTIN once')]
    shells[0] ??= shell as z.output<typeof count.common>
    indexes.set(item.gtin, before ?? index)
    items.push(item)
    return { faults: [...twice, ...inPieces(context, item.quantity, [...at, 'quantity'])] }
  })
  for (const reading of readings) {
    index += 1
    if ('faults' in reading) faults.push(...reading.faults)
    if (faults.length >= MAX_FAULTS) break
    if (work.isDue()) await work.next()
  }
  const [common] = shells
  const stock = writtenStockOf(common ?? rightFields(count.common, value), context)
  if (stock && 'faults' in stock) faults.push(...stock.faults)
  if (faults.length > 0 || !common || !stock || 'faults' in stock) return { faults }
  const { description, stockCountTime, confirmation } = common
  const read = { ...f.compact({ description }), stockId: stock.value, stockCountTime, items }
  return { value: { count: read, confirmation: confirmation ?? null } }
}

const costPlace = {
  currency: f.Currency.nullish().describe('The cost price holds in all stocks of this currency.'),
  stockId: f.whichStock.stockId.describe('Or in this stock alone; not in the specification.'),
  stockNo: f.whichStock.stockNo,
}

const ONE_COST_PLACE = f.exactlyOne('currency', 'stockId', 'stockNo')

const costFields = {
  ...f.pricedProduct,
  gtin: f.pricedProduct.gtin.describe(
    'The EAN or GTIN of one of its sizes. Beside a productId, this goes to the platform.',
  ),
  price: f.Price.describe('What one costs the retailer, without VAT.'),
}

/** `productExtId` is not in the specification (L97-101), and stands alone. */
const ONE_VARIANT: f.Refinement = [
  ({ productExtId, gtin, productId }) => Boolean(productExtId) !== Boolean(gtin ?? productId),
  { error: 'gtin, productId or both of one product, or productExtId alone', when: f.when },
]

/** Spec, "Cost price update". */
export const costPrices = resource({
  kind: 'CostPriceSubmitted',
  item: z
    .strictObject({ ...costPlace, ...costFields })
    .refine(...ONE_VARIANT)
    .refine(...ONE_COST_PLACE),
  group: {
    list: 'costPrices',
    common: z.strictObject(costPlace).refine(...ONE_COST_PLACE),
    each: z.strictObject(costFields).refine(...ONE_VARIANT),
  },
  finds: {
    stockId: (cost, context): Checked<string | null> | null =>
      cost.currency ? { value: null } : stockOf(cost, context),
  },
  take: ({ stockNo: _, ...cost }, { stockId }) => ({
    payload: f.compact({ ...cost, stockId }) satisfies SubmittedCostPrice,
  }),
  examples: [
    { currency: 'NOK', costPrices: [{ gtin: '7040000010017', price: 120.5 }] },
    { currency: 'NOK', gtin: '7040000010017', price: 120.5 },
  ],
})

/** Spec, "Delivery (create request)". */
export const goodsDeliveries = resource({
  kind: 'DeliverySubmitted',
  item: z
    .strictObject({
      extRef: f.Key.describe('What the sender knows the delivery by: the same extRef is the same delivery.'),
      ...f.whichStore,
      orderDate: f.Time.nullish().describe('When the goods were ordered.'),
      expectedDeliveryDate: f.Time.nullish().describe('When they should arrive.'),
      comment: f.Text.nullish().describe('For the staff that receives them.'),
      insertAsConfirmed: z
        .boolean()
        .describe('true: staff must still receive the goods; false: they are in the stock at once.'),
      orderLines: z
        .array(
          z.strictObject({
            gtin: f.Gtin,
            qty: f.Pieces,
            cost: f.Price.nullish().describe('Of one, without VAT. It holds for all sizes of the variant.'),
          }),
        )
        .min(1)
        .describe('What is on its way.'),
    })
    .refine(...f.ONE_STORE),
  finds: { place: locationOf },
  take: ({ storeNo: _, ...delivery }, { place }) => ({
    payload: f.compact({ ...delivery, ...place }) satisfies SubmittedDelivery,
  }),
  examples: [
    {
      extRef: 'PO-5001',
      storeNo: '104',
      expectedDeliveryDate: '2026-11-24T07:00:00Z',
      insertAsConfirmed: true,
      orderLines: [{ gtin: '7040000010017', qty: 12, cost: 120.5 }],
    },
  ],
})

/** Public facts, "ProductMove". */
export const transfers = resource({
  kind: 'TransferSubmitted',
  item: z
    .strictObject({
      extRef: f.Key.describe('What the sender knows the transfer by: the same extRef is the same transfer.'),
      ...f.whichStore,
      toStockId: f.OptionalId.describe("The platform's id of the stock that gets the goods."),
      toStockNo: f.Name.nullish().describe('The number of the store whose stock it is, instead of toStockId.'),
      orderDate: f.Time.nullish().describe('When the transfer was ordered.'),
      expectedDeliveryDate: f.Time.nullish().describe('When the goods should arrive.'),
      comment: f.Text.nullish().describe('For the staff that sends and receives them.'),
      insertAsReceived: z
        .boolean()
        .describe('true: the goods are in the other stock at once; false: its staff must still receive them.'),
      productLines: z
        .array(
          z.strictObject({ gtin: f.Gtin, qty: f.Pieces, cost: f.Price.nullish().describe('Of one, without VAT.') }),
        )
        .min(1)
        .describe('What is on its way.'),
    })
    .refine(...f.ONE_STORE)
    .refine(...f.exactlyOne('toStockId', 'toStockNo')),
  finds: {
    from: locationOf,
    to(transfer, context) {
      const to = stockOf({ stockId: transfer.toStockId, stockNo: transfer.toStockNo }, context, 'toStockNo')
      const from = locationOf(transfer, context)
      if (!to || !from || 'faults' in to || 'faults' in from || to.value !== from.value.stockId) return to
      const at = transfer.toStockId ? 'toStockId' : 'toStockNo'
      return { faults: [fault([at], 'the stock that sends', 'another stock')] }
    },
  },
  rules: [linesInPieces('productLines')],
  take: ({ extRef, orderDate, expectedDeliveryDate, comment, insertAsReceived, productLines }, { from, to }) => ({
    payload: f.compact({
      ...{ extRef, storeId: from.storeId, fromStockId: from.stockId, toStockId: to },
      ...{ orderDate, expectedDeliveryDate, comment, received: insertAsReceived, lines: productLines },
    }) satisfies SubmittedTransfer,
  }),
  examples: [
    {
      extRef: 'T-88',
      storeNo: '104',
      toStockId: 3011,
      insertAsReceived: false,
      productLines: [{ gtin: '7040000010017', qty: 2 }],
    },
  ],
})

/** Public facts, "Delta correction". */
export const stockCorrections = resource({
  kind: 'CorrectionSubmitted',
  item: z
    .strictObject({
      extRef: f.Key.describe('What the sender knows the correction by: the same extRef is the same correction.'),
      ...f.whichStore,
      comment: f.Text.nullish().describe('Why: broken, stolen, found.'),
      orderLines: z
        .array(
          z.strictObject({
            gtin: f.Gtin,
            qty: f.Decimal.refine((qty) => Number(qty) !== 0, { error: 'a difference: not 0' }).describe(
              'A difference, not a level: so many more, or (below 0) fewer.',
            ),
          }),
        )
        .min(1)
        .describe('What there is more, or fewer, than the platform thinks.'),
    })
    .refine(...f.ONE_STORE),
  finds: {
    place(named, context) {
      const place = locationOf(named, context)
      const faults = place && 'value' in place ? writtenByAnother(place.value.stockId, ['stockId'], context) : []
      return faults.length > 0 ? { faults } : place
    },
  },
  rules: [linesInPieces('orderLines')],
  take: ({ extRef, comment, orderLines }, { place }) => ({
    payload: f.compact({ extRef, ...place, comment, lines: orderLines }) satisfies SubmittedCorrection,
  }),
  examples: [{ extRef: 'C-9', storeNo: '104', comment: 'Broken', orderLines: [{ gtin: '7040000010017', qty: -1 }] }],
})
