import type { Texts } from '../values/field.ts'
import type { Decimal, Money } from '../values/money.ts'

/** A POS sale (spec, "Sale payload"). Empty texts are null. */
export interface Sale extends Texts<'receiptUrl' | 'orderNo' | 'customerId'> {
  receiptNo: string
  createdAt: string
  total: Money
  vatTotal: Money | null
  lines: SaleLine[]
  payments: Payment[]
  store: Texts<'number' | 'name' | 'organizationNumber' | 'posId' | 'posName' | 'salesPerson'> & Addressed
  customer: Customer | null
  shippingAddress: Address | null
  shipping: Shipping | null
  fulfillment: Fulfillment | null
}

/** `variant`: color code; `number`: of the style; `reasons`: of return or discount, as written. */
export interface SaleLine
  extends Texts<'rowId' | 'gtin' | 'sku' | 'brand' | 'variant' | 'color' | 'size' | 'number' | 'group' | 'season'>,
    Texts<'imageUrl'> {
  name: string
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

/** `slip` may contain card data of the customer. `transaction`: spec, Events 4. */
interface Payment extends Texts<'subType' | 'transaction' | 'slip'> {
  type: string
  amount: Money
  tendered: Money | null
}

interface Addressed {
  address: Address | null
}

export type Customer = Texts<'firstName' | 'lastName' | 'companyName' | 'email' | 'phone' | 'number'> & Addressed
export type Address = Texts<'firstName' | 'lastName' | 'address1' | 'city' | 'postalCode' | 'country' | 'countryCode'>

/** shipmentInfo's four positions (spec, "fulfillmentLocation"). */
export type Shipping = Texts<'carrierId' | 'carrierService' | 'rateId' | 'pickupPointId'>

type Fulfillment = Texts<'stockId' | 'stockName' | 'posId' | 'personId'>
