import { flag, idText, text } from '../../../domain/values/field.ts'
import { type Client, queryList } from '../../http/client.ts'
import { decimal, type Listed } from '../../http/read.ts'
import { asIs, body, each, first, itself, must, named, optional, rows, shape } from '../../http/shape.ts'
import { idIfShown, sentDecimal, sentId, sentText, sentTime, unsendable } from '../../http/written.ts'

const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

const TEXT = asIs<string>()
const LINE = { gtin: sentText, qty: sentDecimal }
const COSTED = { ...LINE, cost: optional(sentDecimal) }

/** Spec, "Delivery (create request)". */
export const writeDelivery = body({
  /** Makes it repeatable at the public API. */
  requestId: optional((requestId: string, at: string) => {
    if (GUID.test(requestId)) return requestId
    throw unsendable(at, 'must be a GUID.')
  }),
  ...{ extRef: sentText, stockId: sentId, storeId: sentId },
  /** true: staff must still receive it; false: it is in the stock at once (public API). */
  insertAsConfirmed: (value: boolean) => value,
  ...{ orderDate: optional(sentTime), expectedDeliveryDate: optional(sentTime), comment: TEXT },
  orderLines: each('order line', body(COSTED)),
})
export type NewDelivery = Parameters<typeof writeDelivery>[0]

/** Spec, GetOrdersV3. Days and codes as written. */
export const deliveryShape = shape({
  orderId: must(idText, 'OrderId'),
  number: first(text, 'Ordernumber'),
  description: first(text, 'Description'),
  orderDate: first(text, 'OrderDate'),
  brand: first(text, 'Brand'),
  season: first(text, 'Season'),
  confirmedQuantity: first(decimal, 'TotalConfirmedQty'),
  confirmedCost: first(decimal, 'TotalConfirmedCost'),
  receivedQuantity: first(decimal, 'TotalReceivedQty'),
  receivedCost: first(decimal, 'TotalReceivedCost'),
  stockId: first(idText, 'ToStockId'),
  type: first(text, 'OrderType'),
  status: first(text, 'OrderStatus'),
  completed: first(flag, 'Completed'),
  products: rows(
    'product',
    'Products',
    shape({
      productId: first(idText, 'ProductId'),
      gtin: first(text, 'Identifier'),
      name: first(text, 'Name'),
      number: first(text, 'Number'),
      variant: first(text, 'Variant'),
      color: first(text, 'Color'),
      label: first(text, 'Label'),
      description: first(text, 'Description'),
      confirmedQuantity: first(decimal, 'QtyConfirmed'),
      receivedQuantity: first(decimal, 'QtyReceived'),
      cost: first(decimal, 'Cost'),
    }),
  ),
  record: itself,
})
export type DeliveryOrder = ReturnType<typeof deliveryShape>

export function createDeliveries(client: Client) {
  const heedsRequestId = () => client.endpoint('deliveries.create').requestId === 'heeded'
  return {
    async create(delivery: NewDelivery, signal?: AbortSignal): Promise<string | null> {
      const { requestId, ...body } = writeDelivery(delivery, 'deliveries.create')
      const sent = requestId !== undefined && heedsRequestId() ? { requestId, ...body } : body
      const answer = await client.write('deliveries.create', { body: sent, signal })
      return idIfShown(answer, 'deliveries.create', 'orderId', client.endpoint('deliveries.create').known)
    },

    heedsRequestId,

    async list(stockId: string, signal?: AbortSignal): Promise<Listed<DeliveryOrder>> {
      const id = String(sentId(stockId, 'deliveries.list: the stockId'))
      return await queryList(client, 'deliveries.list', {
        call: { query: { stockId: id }, signal },
        about: `stock ${id}`,
        what: 'delivery order',
        read: deliveryShape,
        isAsked: (record) => (idText(record, 'ToStockId') ?? id) === id,
      })
    },
  }
}

export const writeTransfer = body({
  ...{ extRef: sentText, fromStockId: named('stockId', sentId), storeId: sentId, toStockId: sentId },
  ...{ orderDate: optional(sentTime), expectedDeliveryDate: optional(sentTime), comment: TEXT },
  // The platform's spelling.
  received: named('insertAsRecevied', (value: boolean) => value),
  lines: named('productLines', each('line', body(COSTED))),
})

export function createTransfers(client: Client) {
  return {
    async create(transfer: Parameters<typeof writeTransfer>[0], signal?: AbortSignal): Promise<string | null> {
      const body = writeTransfer(transfer, 'transfers.create')
      if (transfer.fromStockId === transfer.toStockId)
        throw unsendable('transfers.create:', 'a stock sends nothing to itself.')
      const answer = await client.write('transfers.create', { body, signal })
      return idIfShown(answer, 'transfers.create', 'transferId', client.endpoint('transfers.create').known)
    },
  }
}

export const writeCorrection = body({
  ...{ extRef: sentText, stockId: sentId, storeId: sentId, comment: TEXT },
  lines: named('orderLines', each('line', body(LINE))),
})

export function createCorrections(client: Client) {
  return {
    async create(correction: Parameters<typeof writeCorrection>[0], signal?: AbortSignal): Promise<void> {
      await client.write('corrections.create', { body: writeCorrection(correction, 'corrections.create'), signal })
    },
  }
}
