import { z } from 'zod'

const PLACE = { stockName: z.string(), stockId: z.int(), posId: z.int(), personId: z.int() }

/** Spec, "Omnichannel order update webhook payload". */
export const OrderUpdate = z.strictObject({
  order: z.strictObject({
    orderNo: z.string(),
    id: z.guid(),
    status: z.enum(['UnHandled', 'Shipped', 'Picked', 'Rejected', 'Expired']),
    orderLines: z.array(
      z.strictObject({
        quantity: z.number(),
        gtin: z.string(),
        rowId: z.string().nullable(),
        status: z.string(),
      }),
    ),
    fulfillmentLocation: z.strictObject({
      ...PLACE,
      shipments: z.exactOptional(
        z.array(z.strictObject({ id: z.string(), items: z.array(z.strictObject({ gtin: z.string() })) })),
      ),
    }),
  }),
})

/** Spec, "Refund update webhook payload". */
export const RefundUpdate = z.strictObject({
  refund: z.strictObject({
    orderNo: z.string(),
    id: z.guid(),
    status: z.string(),
    isRefunded: z.boolean(),
    orderLines: z.array(
      z.strictObject({ quantity: z.number(), gtin: z.string(), id: z.string().nullable(), status: z.string() }),
    ),
    fulfillmentLocation: z.strictObject({ ...PLACE, shipmentInfo: z.array(z.string()) }),
  }),
})
