/**
 * Payloads of submissions, validated before ingest. Amounts and quantities: decimal text; times: ISO 8601 with zone; platform ids: text.
 */

/** Spec, "Product (variant level)". Missing fields stay unchanged. */
export interface SubmittedProduct {
  extId: string
  createProductSpecificSize?: boolean
  name?: string
  number?: string
  variant?: string
  groupName?: string
  subgroupName?: string
  color?: string
  season?: string
  brand?: string
  price?: string
  cost?: string
  description?: string
  productSizes?: SubmittedSize[]
  images?: string[]
  productPrices?: { pricelistName: string; price: string }[]
  pictureRef?: string
  isWebAvailable?: boolean
  gender?: string
  tags?: string
  isStockProduct?: boolean
  isNoLabel?: boolean
  sizeSystem?: string
  insertOnly?: true
  force?: true
}

export interface SubmittedSize {
  externalSKU?: string
  gtin?: string
  label?: string
  labelSortIndex?: string
  identifiers?: { id: string; type?: string }[]
  stockQty?: { stockId: string; qty: string }[]
}

export interface SubmittedProductText {
  extId: string
  description?: string
  images?: string[]
}

interface PricedProduct {
  productExtId?: string
  gtin?: string
  productId?: string
}

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
  /** true: staff must receive it; false: in stock at once. */
  insertAsConfirmed: boolean
  orderLines: { gtin: string; qty: string; cost?: string }[]
}

/** Spec, "Online order imported as a sale". */
export interface SubmittedSale {
  /** Given, or derived from system, order number, stock and part: stable. */
  saleGuid: string
  orderNo: string
  storeId: string
  saleDateTime: string
  customer: SubmittedCustomer | { customerId: string }
  /** Unit price after discount, VAT included. Stock -1 changes no stock. Returns are negative. */
  lines: SubmittedSaleLine[]
  /** Type 99 is unspecified; they add up to the lines. `extRef`: payment reference or gift card id. */
  payments: SubmittedPayment[]
  comment?: string
}

interface SubmittedSaleLine {
  gtin: string
  price: string
  quantity: string
  stockId: string
  text?: string
  vat?: string
}

interface SubmittedPayment {
  amount: string
  type: number
  extRef?: string
  currency?: string
  cardType?: number
  responseBody?: string
}

export interface SubmittedCustomer {
  extId: string
  customerId?: string
  changedAt?: string
  email?: string
  firstName?: string
  lastName?: string
  companyName?: string
  phone?: string
  phoneCountryPrefix?: string
  address?: string
  postalCode?: string
  city?: string
  countryCode?: string
  isCompany?: boolean
  orgNum?: string
  agreedSendEmail?: boolean
  agreedSendSms?: boolean
  tags?: string
  birthDay?: string
  birthYear?: number
  gender?: string
  langCode?: string
  cardNo?: string
  stdDiscount?: string
  isEmployee?: boolean
  isInvoice?: boolean
  suppressCampaigns?: boolean
  description?: string
  registeredStoreId?: string
  directoryOnly?: true
}

/** Pick-up, pay in store, or ship from store (spec, "Omnichannel order"). */
export interface SubmittedOrder {
  orderNo: string
  storeId: string
  stockId: string
  storeName?: string
  reservationLengthInHours?: number
  saleDateTime: string
  customer: {
    email: string
    firstName: string
    lastName: string
    phone: string
    phoneCountryCode: string
    companyName?: string
    taxId?: string
  }
  billingAddress?: OrderAddress
  shippingAddress?: OrderAddress
  lines: SubmittedOrderLine[]
  payments: { amount: string; currency: string; type: string; txRef?: string; subType?: string; text?: string }[]
  receiptUrl?: string
  orderType?: string
  comment?: string
  dueDateTime?: string
}

/** `gtin` empty: freight. `price` per piece, VAT included; `vat` an amount; `vatPercent` and `discountPercent` fractions. */
interface SubmittedOrderLine {
  gtin: string
  price: string
  quantity: string
  name?: string
  vat?: string
  vatPercent?: string
  fullPrice?: string
  discount?: string
  discountPercent?: string
  rowId?: string
  externalSKU?: string
  sizeText?: string
  receiptLabel?: string
}

export interface OrderAddress {
  firstName?: string
  lastName?: string
  companyName?: string
  address1?: string
  address2?: string
  city?: string
  province?: string
  postalCode?: string
  country?: string
  countryCode?: string
  comment?: string
}

export interface SubmittedCancellation {
  orderNo: string
  storeId: string
  stockId: string
}

export interface SubmittedTransfer {
  extRef: string
  storeId: string
  fromStockId: string
  toStockId: string
  orderDate?: string
  expectedDeliveryDate?: string
  comment?: string
  /** true: in stock at once; false: staff must receive them. */
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

export interface NamedCustomer {
  extId?: string
  customerId?: string
}
