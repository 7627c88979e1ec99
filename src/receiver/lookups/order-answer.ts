import type { Address } from '../../domain/books/sale.ts'
import type { FoundOrder, FoundOrderLine } from '../../domain/orders/found-order.ts'
import { splitPhone } from '../../domain/people/phone.ts'
import type { Decimal } from '../../domain/values/money.ts'

/** The platform's own words for the state of an order (facts §3); another system's word would be a wrong one of them. */
const STATUSES = ['UnHandled', 'Shipped', 'Rejected', 'Picked', 'Returned']

/**
 * An order as the platform itself has one (facts §3, Order). What the hub does not know is null. Besides: the `name` of a
 * line, and `returnedQuantity`, how many of it came back already.
 */
export function platformOrder(order: FoundOrder) {
  return {
    receiptNo: null,
    receiptFormatted: null,
    receiptUrl: null,
    orderId: null,
    orderNo: order.number,
    orderType: null,
    createdDateTime: order.placedAt,
    updatedDateTime: null,
    dueDateTime: null,
    expirationDateTime: null,
    comment: othersOf(order),
    reservationLengthInHours: null,
    paymentLines: order.payments.map(({ type, amount, reference }) => ({
      type,
      subType: null,
      currency: order.currency,
      currencyTendered: null,
      txRef: reference,
      text: null,
      amount: Number(amount),
      rowId: null,
    })),
    orderLines: order.lines.map(lineOf),
    orderEvents: null,
    shipmentInfo: null,
    fulfillmentLocation: null,
    store: null,
    customer: customerOf(order),
    shippingAddress: addressOf(order.shippingAddress),
    vatTotal: null,
    total: Number(order.total),
    currency: order.currency,
    status: STATUSES.find((status) => status === order.status) ?? null,
  }
}

/** A warning for whoever looks at it: it may not be the order that the customer means. */
function othersOf({ number, tillId, others = [] }: FoundOrder): string | null {
  if (others.length === 0) return null
  const [is, other] =
    tillId === undefined ? ['a web order', 'an order of a till'] : ['an order of a till', 'a web order']
  return `${number} is ${is}. Its number is that of ${other}, too: ask for ${others.join(' or ')}.`
}

function lineOf(line: FoundOrderLine) {
  return {
    quantity: Number(line.quantity),
    returnedQuantity: Number(line.returned),
    gtin: line.gtin,
    price: Number(line.unitPrice),
    vat: null,
    vatPercent: numberOf(line.vatRate),
    fullPrice: null,
    discount: null,
    discountPercent: null,
    sizeText: null,
    rowId: line.rowId,
    externalSKU: line.sku,
    name: line.name,
    receiptLabel: line.name,
    status: null,
    shipFromOnlineStore: null,
  }
}

function customerOf({ customer, billingAddress }: FoundOrder) {
  if (customer === null) return null
  const { prefix, number } = splitPhone(customer.phone)
  return {
    email: customer.email,
    firstName: customer.firstName,
    lastName: customer.lastName,
    companyName: customer.companyName,
    taxId: null,
    phoneCountryPrefix: prefix,
    phone: number,
    address: addressOf(billingAddress),
  }
}

function addressOf(address: Address | null) {
  if (address === null) return null
  const { firstName, lastName, address1, city, postalCode, country, countryCode } = address
  return {
    firstName,
    lastName,
    companyName: null,
    address1,
    address2: null,
    city,
    province: null,
    postalCode,
    country,
    countryCode,
    comment: null,
  }
}

function numberOf(decimal: Decimal | null): number | null {
  return decimal === null ? null : Number(decimal)
}
