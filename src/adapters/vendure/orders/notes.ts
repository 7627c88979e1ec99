import type { SaleLine } from '../../../domain/books/sale.ts'
import { severalReferences, type TillOrder } from '../../../domain/orders/order.ts'
import { amountText } from '../../../domain/values/money.ts'
import { type Basket, nameOf } from './basket.ts'

/** The note that tells people in the shop where an order comes from, and what they must look at. */
export function noteOf(order: TillOrder, { others }: Basket): string {
  const { number, receiptNo, store, payments, transactionId, shipping, fulfillment, total } = order
  const facts = [
    `Order ${number} of the till`,
    `receipt ${receiptNo}`,
    named('store', store.number, store.name),
    named('till', store.posId, store.posName),
    named('sold by', store.salesPerson),
    payments.length > 0 ? `paid ${amountText(total)} ${total.currency} by ${waysOf(order)}` : null,
    named('reference', transactionId),
    named('ships from stock', fulfillment?.stockId, fulfillment?.stockName),
    named('carrier', shipping?.carrierId, shipping?.carrierService, shipping?.rateId),
    named('pickup point', shipping?.pickupPointId),
  ]
  const references = severalReferences(order)
  const contradiction = order.contradiction === null ? [] : [`Please look: ${order.contradiction}`]
  const said = `${facts.filter((fact) => fact !== null).join(', ')}.`
  const comments = order.comments.map((comment) => `Comment of the till: ${comment}`)
  return [said, ...(references ? [references] : []), ...comments, ...contradiction, ...others.map(problemOf)].join('\n')
}

/** `Card (Visa) + Gift card`. */
function waysOf({ payments }: TillOrder): string {
  return [...new Set(payments.map(({ type, subType }) => (subType ? `${type} (${subType})` : type)))].join(' + ')
}

function named(what: string, ...texts: (string | null | undefined)[]): string | null {
  const said = texts.filter(Boolean)
  return said.length > 0 ? `${what} ${said.join(' ')}` : null
}

function problemOf(line: SaleLine): string {
  const what = `"${nameOf(line)}" (SKU ${line.sku ?? 'none'}, GTIN ${line.gtin ?? 'none'}), quantity ${line.quantity}`
  return `Please look: ${what} is no line here, because the shop has no such product or counts in whole pieces. It is a surcharge.`
}
