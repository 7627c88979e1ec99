type Optional<Name extends string, Value = string> = Partial<Record<Name, Value>>

/** Spec, "Product (variant level)". `number`: of the style; `variant`: color code; `force`: even if acknowledged. */
export interface SubmittedProduct
  extends Optional<'name' | 'number' | 'variant' | 'groupName' | 'subgroupName' | 'color' | 'season' | 'brand'>,
    Optional<'price' | 'cost' | 'description' | 'pictureRef' | 'gender' | 'tags' | 'sizeSystem'>,
    Optional<'createProductSpecificSize' | 'isWebAvailable' | 'isStockProduct' | 'isNoLabel', boolean>,
    Optional<'insertOnly' | 'force', true> {
  extId: string
  productSizes?: SubmittedSize[]
  images?: string[]
  productPrices?: { pricelistName: string; price: string }[]
}

export interface SubmittedSize extends Optional<'externalSKU' | 'gtin' | 'label' | 'labelSortIndex'> {
  identifiers?: { id: string; type?: string }[]
  stockQty?: { stockId: string; qty: string }[]
}

export interface SubmittedProductText {
  extId: string
  description?: string
  images?: string[]
}

type PricedProduct = Optional<'productExtId' | 'gtin' | 'productId'>

/** Spec, Prices rule 1. */
export interface SubmittedPrice extends PricedProduct {
  list: string
  price: string
  validFrom?: string
  validTo?: string
}

/** In all stocks of a currency (ISO 4217) or in one stock. `gtin` names the product if both are given. */
export interface SubmittedCostPrice extends PricedProduct {
  currency?: string
  stockId?: string
  price: string
}

export interface SubmittedStockLevel {
  stockId: string
  gtin: string
  quantity: string
  description?: string
}

export interface SubmittedStockCount {
  stockId: string
  stockCountTime: string
  description?: string
  items: { gtin: string; quantity: string }[]
}

/** Spec, "Delivery (create request)". */
export interface SubmittedDelivery {
  extRef: string
  stockId: string
  storeId: string
  orderDate?: string
  expectedDeliveryDate?: string
  comment?: string
  insertAsConfirmed: boolean
  orderLines: { gtin: string; qty: string; cost?: string }[]
}

/** Spec, "Online order imported as a sale". */
export interface SubmittedSale {
  saleGuid: string
  orderNo: string
  storeId: string
  saleDateTime: string
  customer: SubmittedCustomer | { customerId: string }
  /** Unit price after discount, VAT included. Stock -1 changes no stock. Returns are negative. */
  lines: SubmittedSaleLine[]
  /** They add up to the lines. `extRef`: payment reference or gift card id. */
  payments: SubmittedPayment[]
  comment?: string
}

interface SubmittedSaleLine extends Optional<'text' | 'vat'> {
  gtin: string
  price: string
  quantity: string
  stockId: string
}

interface SubmittedPayment extends Optional<'extRef' | 'currency' | 'responseBody'> {
  amount: string
  type: number
  cardType?: number
}

/** `directoryOnly`: not sent to the platform. `changedAt`: older than the last one is ignored. */
export interface SubmittedCustomer
  extends Optional<'customerId' | 'changedAt' | 'email' | 'firstName' | 'lastName' | 'companyName' | 'phone'>,
    Optional<'phoneCountryPrefix' | 'address' | 'postalCode' | 'city' | 'countryCode' | 'orgNum' | 'tags'>,
    Optional<'birthDay' | 'gender' | 'langCode' | 'cardNo' | 'stdDiscount' | 'description' | 'registeredStoreId'>,
    Optional<'isCompany' | 'isEmployee' | 'isInvoice' | 'suppressCampaigns', boolean>,
    Optional<'agreedSendEmail' | 'agreedSendSms', boolean> {
  extId: string
  birthYear?: number
  directoryOnly?: true
}

/** Spec, "Omnichannel order". Without shipping address: pick-up; without payments: pay in store. */
export interface SubmittedOrder
  extends Optional<'storeName' | 'receiptUrl' | 'orderType' | 'comment' | 'dueDateTime'>,
    Optional<'billingAddress' | 'shippingAddress', OrderAddress> {
  orderNo: string
  storeId: string
  stockId: string
  reservationLengthInHours?: number
  saleDateTime: string
  customer: Record<'email' | 'firstName' | 'lastName' | 'phone' | 'phoneCountryCode', string> &
    Optional<'companyName' | 'taxId'>
  lines: SubmittedOrderLine[]
  payments: (Record<'amount' | 'currency' | 'type', string> & Optional<'txRef' | 'subType' | 'text'>)[]
}

/** `gtin` empty: freight. `price` per piece, VAT included; `vatPercent` and `discountPercent` are fractions. */
interface SubmittedOrderLine
  extends Optional<'name' | 'vat' | 'vatPercent' | 'fullPrice' | 'discount' | 'discountPercent'>,
    Optional<'rowId' | 'externalSKU' | 'sizeText' | 'receiptLabel'> {
  gtin: string
  price: string
  quantity: string
}

type OrderAddress = Optional<'firstName' | 'lastName' | 'companyName' | 'address1' | 'address2' | 'city'> &
  Optional<'province' | 'postalCode' | 'country' | 'countryCode' | 'comment'>

export interface SubmittedCancellation {
  orderNo: string
  storeId: string
  stockId: string
}

export interface SubmittedTransfer extends Optional<'orderDate' | 'expectedDeliveryDate' | 'comment'> {
  extRef: string
  storeId: string
  fromStockId: string
  toStockId: string
  received: boolean
  lines: { gtin: string; qty: string; cost?: string }[]
}

export interface SubmittedCorrection {
  extRef: string
  storeId: string
  stockId: string
  comment?: string
  lines: { gtin: string; qty: string }[]
}

export interface SubmittedPriceEnd extends PricedProduct {
  list: string
  validFrom?: string
}

export interface SubmittedDeletion {
  extId: string
  gtin?: string
  gtins?: 'all'
}

export type NamedCustomer = Optional<'extId' | 'customerId'>
