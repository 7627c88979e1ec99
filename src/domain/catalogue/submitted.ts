/*
 * What own systems (OMS, ERP, PIM …) submit for the platform: the payloads of the hub's own kinds. The receiver has checked
 * them whole before they are taken, so flows read them as they are. Amounts and quantities are decimal text; times are ISO
 * 8601 with their zone; ids of the platform are text.
 */

/** A product variant to create or update (spec, "Product (variant level)"). What is not given stays as it is there. */
export interface SubmittedProduct {
  /** The sender's id of the variant. */
  extId: string
  createProductSpecificSize?: boolean
  name?: string
  /** The number of the style. */
  number?: string
  /** Color code. */
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
  /** URLs; the first one becomes the main image. */
  images?: string[]
  productPrices?: { pricelistName: string; price: string }[]
  pictureRef?: string
  isWebAvailable?: boolean
  gender?: string
  /** Commas between them. */
  tags?: string
  isStockProduct?: boolean
  isNoLabel?: boolean
  sizeSystem?: string
  /** Leave the product alone where the platform has it already (`?mode=insert`). */
  insertOnly?: true
  /** Send it although it is what the platform acknowledged last. */
  force?: true
}

export interface SubmittedSize {
  externalSKU?: string
  gtin?: string
  label?: string
  labelSortIndex?: string
  /** Further GTINs that lead to it at a till. */
  identifiers?: { id: string; type?: string }[]
  stockQty?: { stockId: string; qty: string }[]
}

/** Description and images of a product, from a PIM: nothing else of it changes. */
export interface SubmittedProductText {
  extId: string
  description?: string
  images?: string[]
}

/** The product that a price is for: exactly one of them is given. */
interface PricedProduct {
  productExtId?: string
  gtin?: string
  productId?: string
}

/** One price in one list (spec, Prices rule 1: a price needs a list). */
export interface SubmittedPrice extends PricedProduct {
  list: string
  price: string
  /** Without them: from the beginning, and for ever. */
  validFrom?: string
  validTo?: string
}

/**
 * One cost price, in all stocks of one currency (ISO 4217), or in one stock: exactly one of them is given. Where both are, `gtin` names
 * the product, and `productId` says the same.
 */
export interface SubmittedCostPrice extends PricedProduct {
  currency?: string
  stockId?: string
  price: string
}

/** The new level of one article in one stock: a level, not a difference. */
export interface SubmittedStockLevel {
  stockId: string
  gtin: string
  quantity: string
  description?: string
}

/** A complete count: every SKU of the stock that is not in `items` becomes 0 (spec, Stock rule 1). */
export interface SubmittedStockCount {
  stockId: string
  /** When the count began. */
  stockCountTime: string
  description?: string
  items: { gtin: string; quantity: string }[]
}

/** Goods on their way to a store (spec, "Delivery (create request)"). */
export interface SubmittedDelivery {
  extRef: string
  stockId: string
  storeId: string
  orderDate?: string
  expectedDeliveryDate?: string
  comment?: string
  /** true: staff must still receive it; false: it is in the stock at once. */
  insertAsConfirmed: boolean
  orderLines: { gtin: string; qty: string; cost?: string }[]
}

/** A completed online order, to become a sale (spec, "Online order imported as a sale"). */
export interface SubmittedSale {
  /** The own system's, or made of that system, the order's number, the stock and the part, so that the same has the same one for ever. */
  saleGuid: string
  orderNo: string
  /** The store of the X-StoreId: the one that stands for the country where the order was placed. */
  storeId: string
  saleDateTime: string
  /** Obtained or created first. */
  customer: SubmittedCustomer | { customerId: string }
  /** Price of one, discount taken off, VAT included. Stock -1: no stock of the platform changes. Returns are negative. */
  lines: SubmittedSaleLine[]
  /** Type 99 is unspecified. They add up to the lines. `extRef`: the payment's reference, or the id of a gift card. */
  payments: SubmittedPayment[]
  comment?: string
}

interface SubmittedSaleLine {
  /** Empty: freight, which the platform names by an article of its own. */
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

/** A customer to obtain or create. `directoryOnly`: for the hub's own directory alone, not for the platform. */
export interface SubmittedCustomer {
  /** The sender's id of the customer. */
  extId: string
  /** The platform's own id, where the sender knows it. */
  customerId?: string
  /** When it was last changed there (an instant): what is older than what was taken last does nothing. */
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
  /** Whether the customer agreed to be sent offers. */
  agreedSendEmail?: boolean
  agreedSendSms?: boolean
  /** Commas between them. */
  tags?: string
  /** A day. */
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

/** An online order for a store: to pick up, to pay there, or to ship from there (spec, "Omnichannel order"). */
export interface SubmittedOrder {
  orderNo: string
  /** The store that gets it, and its stock: the two presets name one each. */
  storeId: string
  stockId: string
  storeName?: string
  reservationLengthInHours?: number
  /** ISO 8601 with its offset. */
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
  /** The address that the order goes to. None: the customer picks it up. */
  shippingAddress?: OrderAddress
  lines: SubmittedOrderLine[]
  /** The payments made. None: the customer pays in the store. `txRef`: the reference of the payment at whoever took it. */
  payments: { amount: string; currency: string; type: string; txRef?: string; subType?: string; text?: string }[]
  receiptUrl?: string
  orderType?: string
  comment?: string
  dueDateTime?: string
}

/** `gtin` is empty for freight. `price` is of one, VAT included; `vat` an amount; `vatPercent` and `discountPercent` are fractions. */
interface SubmittedOrderLine {
  gtin: string
  price: string
  quantity: string
  /** The name by which the customer knows it. */
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

/** An online order that is off, before the customer had it. */
export interface SubmittedCancellation {
  orderNo: string
  /** As of the order. */
  storeId: string
  stockId: string
}

/** Goods that go from one stock to another. */
export interface SubmittedTransfer {
  /** The sender's id of it. */
  extRef: string
  /** The store that they leave, and its stock. */
  storeId: string
  fromStockId: string
  toStockId: string
  orderDate?: string
  expectedDeliveryDate?: string
  comment?: string
  /** true: they are in the other stock at once; false: its staff must still receive them. */
  received: boolean
  lines: { gtin: string; qty: string; cost?: string }[]
}

/** Pieces that a stock has more, or fewer, than the platform thinks: differences, not levels. */
export interface SubmittedCorrection {
  extRef: string
  storeId: string
  stockId: string
  comment?: string
  lines: { gtin: string; qty: string }[]
}

/** A price with dates that is to end now. */
export interface SubmittedPriceEnd extends PricedProduct {
  list: string
  /** The beginning of the price that is meant; none: every price of the product that has begun, or is to begin, after the first. */
  validFrom?: string
}

/** A product that is not sold any more, or one of its GTINs, or all of them. */
export interface SubmittedDeletion {
  extId: string
  gtin?: string
  gtins?: 'all'
}

/** A customer, by what the sender or the platform knows him by: exactly one of them is given. */
export interface NamedCustomer {
  extId?: string
  customerId?: string
}
