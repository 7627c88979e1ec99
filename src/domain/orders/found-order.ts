import type { Address } from '../books/sale.ts'
import type { Decimal } from '../values/money.ts'

/** An order that a system found for the till (spec, "Order lookup in an external OMS"). Amounts include VAT. */
export interface FoundOrder {
  /** The number that the customer and the shop know it by; a return names it again. */
  number: string
  /** The system's own id of it, where it has one. */
  theirId?: string
  /** The name of a till's order to ask for, and to give in a return, where a web order has its number. */
  tillId?: string
  /** Names to ask for instead, where there are others of the same number. */
  others?: string[]
  /** ISO 8601 with its zone. */
  placedAt: string | null
  /** In the system's own word. */
  status: string | null
  /** ISO 4217. */
  currency: string
  total: Decimal
  lines: FoundOrderLine[]
  payments: { type: string; amount: Decimal; reference: string | null }[]
  customer: {
    email: string | null
    firstName: string | null
    lastName: string | null
    companyName: string | null
    phone: string | null
  } | null
  billingAddress: Address | null
  shippingAddress: Address | null
}

export interface FoundOrderLine {
  /** The system's own id of the line: the refund of a return names it again. */
  rowId: string
  gtin: string | null
  sku: string | null
  name: string
  quantity: Decimal
  /** How many of it came back already. */
  returned: Decimal
  /** The price of one piece, as paid. */
  unitPrice: Decimal
  /** A fraction: 0.25 is 25 %. Null: the system does not say. */
  vatRate: Decimal | null
}
