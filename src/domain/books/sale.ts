import type { Decimal, Money } from '../values/money.ts'

/** A sale of the till, as the hub reads it (spec, "Sale payload"). Texts that are empty on the wire are null. */
export interface Sale {
  /** The number of the receipt, or of the order, where a sale from outside has no receipt. */
  receiptNo: string
  receiptUrl: string | null
  /** The platform's number of the order, in endless aisle orders. */
  orderNo: string | null
  /** The store's wall clock, as the platform wrote it; no zone. */
  createdAt: string
  /** VAT included. */
  total: Money
  /** Null: the payload does not say. */
  vatTotal: Money | null
  lines: SaleLine[]
  payments: Payment[]
  store: SaleStore
  customer: Customer | null
  /** The platform's id of the customer who is attached; null: nobody is. */
  customerId: string | null
  shippingAddress: Address | null
  /** Endless aisle orders only. */
  shipping: Shipping | null
  /** Endless aisle orders only: which stock ships, and which till and person are named beside it. */
  fulfillment: Fulfillment | null
}

export interface SaleLine {
  rowId: string | null
  gtin: string | null
  sku: string | null
  /** A name for the article where nothing else is known; never empty. */
  name: string
  brand: string | null
  /** Color code. */
  variant: string | null
  color: string | null
  size: string | null
  /** The number of the style. */
  number: string | null
  group: string | null
  season: string | null
  imageUrl: string | null
  /** Negative: goods that came back. */
  quantity: Decimal
  /** The price of one piece, after discount, VAT included. */
  unitPrice: Money
  /** The price of the whole line, after discount, VAT included. */
  total: Money
  /** Part of `total`. Null: the payload does not say. */
  vat: Money | null
  /** A fraction: 0.25 is 25 %. Null: the payload does not say. */
  vatRate: Decimal | null
  /** The price of one piece before discount. Null: the payload does not say. */
  fullPrice: Money | null
  /** As the platform writes it: whether of one or of the whole line is not shown. Null: the payload does not say. */
  discount: Money | null
  /** As the platform writes it: whether a fraction or percent is not shown. Null: the payload does not say. */
  discountPercent: Decimal | null
  /** Why it came back or costs less, in the platform's words; what an entry holds is not shown. */
  reasons: string[]
  shipFromOnlineStore: boolean
}

interface Payment {
  /** `Card`, `Cash` … as the platform writes it. */
  type: string
  /** The card's scheme, for instance. */
  subType: string | null
  amount: Money
  /** The money handed over, in its own currency; null: the payload does not say, or names no currency. */
  tendered: Money | null
  /** The payment's own reference (spec, Events 4). */
  transaction: string | null
  /** Text of the payment, such as the slip of the terminal; it may tell of the customer's card. */
  slip: string | null
}

interface SaleStore {
  /** The retailer's own number of the store. */
  number: string | null
  name: string | null
  organizationNumber: string | null
  posId: string | null
  posName: string | null
  salesPerson: string | null
  address: Address | null
}

export interface Customer {
  firstName: string | null
  lastName: string | null
  companyName: string | null
  email: string | null
  /** With its country prefix, where that is known: `+47 91234567`. */
  phone: string | null
  /** The id the retailer's own systems know the customer by. */
  number: string | null
  address: Address | null
}

export interface Address {
  firstName: string | null
  lastName: string | null
  address1: string | null
  city: string | null
  postalCode: string | null
  country: string | null
  /** ISO 3166, in capitals: `NO`. */
  countryCode: string | null
}

/** The four fixed positions of shipmentInfo, by name (spec, "fulfillmentLocation"). */
export interface Shipping {
  carrierId: string | null
  carrierService: string | null
  rateId: string | null
  pickupPointId: string | null
}

/** Where an endless aisle order is carried out (spec, "fulfillmentLocation"). */
export interface Fulfillment {
  stockId: string | null
  stockName: string | null
  posId: string | null
  personId: string | null
}
