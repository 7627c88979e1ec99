import { z } from 'zod'
import { Day, LocalTime, PLACE } from './parts.ts'

const Home = z.strictObject({
  firstName: z.string(),
  lastName: z.string(),
  address1: z.string(),
  city: z.string(),
  postalCode: z.string(),
  country: z.string(),
  countryCode: z.string(),
})

const Customer = z.strictObject({
  customerId: z.int(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  companyName: z.string(),
  phoneCountryPrefix: z.string(),
  phone: z.string(),
  address: Home,
})

const Store = z.strictObject({
  storeExtId: z.string(),
  storeName: z.string(),
  organizationNumber: z.string(),
  posId: z.int(),
  posName: z.string(),
  salesPerson: z.string(),
  currency: z.string(),
  address: Home.omit({ firstName: true, lastName: true }),
})

const OrderLine = z.strictObject({
  rowId: z.string(),
  gtin: z.string().nullable(),
  externalSKU: z.string(),
  brand: z.string(),
  name: z.string(),
  variant: z.string(),
  number: z.string(),
  colour: z.string(),
  size: z.string(),
  sizeText: z.string(),
  group: z.string(),
  season: z.string(),
  imageUrl: z.string(),
  quantity: z.number(),
  price: z.number(),
  vat: z.number(),
  vatPercent: z.number(),
  fullPrice: z.number(),
  discount: z.number(),
  discountPercent: z.number(),
  receiptLabel: z.string(),
  shipFromOnlineStore: z.boolean(),
  reasons: z.array(z.unknown()),
})

const PaymentLine = z.strictObject({
  type: z.string(),
  subType: z.string().nullable(),
  currency: z.string(),
  currencyTendered: z.number(),
  txRef: z.string(),
  text: z.string(),
  amount: z.number(),
})

/** The sale payload (spec, "Sale payload"). */
export const Sale = z.strictObject({
  receiptNo: z.string(),
  receiptFormatted: z.string(),
  receiptUrl: z.string(),
  orderNo: z.string().nullable(),
  createdDateTime: LocalTime,
  updatedDateTime: LocalTime.nullable(),
  paymentLines: z.array(PaymentLine),
  orderLines: z.array(OrderLine),
  store: Store,
  customer: Customer,
  shippingAddress: Home,
  vatTotal: z.number(),
  total: z.number(),
})

/** An order of the online store, taken at a POS. */
export const EndlessAisle = Sale.extend({
  customer: Customer.extend({ customerExtId: z.string() }),
  fulfillmentLocation: z.strictObject({
    stockId: z.int(),
    stockName: z.string(),
    posId: z.int(),
    personId: z.int(),
    shipmentInfo: z.array(z.string()).length(4),
  }),
})

/** A receipt to send (spec, "Receipt webhook payload"). */
export const Receipt = z.strictObject({
  sendReceipt: Sale.extend({
    paymentLines: z.array(PaymentLine.pick({ type: true, subType: true, text: true, amount: true })),
  }),
  channel: z.enum(['Email', 'SMS']),
  recipient: z.string(),
  recipientName: z.string(),
  signatureInfo: z.strictObject({ signature: z.string(), keyVersion: z.string() }),
})

const PART_OF_SALE = {
  storeId: z.int(),
  store: Store,
  customer: Customer,
  currency: z.string(),
  orderLines: z.array(OrderLine),
  total: z.number(),
  vatTotal: z.number(),
  createdDateTime: LocalTime,
}

export const Invoice = z.strictObject({
  companyId: z.int(),
  invoiceId: z.int(),
  invoiceNo: z.string(),
  saleId: z.int(),
  receiptNo: z.string(),
  amount: z.number(),
  invoiceDate: Day,
  dueDate: Day,
  ...PART_OF_SALE,
})

export const SavedBasket = z.strictObject({
  companyId: z.int(),
  basketId: z.int(),
  basketGuid: z.guid(),
  ...PART_OF_SALE,
})

export const GiftCardTransaction = z.strictObject({
  ...PLACE,
  transactionId: z.int(),
  giftCardId: z.int(),
  token: z.string(),
  type: z.enum(['Issued', 'Used', 'PartlyUsed']),
  amount: z.number(),
  balance: z.number(),
  initialAmount: z.number(),
  currency: z.string(),
  saleId: z.int(),
  receiptNo: z.string(),
  posId: z.int(),
  createdDateTime: LocalTime,
})

export const Reconciliation = z.strictObject({
  ...PLACE,
  reconciliationId: z.int(),
  storeName: z.string(),
  posId: z.int(),
  posName: z.string(),
  terminalId: z.string(),
  currency: z.string(),
  count: z.int(),
  amount: z.number(),
  schemes: z.array(z.strictObject({ scheme: z.string(), count: z.int(), amount: z.number() })),
  text: z.string(),
  printedDateTime: LocalTime,
})

export const Settlement = z.strictObject({
  settlementId: z.int(),
  storeId: z.int(),
  storeExtId: z.string(),
  storeName: z.string(),
  posId: z.int(),
  posName: z.string(),
  batchNumber: z.string(),
  settlementTimeStamp: LocalTime,
  receiptNoFrom: z.int(),
  receiptNoTo: z.int(),
  currency: z.string(),
  grandTotal: z.number(),
  netTotal: z.number(),
  vatTotal: z.number(),
})
