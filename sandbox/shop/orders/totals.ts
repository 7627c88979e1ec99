import type { Big } from 'big.js'
import { rounded, sum, ZERO } from '../amount.ts'
import type { NextId } from '../ids.ts'
import type { LineTax, Order } from './order.ts'
import { type AppliedRate, rateFor, roundTax, type Taxes, taxOn } from './tax.ts'

/** Computes an order's taxes and totals anew, as `WC_Abstract_Order::calculate_totals` does. */
export function calculateTotals(order: Order, taxes: Taxes, nextId: NextId): void {
  const cartTotal = sum(order.lines.map((line) => rounded(line.total)))
  const cartSubtotal = sum(order.lines.map((line) => rounded(line.subtotal)))
  const shippingTotal = sum(order.shippingLines.map((line) => rounded(line.total)))
  const feesTotal = cappedFees(order, cartTotal.plus(shippingTotal))
  calculateTaxes(order, taxes)

  const inCart = taxesByRate([...order.lines, ...order.feeLines], taxes)
  const onShipping = taxesByRate(order.shippingLines, taxes)
  order.taxLines = [...new Set([...inCart.keys(), ...onShipping.keys()])].map((rateId) => ({
    id: order.taxLines.find((line) => line.rateId === rateId)?.id ?? nextId(),
    rateId,
    taxTotal: inCart.get(rateId) ?? ZERO,
    shippingTaxTotal: onShipping.get(rateId) ?? ZERO,
  }))

  const cartTax = sum(inCart.values())
  const shippingTax = sum(onShipping.values())
  const lineTaxes = order.lines.flatMap((line) => line.taxes)
  order.totals = {
    discountTotal: rounded(cartSubtotal.minus(cartTotal)),
    discountTax: roundTax(sum(lineTaxes.map((tax) => tax.subtotal.minus(tax.total))), taxes),
    shippingTotal,
    shippingTax,
    cartTax,
    total: rounded(cartTotal.plus(feesTotal).plus(shippingTotal).plus(cartTax).plus(shippingTax)),
  }
}

/** The sum of the fees. A fee below zero is a discount, and takes no more than there is to pay. */
function cappedFees(order: Order, before: Big): Big {
  let fees = ZERO
  for (const fee of order.feeLines) {
    const most = rounded(before.plus(fees)).times(-1)
    if (fee.total.lt(most) && most.lt(0)) fee.total = most
    fees = fees.plus(fee.total)
  }
  return fees
}

function calculateTaxes(order: Order, taxes: Taxes): void {
  const country = taxCountry(order, taxes)
  const rate = (taxClass: string) => rateFor(taxes, taxClass, country)
  for (const line of order.lines) {
    line.taxes = taxesOf(line.total, line.subtotal, rate(line.taxClass))
    line.totalTax = sum(line.taxes.map((tax) => roundTax(tax.total, taxes)))
    line.subtotalTax = sum(line.taxes.map((tax) => roundTax(tax.subtotal, taxes)))
  }
  for (const fee of order.feeLines) {
    const taxable = fee.taxStatus === 'taxable'
    if (fee.total.lt(0)) fee.taxes = taxable ? discountTaxes(order, fee.total, rate) : []
    else fee.taxes = taxesOf(fee.total, fee.total, taxable ? rate(fee.taxClass) : undefined)
    fee.totalTax = sum(fee.taxes.map((tax) => roundTax(tax.total, taxes)))
  }
  const shippingRate = rate(shippingClass(order))
  for (const line of order.shippingLines) {
    line.taxes = taxesOf(line.total, line.total, shippingRate?.shipping === false ? undefined : shippingRate)
    line.totalTax = sum(line.taxes.map((tax) => roundTax(tax.total, taxes)))
  }
}

/** Shipping takes the class of what is shipped: the standard class first. */
function shippingClass(order: Order): string {
  const classes = order.lines.map((line) => line.taxClass)
  return classes.includes('') ? '' : (classes[0] ?? '')
}

/** A discount lowers the taxes of the lines, in proportion to what they cost. */
function discountTaxes(order: Order, discount: Big, rate: (taxClass: string) => AppliedRate | undefined): LineTax[] {
  const costs = Map.groupBy(order.lines, (line) => line.taxClass)
  const whole = sum(order.lines.map((line) => line.total))
  if (whole.eq(ZERO)) return []
  return [...costs].flatMap(([taxClass, lines]) => {
    const share = discount.times(sum(lines.map((line) => line.total))).div(whole)
    return taxesOf(share, share, rate(taxClass))
  })
}

function taxesOf(total: Big, subtotal: Big, rate: AppliedRate | undefined): LineTax[] {
  return rate ? [{ rateId: rate.id, total: taxOn(total, rate), subtotal: taxOn(subtotal, rate) }] : []
}

function taxesByRate(lines: { taxes: LineTax[] }[], taxes: Taxes): Map<number, Big> {
  const byRate = new Map<number, Big>()
  for (const tax of lines.flatMap((line) => line.taxes))
    byRate.set(tax.rateId, (byRate.get(tax.rateId) ?? ZERO).plus(roundTax(tax.total, taxes)))
  return byRate
}

/** Taxes follow the goods: the shipping address, else the billing address, else the shop's own country. */
function taxCountry(order: Order, taxes: Taxes): string {
  const own = taxes === 'off' ? '' : taxes.country
  const pickup = order.shippingLines.some((line) => line.methodId === 'local_pickup')
  return pickup ? own : order.shipping.country || order.billing.country || own
}
