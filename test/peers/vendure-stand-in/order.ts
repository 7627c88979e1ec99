import { argumentOf } from './argument.ts'
import { filterBy } from './list.ts'
import {
  type Customer,
  type Fulfilment,
  type HistoryEntry,
  type Line,
  type Method,
  type OrderAddress,
  type Payment,
  refundedOf,
} from './records.ts'

const TAX = 25

/** An order; its sums follow from what is in it. */
export class Order {
  readonly id: string
  readonly code: string
  readonly createdAt: string
  updatedAt: string
  state = 'Draft'
  type = 'Regular'
  orderPlacedAt: string | null = null
  readonly currencyCode = 'NOK'
  customer: Customer | null = null
  shippingAddress: OrderAddress | null = null
  billingAddress: OrderAddress | null = null
  lines: Line[] = []
  surcharges: { description: string; sku: string | null; priceWithTax: number }[] = []
  shippingLines: { shippingMethod: Method }[] = []
  payments: Payment[] = []
  fulfillments: Fulfilment[] = []
  entries: HistoryEntry[] = []
  customFields: { posNumber: string | null; pickupStore: string | null } = { posNumber: null, pickupStore: null }

  constructor(id: string, code: string) {
    this.id = id
    this.code = code
    this.createdAt = new Date().toISOString()
    this.updatedAt = this.createdAt
  }

  get shippingWithTax(): number {
    return this.shippingLines.reduce((sum, { shippingMethod }) => sum + shippingMethod.priceWithTax, 0)
  }

  get totalWithTax(): number {
    const lines = this.lines.reduce((sum, line) => sum + line.proratedLinePriceWithTax, 0)
    return lines + this.shippingWithTax + this.surcharges.reduce((sum, { priceWithTax }) => sum + priceWithTax, 0)
  }

  get settled(): number {
    const taken = this.payments.filter(({ state }) => state === 'Settled')
    return taken.reduce((sum, payment) => sum + payment.amount - refundedOf(payment), 0)
  }

  history(given: Record<string, unknown>): { items: HistoryEntry[] } {
    const filter = argumentOf(given.options, 'filter')
    return { items: filterBy(this.entries, filter) }
  }

  line(id: string): Line | undefined {
    return this.lines.find((line) => line.id === id)
  }

  note(note: string, isPublic: boolean): void {
    this.entries.push({ type: 'ORDER_NOTE', isPublic, data: { note } })
  }
}

/** So many of a variant, at its own price. */
export function newLine(id: string, productVariant: Line['productVariant'], quantity: number): Line {
  return {
    id,
    productVariant,
    quantity,
    proratedUnitPriceWithTax: productVariant.price,
    get proratedLinePriceWithTax() {
      return this.proratedUnitPriceWithTax * this.quantity
    },
    taxRate: TAX,
    fulfillmentLines: [],
  }
}

/** How many of a line no fulfilment has yet. */
export function unfulfilled({ quantity, fulfillmentLines }: Line): number {
  return quantity - fulfillmentLines.reduce((sum, line) => sum + line.quantity, 0)
}
