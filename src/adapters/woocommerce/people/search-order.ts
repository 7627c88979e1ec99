import { Big } from 'big.js'
import type { Address } from '../../../domain/books/sale.ts'
import type { FoundOrder, FoundOrderLine } from '../../../domain/orders/found-order.ts'
import { type Decimal, type Money, parseDecimal, sumDecimals } from '../../../domain/values/money.ts'
import { piecesOf } from '../../shared/pieces.ts'
import { creditOf } from '../intake/credit.ts'
import { afterDiscount, discountOf } from '../intake/discount.ts'
import { placedAt, type WholeOrder } from '../intake/order.ts'
import { costOf } from '../intake/order-line.ts'
import { phoneIn, type ShopAddress, streetOf } from '../intake/shop-address.ts'
import type { WooCommerceOptions } from '../options.ts'
import { withoutContainers } from '../orders/bundles.ts'
import { wasPaid } from '../refunds/was-paid.ts'
import { refundedOf, type ShopLine, type ShopRefund } from './shop-order.ts'

/** An order of the shop as the till gets it. Amounts of the shop are without tax, those here with it. */
export function foundOrder(given: WholeOrder, refunds: readonly ShopRefund[], options: WooCommerceOptions): FoundOrder {
  const { order } = withoutContainers(given)
  const credit = creditOf(order)
  const { billing, shipping, currency } = order
  const total = parseDecimal(order.total)
  const costs = afterDiscount(
    order.line_items.map((line) => costOf(line, currency)),
    discountOf(order),
  )
  return {
    number: order.number,
    theirId: String(order.id),
    placedAt: placedAt(order),
    status: order.status,
    currency,
    total,
    lines: order.line_items.map((line, index) => foundLine(line, costs[index], order, refunds)),
    payments: wasPaid({ options }, order)
      ? [
          { type: paymentOf(order), amount: total, reference: order.transaction_id },
          ...(credit
            ? [{ type: options.creditPayment?.type ?? 'Gift card or credit', amount: credit.amount, reference: null }]
            : []),
        ]
      : [],
    customer: {
      email: billing.email ?? null,
      firstName: billing.first_name ?? null,
      lastName: billing.last_name ?? null,
      companyName: billing.company ?? null,
      phone: phoneIn(billing),
    },
    billingAddress: addressOf(billing),
    shippingAddress: addressOf(shipping),
  }
}

/**
 * The price of one is cut to coins: three for 100 kr are 33.33 each, so that no return gives more than was paid. For the same reason
 * what is off the whole order is off its lines.
 */
function foundLine(
  line: ShopLine,
  cost: Money | undefined,
  order: WholeOrder,
  refunds: readonly ShopRefund[],
): FoundOrderLine {
  const { id, global_unique_id: gtin, sku, name, quantity } = line
  const [first] = piecesOf(cost ?? costOf(line, order.currency), quantity)
  return {
    rowId: String(id),
    gtin: gtin?.trim() || null,
    sku: sku?.trim() || null,
    name: name ?? '',
    quantity: parseDecimal(quantity),
    returned: returnedOf(id, refunds),
    unitPrice: first?.price ?? parseDecimal(0),
    vatRate: vatRateOf(line, order),
  }
}

function returnedOf(id: number, refunds: readonly ShopRefund[]): Decimal {
  const lines = refunds.flatMap(({ line_items }) => line_items)
  const own = lines.filter((line) => refundedOf(line) === id)
  return sumDecimals(own.map(({ quantity }) => parseDecimal(Math.abs(quantity))))
}

/** The sum of the rates that took something of the line; null: the shop computes no taxes, or does not say. */
function vatRateOf({ taxes }: ShopLine, { tax_lines }: WholeOrder): Decimal | null {
  const own = tax_lines.filter(({ rate_id }) => taxes.some(({ id, total }) => id === rate_id && Number(total) !== 0))
  if (tax_lines.length === 0 || own.some(({ rate_percent }) => typeof rate_percent !== 'number')) return null
  const percent = sumDecimals(own.map(({ rate_percent }) => parseDecimal(rate_percent)))
  return parseDecimal(new Big(percent).div(100).toFixed())
}

function paymentOf({ payment_method_title, payment_method }: WholeOrder): string {
  return payment_method_title ?? (payment_method || 'Online')
}

function addressOf(address: ShopAddress): Address | null {
  const address1 = streetOf(address)
  const { city = null, postcode = null, country = null, first_name = null, last_name = null } = address
  if (address1 === null && city === null && postcode === null) return null
  return {
    firstName: first_name,
    lastName: last_name,
    address1,
    city,
    postalCode: postcode,
    country: null,
    countryCode: country?.toUpperCase() ?? null,
  }
}
