import { addMoney, amountText, equalMoney, type Money, money, subtractMoney } from '../../../domain/values/money.ts'
import { atShopRate } from '../amounts.ts'
import { META, metaOf, paidAtTill, type ShopOrder } from '../people/shop-order.ts'

/** A step that brings an order nearer to the amount that was paid. */
export interface Correction {
  /** For `PUT /orders/{id}`. */
  changes: { line_items: object[] } | { fee_lines: object[] }
  /** The facts that a person in the shop must know of it; null: nothing that matters. */
  note: string | null
}

/**
 * The first step: each line at its amount at the till. As it is where the shop adds no tax, else less the tax by the
 * shop's own rate. Null: the lines are right. Lines that are right are named too: WooCommerce takes the pieces of a line that is
 * named from its stock at once, and then takes none for the others when the order is paid.
 */
export function correctLines(order: ShopOrder): Correction | null {
  const wrong = difference(order)
  if (!wrong) return null
  const lines = order.line_items.map((line) => {
    const told = metaOf(line, META.total)
    const taxed = Number(line.total_tax) !== 0
    const asItIs = { taxed: false, change: { id: line.id } }
    if (told === null) return asItIs
    const gross = money(told, order.currency)
    const now = addMoney(money(line.total, order.currency), money(line.total_tax, order.currency))
    const off = subtractMoney(gross, now)
    if (off.amount === '0' || (taxed && isCoin(off))) return asItIs
    const net = atShopRate(gross, line.total, line.total_tax)
    return { taxed, change: { id: line.id, subtotal: net, total: net } }
  })
  if (lines.every(({ change }) => !('total' in change))) return null
  const note = `${wrong} The shop's tax is not the till's: the lines were changed to its amounts, with the shop's tax.`
  return {
    changes: { line_items: lines.map(({ change }) => change) },
    note: lines.some(({ taxed }) => taxed) ? note : null,
  }
}

/** The second step: what remains, coins of rounding as a rule, becomes a fee without tax. Null: nothing remains. */
export function correctByFee(order: ShopOrder): Correction | null {
  const wrong = difference(order)
  const paid = paidAtTill(order)
  if (!wrong || !paid) return null
  const rest = subtractMoney(paid, money(order.total, order.currency))
  const fee = { name: 'Difference to the amount at the till', total: rest.amount, tax_status: 'none' }
  return { changes: { fee_lines: [fee] }, note: `${wrong} A fee of ${shown(rest)} makes up the difference.` }
}

/** The fault of an order's total, as a sentence; null: it has none. */
export function difference(order: ShopOrder): string | null {
  const paid = paidAtTill(order)
  const total = money(order.total, order.currency)
  if (!paid || equalMoney(total, paid)) return null
  const verb = metaOf(order, META.draft) === null ? 'paid' : 'asked'
  return `The total here is ${shown(total)}, but ${shown(paid)} were ${verb} at the till.`
}

function shown(value: Money): string {
  return `${amountText(value)} ${value.currency}`
}

/** A difference that rounding makes, and that no other amount of the line would mend. */
function isCoin({ amount }: Money): boolean {
  return Math.abs(Number(amount)) <= 0.01
}
