import type { readPayload } from '../../orders/read-payload.ts'

/** An order as the API behind tells it. */
type Known = ReturnType<typeof readPayload>

/** The states of lines that this API has for those that stores give them. */
const LINE_STATUS = { UnHandled: 'UnHandled', Picked: 'Accepted', Declined: 'Rejected' } as const

/** The order as it is read: the fields that are documented, and no other. VAT of 25 % is taken for everything. */
export function orderRecord(known: Known): object {
  const { customer, billingAddress, shippingAddress, orderLines, paymentLines, fulfillmentLocation: place } = known
  const total = orderLines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const { phoneCountryCode = null, ...person } = customer
  return {
    receiptNo: null,
    receiptFormatted: null,
    receiptUrl: known.receiptUrl ?? null,
    orderId: known.orderId,
    orderNo: known.orderNo,
    orderType: known.orderType,
    createdDateTime: known.createdDateTime,
    updatedDateTime: known.updatedDateTime,
    dueDateTime: null,
    expirationDateTime: null,
    comment: null,
    reservationLengthInHours: known.reservationLengthInHours ?? null,
    paymentLines: paymentLines.map(({ type, currency, amount }, index) => ({
      type,
      subType: null,
      currency,
      currencyTendered: amount,
      txRef: null,
      text: null,
      amount,
      rowId: String(index + 1),
    })),
    orderLines: orderLines.map(({ rowId, gtin, quantity, price, status }) => ({
      quantity,
      gtin,
      price,
      vat: vatWithin(price * quantity),
      vatPercent: 0.25,
      fullPrice: price,
      discount: 0,
      discountPercent: 0,
      sizeText: null,
      rowId,
      externalSKU: null,
      receiptLabel: null,
      status: LINE_STATUS[status],
      shipFromOnlineStore: null,
    })),
    orderEvents: [],
    shipmentInfo: null,
    fulfillmentLocation: {
      ...place,
      shipmentInfo: [],
      shipments: place.shipments.map(({ id, items }) => ({
        id,
        shipmentInfo: [],
        items: items.map(({ gtin }) => ({ rowId: null, gtin, externalSKU: null })),
        deliveryOptionRaw: null,
        dropPointRaw: null,
      })),
    },
    store: known.store,
    customer: {
      companyName: null,
      taxId: null,
      ...person,
      phoneCountryPrefix: phoneCountryCode,
      ...(billingAddress && { address: billingAddress }),
    },
    ...(shippingAddress && { shippingAddress }),
    vatTotal: vatWithin(total),
    total: round(total),
    status: known.status,
  }
}

function vatWithin(amount: number): number {
  return round(amount / 5)
}

function round(amount: number): number {
  return Math.round(amount * 100) / 100
}
