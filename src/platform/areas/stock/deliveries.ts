import { field, flag, idText, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import { decimal, type Listed, readList, readListed, requiredId, type WireRecord } from '../../http/read.ts'
import {
  given,
  idIfShown,
  type SentTime,
  sentDecimal,
  sentId,
  sentText,
  sentTime,
  unsendable,
} from '../../http/written.ts'

/** Goods on their way to a store (spec, "Delivery (create request)"). */
export interface NewDelivery {
  extRef: string
  stockId: string
  storeId: string
  orderDate?: SentTime | undefined
  expectedDeliveryDate?: SentTime | undefined
  comment?: string | undefined
  /** As the public API says: true, staff must still receive it; false, it is in the stock at once. */
  insertAsConfirmed: boolean
  /** Quantities and costs as decimal text. A cost holds for all sizes of the variant. */
  orderLines: readonly { gtin: string; qty: string; cost?: string | undefined }[]
  /** A GUID: the public API carries out one delivery for it, however often it is sent. Sent where it is heeded alone. */
  requestId?: string | undefined
}

export interface DeliveryOrder {
  orderId: string
  number: string | null
  description: string | null
  /** The day as written: its zone is not shown. */
  orderDate: string | null
  brand: string | null
  season: string | null
  confirmedQuantity: Decimal | null
  confirmedCost: Decimal | null
  receivedQuantity: Decimal | null
  receivedCost: Decimal | null
  stockId: string | null
  /** Codes as written: what they mean is not shown. */
  type: string | null
  status: string | null
  completed: boolean | null
  products: DeliveryProduct[]
  /** The delivery as the platform wrote it, fields that the hub does not know included. */
  record: WireRecord
}

interface DeliveryProduct {
  productId: string | null
  gtin: string | null
  name: string | null
  number: string | null
  variant: string | null
  color: string | null
  label: string | null
  description: string | null
  confirmedQuantity: Decimal | null
  receivedQuantity: Decimal | null
  cost: Decimal | null
}

/** Deliveries to stores (spec, "Deliveries"). */
export interface Deliveries {
  /**
   * PUT /api/Delivery (`frontsystems-v2`: PUT /api/PurchaseOrder). Gives the id of the order; an id of 0 or below is a
   * PermanentError `refused`. Where the answer is documented, one without an id is an UnknownOutcomeError `no-id`; where it is
   * not (spec), a success is one, and without an id gives null.
   */
  create(delivery: NewDelivery, signal?: AbortSignal): Promise<string | null>
  /** Whether one `requestId` is known to be carried out once, however often it is sent. */
  heedsRequestId(): boolean
  /** GET /api/GetOrdersV3: the deliveries to one stock. */
  list(stockId: string, signal?: AbortSignal): Promise<Listed<DeliveryOrder>>
}

export function createDeliveries(client: Client): Deliveries {
  const heedsRequestId = () => client.endpoint('deliveries.create').requestId === 'heeded'
  return {
    async create(delivery, signal) {
      const { requestId, ...body } = deliveryBody(delivery)
      // Where no document has it, it would be a field that the platform does not know.
      const sent = heedsRequestId() ? { ...given({ requestId }), ...body } : body
      const answer = await client.write('deliveries.create', { body: sent, signal })
      return idIfShown(answer, 'deliveries.create', 'orderId', client.endpoint('deliveries.create').known)
    },

    heedsRequestId,

    async list(stockId, signal) {
      const id = String(sentId(stockId, 'deliveries.list: the stockId'))
      const { rows, aside } = await client.read('deliveries.list', { query: { stockId: id }, signal }, (answer) =>
        readListed(answer, 'delivery order', readOrder),
      )
      client.aside('deliveries.list', `stock ${id}`, aside)
      // A parameter that the platform does not know is ignored by it in silence.
      return { rows: rows.filter((order) => order.stockId === null || order.stockId === id), aside }
    },
  }
}

const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

function deliveryBody({ orderLines, requestId, orderDate, expectedDeliveryDate, comment, ...delivery }: NewDelivery) {
  const call = 'deliveries.create:'
  if (requestId !== undefined && !GUID.test(requestId)) throw unsendable(call, 'requestId must be a GUID.')
  if (orderLines.length === 0) throw unsendable(call, 'a delivery needs orderLines.')
  return {
    requestId,
    extRef: sentText(delivery.extRef, `${call} the extRef`),
    stockId: sentId(delivery.stockId, `${call} the stockId`),
    storeId: sentId(delivery.storeId, `${call} the storeId`),
    insertAsConfirmed: delivery.insertAsConfirmed,
    ...given({
      orderDate: sentTime(orderDate, `${call} orderDate`),
      expectedDeliveryDate: sentTime(expectedDeliveryDate, `${call} expectedDeliveryDate`),
      comment,
    }),
    orderLines: orderLines.map(({ gtin, qty, cost }, index) => {
      const where = `${call} order line ${index + 1}`
      return {
        gtin: sentText(gtin, `${where}: the gtin`),
        qty: sentDecimal(qty, `${where}: qty`),
        ...given({ cost: cost === undefined ? undefined : sentDecimal(cost, `${where}: cost`) }),
      }
    }),
  }
}

function readOrder(record: WireRecord): DeliveryOrder {
  return {
    orderId: requiredId(record, 'OrderId'),
    number: text(record, 'Ordernumber'),
    description: text(record, 'Description'),
    orderDate: text(record, 'OrderDate'),
    brand: text(record, 'Brand'),
    season: text(record, 'Season'),
    confirmedQuantity: decimal(record, 'TotalConfirmedQty'),
    confirmedCost: decimal(record, 'TotalConfirmedCost'),
    receivedQuantity: decimal(record, 'TotalReceivedQty'),
    receivedCost: decimal(record, 'TotalReceivedCost'),
    stockId: idText(record, 'ToStockId'),
    type: text(record, 'OrderType'),
    status: text(record, 'OrderStatus'),
    completed: flag(record, 'Completed'),
    products: readList(field(record, 'Products'), 'product', readProduct),
    record,
  }
}

function readProduct(record: WireRecord): DeliveryProduct {
  return {
    productId: idText(record, 'ProductId'),
    gtin: text(record, 'Identifier'),
    name: text(record, 'Name'),
    number: text(record, 'Number'),
    variant: text(record, 'Variant'),
    color: text(record, 'Color'),
    label: text(record, 'Label'),
    description: text(record, 'Description'),
    confirmedQuantity: decimal(record, 'QtyConfirmed'),
    receivedQuantity: decimal(record, 'QtyReceived'),
    cost: decimal(record, 'Cost'),
  }
}

/** Goods that go from one stock to another (public documentation, ProductMove). Quantities and costs are decimal text. */
interface NewTransfer {
  extRef: string
  fromStockId: string
  storeId: string
  toStockId: string
  orderDate?: SentTime | undefined
  expectedDeliveryDate?: SentTime | undefined
  comment?: string | undefined
  /** true: they are in the other stock at once; false: its staff must still receive them. */
  received: boolean
  lines: readonly { gtin: string; qty: string; cost?: string | undefined }[]
}

export interface Transfers {
  /** PUT /api/ProductTransfer; gives its id, see idIfShown. Nobody says that one is carried out once: an uncertain one must not be sent again. */
  create(transfer: NewTransfer, signal?: AbortSignal): Promise<string | null>
}

/** The transfer area of a client. What cannot be sent is a PermanentError that names it, before anything is sent. */
export function createTransfers(client: Client): Transfers {
  return {
    async create(transfer, signal) {
      const answer = await client.write('transfers.create', { body: transferBody(transfer), signal })
      return idIfShown(answer, 'transfers.create', 'transferId', client.endpoint('transfers.create').known)
    },
  }
}

function transferBody({ lines, orderDate, expectedDeliveryDate, ...transfer }: NewTransfer) {
  const call = 'transfers.create:'
  if (lines.length === 0) throw unsendable(call, 'a transfer needs lines.')
  if (transfer.fromStockId === transfer.toStockId) throw unsendable(call, 'a stock sends nothing to itself.')
  return {
    extRef: sentText(transfer.extRef, `${call} the extRef`),
    stockId: sentId(transfer.fromStockId, `${call} the fromStockId`),
    storeId: sentId(transfer.storeId, `${call} the storeId`),
    toStockId: sentId(transfer.toStockId, `${call} the toStockId`),
    ...given({
      orderDate: sentTime(orderDate, `${call} orderDate`),
      expectedDeliveryDate: sentTime(expectedDeliveryDate, `${call} expectedDeliveryDate`),
      comment: transfer.comment,
    }),
    // The platform writes the name so.
    insertAsRecevied: transfer.received,
    productLines: lines.map(({ gtin, qty, cost }, index) => {
      const where = `${call} line ${index + 1}`
      return {
        gtin: sentText(gtin, `${where}: the gtin`),
        qty: sentDecimal(qty, `${where}: qty`),
        ...given({ cost: cost === undefined ? undefined : sentDecimal(cost, `${where}: cost`) }),
      }
    }),
  }
}
