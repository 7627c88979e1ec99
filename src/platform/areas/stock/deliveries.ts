import { field, flag, text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import type { Listed } from '../../http/listed.ts'
import { decimal, requiredId, type WireRecord } from '../../http/read.ts'
import { readList } from '../../http/read-list.ts'
import { readListed } from '../../http/read-rows.ts'
import { type SentTime, sentTime } from '../../http/sent-time.ts'
import { given, sentDecimal, sentId, sentText, unsendable } from '../../http/written.ts'
import { idIfShown } from '../../http/written-id.ts'

/** Goods on their way to a store (spec, "Delivery (create request)"). */
export interface NewDelivery {
  /** The reference that the sender knows the delivery by. */
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

/** A delivery as the platform lists it (spec, "Delivery order"). What it did not write is null. */
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

/** One size of a product in a delivery. */
interface DeliveryProduct {
  productId: string | null
  gtin: string | null
  name: string | null
  number: string | null
  variant: string | null
  color: string | null
  /** The size as people read it. */
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

/** The delivery area of a client. What cannot be sent is a PermanentError that names it, before anything is sent. */
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
