import { randomUUID } from 'node:crypto'
import type { Store } from '../stores.ts'
import type { Strange } from '../strange.ts'
import { isPickup, type Order } from './order.ts'

/** The payload of OmniChannelOrderUpdated (spec, "Omnichannel order update webhook payload"). */
export function updatePayload(order: Order, { listsNoParcels }: Pick<Strange, 'listsNoParcels'>) {
  const { body, id, status, lines, store, shipments } = order
  return {
    order: {
      orderNo: body.orderNo,
      id,
      status,
      orderLines: lines.map((line) => ({
        quantity: line.quantity,
        gtin: line.gtin,
        rowId: line.rowId,
        status: line.status,
      })),
      // Only of orders that the store ships.
      fulfillmentLocation: { ...locationOf(store), ...((listsNoParcels || !isPickup(order)) && { shipments }) },
    },
  }
}

/** The goods that came back in a store, and whether the customer has the money already. */
export interface Returned {
  orderNo: string
  lines: readonly { gtin: string; quantity: number; rowId?: string | null }[]
  /** true: the POS gave it back. false: the OMS must. */
  isRefunded: boolean
}

/** The payload of OmniChannelOrderRefundUpdated (spec, "Refund update webhook payload"). */
export function refundPayload({ orderNo, lines, isRefunded }: Returned, store: Store) {
  return {
    refund: {
      orderNo,
      id: randomUUID(),
      status: 'Returned',
      isRefunded,
      orderLines: lines.map(({ gtin, quantity, rowId = null }) => ({ quantity, gtin, id: rowId, status: 'Returned' })),
      fulfillmentLocation: { ...locationOf(store), shipmentInfo: [] },
    },
  }
}

export function locationOf({ StockId, StoreId, StoreName }: Store) {
  return { stockName: StoreName, stockId: StockId, posId: StoreId * 10 + 1, personId: 55 }
}
