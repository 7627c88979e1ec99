import type { Big } from 'big.js'

/**
 * The statuses of orders; `checkout-draft` is what a refused creation leaves behind, and `trash` is what staff threw away:
 * no request gives it.
 */
export const STATUSES = {
  'auto-draft': 'Auto draft',
  pending: 'Pending payment',
  processing: 'Processing',
  'on-hold': 'On hold',
  completed: 'Completed',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
  failed: 'Failed',
  'checkout-draft': 'Draft',
  trash: 'Trash',
  /** The status of a plugin, as shops with collection in a store have one. */
  'ready-for-pickup': 'Ready for pickup',
} as const

export type Status = keyof typeof STATUSES

export const BILLING = [
  'first_name',
  'last_name',
  'company',
  'address_1',
  'address_2',
  'city',
  'state',
  'postcode',
  'country',
  'email',
  'phone',
] as const

export const SHIPPING = BILLING.filter((field) => field !== 'email')

export type Address = Record<string, string>

export interface Meta {
  id: number
  key: string
  value: unknown
}

/** The tax that one rate takes of one line, before it is rounded. */
export interface LineTax {
  rateId: number
  total: Big
  /** The tax of what the line cost before discounts. */
  subtotal: Big
}

interface Line {
  id: number
  /** Without tax: WooCommerce adds its own taxes on top of what it is told. */
  total: Big
  taxes: LineTax[]
  /** The sum of its taxes, each rounded. */
  totalTax: Big
  meta: Meta[]
}

export interface ProductLine extends Line {
  name: string
  /** 0 where the order names a product that the shop does not have. */
  productId: number
  variationId: number
  quantity: number
  taxClass: string
  subtotal: Big
  subtotalTax: Big
  /** How many pieces this line has taken from stock. */
  reducedStock: number
  /** How many pieces refunds have put back. */
  restocked: number
}

export interface ShippingLine extends Line {
  methodId: string
  methodTitle: string
  instanceId: string
}

export interface FeeLine extends Line {
  name: string
  taxClass: string
  taxStatus: 'taxable' | 'none'
}

interface TaxLine {
  id: number
  rateId: number
  taxTotal: Big
  shippingTaxTotal: Big
}

interface Totals {
  discountTotal: Big
  discountTax: Big
  shippingTotal: Big
  shippingTax: Big
  cartTax: Big
  total: Big
}

export interface Note {
  id: number
  text: string
  forCustomer: boolean
  createdAt: number
}

/** The part of one line that was refunded: amounts and quantity are those of the request, not yet below zero. */
export interface RefundedLine {
  id: number
  of: ProductLine | ShippingLine | FeeLine
  quantity: number
  total: Big
  taxes: { rateId: number; total: Big }[]
}

export interface Refund {
  id: number
  amount: Big
  reason: string
  /** Whether the payment provider gave the money back; else it is a record and nothing more. */
  paidBack: boolean
  createdAt: number
  lines: RefundedLine[]
  meta: Meta[]
}

/** An order as the shop holds it; times are milliseconds since 1970. */
export interface Order {
  id: number
  /** The number that people call it by: the id, unless a plugin numbers orders. */
  number: string
  key: string
  parentId: number
  /** 0: a guest. */
  customerId: number
  status: Status
  currency: string
  createdVia: string
  pricesIncludeTax: boolean
  createdAt: number
  modifiedAt: number
  paidAt: number | null
  completedAt: number | null
  customerNote: string
  billing: Address
  shipping: Address
  paymentMethod: string
  paymentMethodTitle: string
  transactionId: string
  meta: Meta[]
  lines: ProductLine[]
  shippingLines: ShippingLine[]
  feeLines: FeeLine[]
  taxLines: TaxLine[]
  totals: Totals
  notes: Note[]
  /** Oldest first. */
  refunds: Refund[]
  stockReduced: boolean
}
