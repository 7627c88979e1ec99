/* What the stand-in keeps, in the words of the Admin API. Ids are numbers as text, times ISO 8601. */

export interface Variant {
  id: string
  sku: string
  name: string
  price: number
  customFields: { gtin: string | null }
  trackInventory: TrackInventory
  stockLevels: StockLevel[]
}

/** `INHERIT`: as the settings of the shop have it. */
export type TrackInventory = 'TRUE' | 'FALSE' | 'INHERIT'

interface StockLevel {
  stockLocationId: string
  stockOnHand: number
  stockAllocated: number
}

export interface Line {
  id: string
  productVariant: Variant
  quantity: number
  proratedUnitPriceWithTax: number
  readonly proratedLinePriceWithTax: number
  taxRate: number
  fulfillmentLines: { quantity: number; fulfillment: Fulfilment }[]
}

export interface Fulfilment {
  updatedAt: string
  id: string
  state: string
  trackingCode: string | null
}

export interface Refund {
  id: string
  total: number
  state: string
  reason: string | null
  transactionId: string | null
  lines: { orderLineId: string; quantity: number }[]
}

export interface Payment {
  id: string
  method: string
  amount: number
  state: string
  transactionId: string | null
  metadata: unknown
  refunds: Refund[]
}

export interface Customer {
  id: string
  firstName: string
  lastName: string
  emailAddress: string
  phoneNumber: string | null
  addresses: Address[]
  notes: CustomerNote[]
}

export interface CustomerNote {
  id: string
  type: 'CUSTOMER_NOTE'
  isPublic: boolean
  data: { note: string }
}

export interface Address {
  id: string
  fullName: string | null
  company: string | null
  streetLine1: string
  city: string | null
  postalCode: string | null
  country: { code: string }
  phoneNumber: string | null
  defaultBillingAddress: boolean
}

export interface HistoryEntry {
  type: 'ORDER_NOTE' | 'ORDER_CANCELLATION' | 'ORDER_PAYMENT_TRANSITION'
  isPublic: boolean
  data: Record<string, unknown>
}

export type OrderAddress = Record<string, string | null>

export interface Method {
  id: string
  code: string
  priceWithTax: number
}

/** How much of a payment was refunded, or is about to be. */
export function refundedOf({ refunds }: Payment): number {
  return refunds.filter(({ state }) => state !== 'Failed').reduce((sum, { total }) => sum + total, 0)
}
