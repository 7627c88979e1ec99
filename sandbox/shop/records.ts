import { amountText, sum } from './amount.ts'
import type { Order, Refund } from './orders/order.ts'
import type { Catalogue, Product } from './products/catalogue.ts'

/** An order as a test or a page looks at it, past the API. Amounts are text with two decimals, times ISO 8601 in UTC. */
export interface ShopOrder {
  id: number
  number: string
  status: string
  currency: string
  total: string
  totalTax: string
  /** Empty text if there is none. */
  transactionId: string
  datePaid: string | null
  /** The billing address's. */
  email: string
  lines: {
    id: number
    productId: number
    variationId: number
    /** Empty text where the shop has no such product. */
    sku: string
    name: string
    quantity: number
    total: string
    totalTax: string
  }[]
  shipping: { methodId: string; title: string; total: string }[]
  fees: { name: string; total: string }[]
  meta: Record<string, unknown>
  /** Oldest first. */
  notes: string[]
  /** The notes, of all, that the shop sent to the customer. */
  reported: string[]
  /** The way in which it was paid. */
  paymentMethod: string
  /** Oldest first. */
  refunds: ShopRefund[]
  createdVia: string
  createdAt: string
}

/** The refund of an order, as a test or a page looks at it. */
interface ShopRefund {
  id: number
  amount: string
  reason: string
  /** Whether the payment provider gave the money back. */
  paidBack: boolean
  lines: { lineId: number; quantity: number; total: string; totalTax: string }[]
  meta: Record<string, unknown>
}

/** A product or variation as a test looks at it. */
export interface ShopProductRecord {
  id: number
  parentId: number
  type: string
  name: string
  sku: string
  globalUniqueId: string
  price: string
  /** null: not counted here. */
  stock: number | null
}

export function orderRecord(order: Order, catalogue: Catalogue): ShopOrder {
  const { cartTax, shippingTax, total } = order.totals
  return {
    id: order.id,
    number: order.number,
    status: order.status,
    currency: order.currency,
    total: amountText(total),
    totalTax: amountText(cartTax.plus(shippingTax)),
    transactionId: order.transactionId,
    datePaid: order.paidAt === null ? null : new Date(order.paidAt).toISOString(),
    email: order.billing.email ?? '',
    lines: order.lines.map((line) => ({
      id: line.id,
      productId: line.productId,
      variationId: line.variationId,
      sku: catalogue.get(line.variationId || line.productId)?.sku ?? '',
      name: line.name,
      quantity: line.quantity,
      total: amountText(line.total),
      totalTax: amountText(line.totalTax),
    })),
    shipping: order.shippingLines.map((line) => ({
      methodId: line.methodId,
      title: line.methodTitle,
      total: amountText(line.total),
    })),
    fees: order.feeLines.map((line) => ({ name: line.name, total: amountText(line.total) })),
    meta: Object.fromEntries(order.meta.map(({ key, value }) => [key, value])),
    notes: order.notes.map(({ text }) => text),
    reported: order.notes.flatMap(({ text, forCustomer }) => (forCustomer ? [text] : [])),
    paymentMethod: order.paymentMethod,
    refunds: order.refunds.map(refundRecord),
    createdVia: order.createdVia,
    createdAt: new Date(order.createdAt).toISOString(),
  }
}

function refundRecord({ id, amount, reason, paidBack, lines, meta }: Refund): ShopRefund {
  return {
    id,
    amount: amountText(amount),
    reason,
    paidBack,
    lines: lines.map(({ of, quantity, total, taxes }) => ({
      lineId: of.id,
      quantity,
      total: amountText(total),
      totalTax: amountText(sum(taxes.map((tax) => tax.total))),
    })),
    meta: Object.fromEntries(meta.map(({ key, value }) => [key, value])),
  }
}

export function productRecord(product: Product): ShopProductRecord {
  const { id, parentId, type, name, sku, globalUniqueId, stock } = product
  return { id, parentId, type, name, sku, globalUniqueId, price: amountText(product.price), stock }
}
