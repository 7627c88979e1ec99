import type { Decimal, Money } from '../values/money.ts'

/** A POS sale (spec, "Sale payload"). Empty texts are null. */
export interface Sale {
  /** Receipt number, or order number of an external sale. */
  receiptNo: string
  receiptUrl: string | null
  orderNo: string | null
  createdAt: string
  total: Money
  vatTotal: Money | null
  lines: SaleLine[]
  payments: Payment[]
  store: SaleStore
  customer: Customer | null
  customerId: string | null
  shippingAddress: Address | null
  shipping: Shipping | null
  fulfillment: Fulfillment | null
}

export interface SaleLine {
  rowId: string | null
  gtin: string | null
  sku: string | null
  name: string
  brand: string | null
  variant: string | null
  color: string | null
  size: string | null
  number: string | null
  group: string | null
  season: string | null
  imageUrl: string | null
  quantity: Decimal
  unitPrice: Money
  total: Money
  vat: Money | null
  vatRate: Decimal | null
  fullPrice: Money | null
  /** Per piece or line: undocumented. */
  discount: Money | null
  /** Fraction or percent: undocumented. */
  discountPercent: Decimal | null
  reasons: string[]
  shipFromOnlineStore: boolean
}

interface Payment {
  type: string
  subType: string | null
  amount: Money
  tendered: Money | null
  /** Spec, Events 4. */
  transaction: string | null
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
  phone: string | null
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
