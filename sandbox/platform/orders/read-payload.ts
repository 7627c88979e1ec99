import type { Order } from './order.ts'
import { locationOf } from './payload.ts'

/** The order as GET answers it (facts, §3 "Order"): numbers, whatever was sent. */
export function readPayload({ orderId, id, body, status, lines, shipments, store, createdAt, updatedAt }: Order) {
  return {
    ...body,
    orderId,
    id,
    orderType: body.shippingAddress ? 'BOSS' : body.paymentLines?.length ? 'BOPIS' : 'ROPIS',
    status,
    createdDateTime: utc(createdAt),
    updatedDateTime: updatedAt === null ? null : utc(updatedAt),
    orderLines: lines,
    paymentLines: (body.paymentLines ?? []).map((line) => ({ ...line, amount: Number(line.amount) })),
    store: { storeExtId: store.StoreNo, storeName: store.StoreName },
    fulfillmentLocation: { ...locationOf(store), shipments },
  }
}

function utc(instant: number): string {
  return new Date(instant).toISOString().slice(0, -1)
}
