import type { SaleLine } from '../../../domain/books/sale.ts'
import { amountText, roundMoney } from '../../../domain/values/money.ts'
import { withoutVat } from '../amounts.ts'
import { META } from '../people/shop-order.ts'
import type { ProductReference } from '../stock/products.ts'

/**
 * Named in place of a product, because a line must name one; no shop has it. WooCommerce takes a SKU that it does not know
 * and leaves the line without product.
 */
const NO_PRODUCT = 'tillbridge-no-product'

/** A line for `POST /orders`. Without a product it goes by its name and price. */
export function lineOf(line: SaleLine, product: ProductReference | null): object {
  const whole = isWhole(line)
  const net = withoutVat(line)
  return {
    ...(product ?? { sku: NO_PRODUCT }),
    ...(product && whole ? {} : { name: whole ? nameOf(line) : `${line.quantity} × ${nameOf(line)}` }),
    quantity: whole ? Number(line.quantity) : 1,
    subtotal: net,
    total: net,
    meta_data: [
      { key: META.total, value: amountText(roundMoney(line.total)) },
      ...[
        { key: META.row, value: line.rowId },
        { key: META.sku, value: line.sku },
        { key: META.gtin, value: line.gtin },
      ].filter(({ value }) => value !== null),
    ],
  }
}

/** The trouble with a line that a person in the shop must know of; null: there is none. */
export function lineProblem(line: SaleLine, product: ProductReference | null): string | null {
  const what = `"${nameOf(line)}" (SKU ${line.sku ?? 'none'}, GTIN ${line.gtin ?? 'none'}), quantity ${line.quantity}`
  if (!product) return `This shop has no product for ${what}: the line goes by name and price, and moves no stock.`
  return isWhole(line) ? null : `The quantity of ${what} is no whole number above 0: the line counts as one piece.`
}

/** The shop counts in pieces. */
function isWhole({ quantity }: SaleLine): boolean {
  return /^[1-9]\d{0,8}$/.test(quantity)
}

function nameOf({ name, color, size }: SaleLine): string {
  return [name, color, size].filter(Boolean).join(', ')
}
