import type { FoundOrder, FoundOrderLine } from '../../../domain/orders/order.ts'
import { type Decimal, multiplyDecimals, parseDecimal } from '../../../domain/values/money.ts'
import type { Question } from '../../../ports/attempt.ts'
import { foundAddress, foundCustomer } from '../../shared/contact.ts'
import { priceOf } from '../orders/basket.ts'
import { findByCode } from '../orders/find-order.ts'
import { buyerOf, contactOf, gtinOf, type ShopLine, type ShopOrder } from '../orders/shop-order.ts'
import { readOrder, type Shop } from '../shop.ts'

export async function searchOrders(
  shop: Shop,
  number: string,
  { signal, theirIds = [] }: Question,
): Promise<FoundOrder[]> {
  const linked = theirIds.filter((id) => id !== number).map((id) => readOrder(shop, id, { signal }))
  const found = await Promise.all([...linked, findByCode(shop, number, signal)])
  const orders = new Map(found.flatMap((order) => (order && order.state !== 'Draft' ? [[order.id, order]] : [])))
  return [...orders.values()].map((order) => foundOrder(shop, order, number))
}

function foundOrder(shop: Shop, order: ShopOrder, number: string): FoundOrder {
  const decimal = shop.amounts.decimal
  return {
    number,
    theirId: order.id,
    placedAt: order.orderPlacedAt ?? order.createdAt,
    status: order.state,
    currency: order.currencyCode,
    total: decimal(order.totalWithTax),
    lines: order.lines.filter(({ quantity }) => quantity > 0).map((line) => foundLine(shop, order, line)),
    payments: order.payments
      .filter(({ state }) => state === 'Settled' || state === 'Authorized')
      .map(({ method, amount, transactionId }) => ({
        type: method,
        amount: decimal(amount),
        reference: transactionId ?? null,
      })),
    customer: order.customer ? foundCustomer(buyerOf(order)) : null,
    billingAddress: foundAddress(contactOf(order.billingAddress)),
    shippingAddress: foundAddress(contactOf(order.shippingAddress)),
  }
}

function foundLine({ options, amounts }: Shop, order: ShopOrder, line: ShopLine): FoundOrderLine {
  const returned = order.payments
    .flatMap(({ refunds }) => refunds)
    .filter(({ state }) => state !== 'Failed')
    .flatMap(({ lines }) => lines)
    .filter(({ orderLineId }) => orderLineId === line.id)
    .reduce((sum, { quantity }) => sum + quantity, 0)
  return {
    rowId: line.id,
    gtin: gtinOf(line, options),
    sku: line.productVariant.sku,
    name: line.productVariant.name,
    quantity: parseDecimal(line.quantity),
    returned: parseDecimal(returned),
    unitPrice: amounts.decimal(priceOf(order, line, 1)),
    vatRate: multiplyDecimals(parseDecimal(line.taxRate), '0.01' as Decimal),
  }
}
