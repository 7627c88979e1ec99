import type { Decimal, Money } from '../values/money.ts'

/** A POS sale (spec, "Sale payload"). Empty texts are null. */
export interface Sale {
  /** Receipt number, or order number of an external sale. */
  receiptNo: string
  receiptUrl: string | null
  /** In endless aisle orders. */
  orderNo: string | null
  /** Store-local, as written. */
  createdAt: string
  /** VAT included. */
  total: Money
  vatTotal: Money | null
  lines: SaleLine[]
  payments: Payment[]
  store: SaleStore
  customer: Customer | null
  /** Null: none attached. */
  customerId: string | null
  shippingAddress: Address | null
  /** Endless aisle only. */
  shipping: Shipping | null
  fulfillment: Fulfillment | null
}

export interface SaleLine {
  rowId: string | null
  gtin: string | null
  sku: string | null
  /** Never empty. */
  name: string
  brand: string | null
  /** Color code. */
  variant: string | null
  color: string | null
  size: string | null
  /** Style number. */
  number: string | null
  group: string | null
  season: string | null
  imageUrl: string | null
  /** Negative: returned. */
  quantity: Decimal
  /** After discount, VAT included. */
  unitPrice: Money
  /** After discount, VAT included. */
  total: Money
  vat: Money | null
  vatRate: Decimal | null
  /** Before discount. */
  fullPrice: Money | null
  /** Per piece or line: undocumented. */
  discount: Money | null
  /** Fraction or percent: undocumented. */
  discountPercent: Decimal | null
  /** Reasons of return or discount, as written. */
  reasons: string[]
  shipFromOnlineStore: boolean
}

interface Payment {
  /** `Card`, `Cash` …, as written. */
  type: string
  /** Card scheme, for instance. */
  subType: string | null
  amount: Money
  /** Null: not given, or without currency. */
  tendered: Money | null
  /** Spec, Events 4. */
  transaction: string | null
  /** May contain card data of the customer. */
  slip: string | null
}

interface SaleStore {
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
  /** With prefix if known: `+47 91234567`. */
  phone: string | null
  /** Id in the retailer's systems. */
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
  /** ISO 3166, upper case. */
  countryCode: string | null
}

/** shipmentInfo's four positions (spec, "fulfillmentLocation"). */
export interface Shipping {
  carrierId: string | null
  carrierService: string | null
  rateId: string | null
  pickupPointId: string | null
}

/** Spec, "fulfillmentLocation". */
export interface Fulfillment {
  stockId: string | null
  stockName: string | null
  posId: string | null
  personId: string | null
}
