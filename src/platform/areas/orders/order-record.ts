import { statusWord } from '../../../domain/orders/order-update.ts'
import { field, idText, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import { decimal, isRecord, readList, requiredId, type WireRecord, whole } from '../../http/read.ts'

/** An online order as the platform has it; the spec does not show the record. What it did not write, or left empty, is null. */
export interface PlatformOrder {
  orderId: string | null
  orderNo: string | null
  /** `BOPIS`, `BOSS`, `ROPIS` … as written. */
  type: string | null
  /** `UnHandled`, `Picked`, `Shipped`, `Rejected`, `Expired`, `Returned` … as the rules name them: others may come, as written. */
  status: string | null
  /** Times as written: their zone is not shown. */
  created: string | null
  updated: string | null
  due: string | null
  expires: string | null
  reservationLengthInHours: number | null
  comment: string | null
  lines: OrderLine[]
  payments: OrderPayment[]
  /** The order's history, in the words of the platform. */
  events: { at: string | null; text: string | null; type: string | null }[]
  store: { extId: string | null; name: string | null } | null
  /** The place where it is carried out. */
  fulfillment: Fulfillment | null
  customer: OrderCustomer | null
  /** `billingAddress` of the order, else `address` of its customer. */
  billingAddress: Address | null
  /** The address to ship to; null: the customer fetches the goods. */
  shippingAddress: Address | null
  total: Decimal | null
  vatTotal: Decimal | null
  record: WireRecord
}

interface OrderLine {
  rowId: string | null
  gtin: string | null
  externalSKU: string | null
  quantity: Decimal | null
  /** The price of one piece. */
  price: Decimal | null
  fullPrice: Decimal | null
  discount: Decimal | null
  vat: Decimal | null
  /** `UnHandled`, `Picked`, `Declined`, `Accepted`, `Rejected` … as the rules name them. */
  status: string | null
}

interface OrderPayment {
  type: string | null
  subType: string | null
  amount: Decimal | null
  currency: string | null
  reference: string | null
}

interface Fulfillment {
  stockId: string | null
  stockName: string | null
  posId: string | null
  personId: string | null
  /** Parcels of an order that the store ships; null where the record does not tell. */
  shipments: { id: string | null; items: { gtin: string | null; rowId: string | null }[] }[] | null
}

interface OrderCustomer {
  firstName: string | null
  lastName: string | null
  companyName: string | null
  email: string | null
  phone: string | null
  phoneCountryPrefix: string | null
}

interface Address {
  firstName: string | null
  lastName: string | null
  companyName: string | null
  address1: string | null
  address2: string | null
  city: string | null
  province: string | null
  postalCode: string | null
  country: string | null
  countryCode: string | null
  comment: string | null
}

/** Reads either platform's order, numbers as text included. Throws where it has neither id nor number. */
export function readOrder(record: WireRecord): PlatformOrder {
  requiredId(record, 'orderNo', 'orderId')
  const customer = part(record, 'customer')
  return {
    orderId: idText(record, 'orderId'),
    orderNo: idText(record, 'orderNo'),
    type: text(record, 'orderType'),
    status: statusWord(text(record, 'status')),
    created: text(record, 'createdDateTime') ?? text(record, 'saleDateTime'),
    updated: text(record, 'updatedDateTime'),
    due: text(record, 'dueDateTime'),
    expires: text(record, 'expirationDateTime'),
    reservationLengthInHours: whole(record, 'reservationLengthInHours'),
    comment: text(record, 'comment'),
    lines: readList(field(record, 'orderLines'), 'line', readLine),
    payments: readList(field(record, 'paymentLines'), 'payment', readPayment),
    events: readList(field(record, 'orderEvents'), 'event', readEvent),
    store: readStore(part(record, 'store')),
    fulfillment: readFulfillment(part(record, 'fulfillmentLocation')),
    customer: customer && readCustomer(customer),
    billingAddress: readAddress(part(record, 'billingAddress')) ?? readAddress(part(customer, 'address')),
    shippingAddress: readAddress(part(record, 'shippingAddress')),
    total: decimal(record, 'total'),
    vatTotal: decimal(record, 'vatTotal'),
    record,
  }
}

function readLine(record: WireRecord): OrderLine {
  return {
    rowId: idText(record, 'rowId'),
    gtin: text(record, 'gtin'),
    externalSKU: text(record, 'externalSKU'),
    quantity: decimal(record, 'quantity'),
    price: decimal(record, 'price'),
    fullPrice: decimal(record, 'fullPrice'),
    discount: decimal(record, 'discount'),
    vat: decimal(record, 'vat'),
    status: statusWord(text(record, 'status')),
  }
}

function readPayment(record: WireRecord): OrderPayment {
  return {
    type: text(record, 'type'),
    subType: text(record, 'subType'),
    amount: decimal(record, 'amount'),
    currency: text(record, 'currency')?.toUpperCase() ?? null,
    reference: text(record, 'txRef'),
  }
}

function readEvent(record: WireRecord) {
  return { at: text(record, 'createdDateTime'), text: text(record, 'text'), type: text(record, 'eventType') }
}

function readStore(record: WireRecord | null): PlatformOrder['store'] {
  return record && { extId: text(record, 'storeExtId'), name: text(record, 'storeName') }
}

function readFulfillment(record: WireRecord | null): Fulfillment | null {
  if (!record) return null
  const shipments = field(record, 'shipments')
  return {
    stockId: idText(record, 'stockId'),
    stockName: text(record, 'stockName'),
    posId: text(record, 'posId'),
    personId: idText(record, 'personId'),
    shipments:
      shipments === undefined || shipments === null
        ? null
        : readList(shipments, 'shipment', (shipment) => ({
            id: idText(shipment, 'id'),
            items: readList(field(shipment, 'items'), 'item', (item) => ({
              gtin: text(item, 'gtin'),
              rowId: idText(item, 'rowId'),
            })),
          })),
  }
}

function readCustomer(record: WireRecord): OrderCustomer {
  return {
    firstName: text(record, 'firstName'),
    lastName: text(record, 'lastName'),
    companyName: text(record, 'companyName'),
    email: text(record, 'email'),
    phone: text(record, 'phone'),
    phoneCountryPrefix: text(record, 'phoneCountryPrefix') ?? text(record, 'phoneCountryCode'),
  }
}

/** The address; null also where nothing stands in it: the platform writes empty ones. */
function readAddress(record: WireRecord | null): Address | null {
  if (!record) return null
  const address = {
    firstName: text(record, 'firstName'),
    lastName: text(record, 'lastName'),
    companyName: text(record, 'companyName'),
    address1: text(record, 'address1'),
    address2: text(record, 'address2'),
    city: text(record, 'city'),
    province: text(record, 'province'),
    postalCode: text(record, 'postalCode'),
    country: text(record, 'country'),
    countryCode: text(record, 'countryCode')?.toUpperCase() ?? null,
    comment: text(record, 'comment'),
  }
  return Object.values(address).some((value) => value !== null) ? address : null
}

function part(record: WireRecord | null, name: string): WireRecord | null {
  const found = field(record, name)
  return isRecord(found) ? found : null
}
