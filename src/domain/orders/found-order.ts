import type { Address } from '../books/sale.ts'
import type { Decimal } from '../values/money.ts'

/** An order for the POS (spec, "Order lookup in an external OMS"). Amounts include VAT. */
export interface FoundOrder {
  /** Returns name it. */
  number: string
  theirId?: string
  /** Name of a POS order that shares its number with a web order. */
  tillId?: string
  /** Names of others with the same number. */
  others?: string[]
  placedAt: string | null
  status: string | null
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
  /** Refunds name it. */
  rowId: string
  gtin: string | null
  sku: string | null
  name: string
  quantity: Decimal
  /** Already returned. */
  returned: Decimal
  /** As paid. */
  unitPrice: Decimal
  /** A fraction: 0.25 is 25 %. */
  vatRate: Decimal | null
}
