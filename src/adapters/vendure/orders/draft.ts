import type { SaleLine } from '../../../domain/books/sale.ts'
import { severalReferences, type TillOrder } from '../../../domain/orders/order.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { amountText } from '../../../domain/values/money.ts'
import { otherCurrency } from '../../../domain/values/other-currency.ts'
import type { ShopCustomer } from '../operations.ts'
import { billingOf, given, shippingOf } from '../people/addresses.ts'
import { addNote, runOrder, type Shop, type Step } from '../shop.ts'
import { type Basket, nameOf } from './basket.ts'
import { marked } from './mark.ts'
import type { ShopOrder } from './shop-order.ts'

/** A draft order, empty still: whoever finds it knows nothing of it. */
export async function createDraft(shop: Shop, step: Step): Promise<ShopOrder> {
  return await runOrder(shop, shop.operations.createDraft, {}, step)
}

/** Fills a draft: first our key, so that it is found again, then what was bought, who bought it, and where it goes. */
export async function fillDraft(
  shop: Shop,
  draft: ShopOrder,
  { order, basket }: { order: TillOrder; basket: Basket },
  step: Step,
): Promise<void> {
  const { api, operations, options } = shop
  const { id: orderId } = draft
  const { signal } = step
  await addNote(shop, draft, { note: marked(noteOf(order, basket), step.key), isPublic: false }, step)
  const other = otherCurrency(order.total.currency, draft.currencyCode, 'the shop')
  if (other !== null) throw new PermanentError(`${api.destination}: ${other}`, { code: 'other-currency' })
  if (options.numberField !== undefined) {
    const input = { id: orderId, customFields: { [options.numberField]: order.number } }
    await api.run(operations.setNumber, { orderId, input }, signal)
  }
  // Goods that the shop has too few of stay out, in part or in whole: the order's total and a surcharge tell of it.
  for (const { variantId: productVariantId, quantity } of basket.goods)
    await api.attempt(
      operations.addItem,
      { orderId, input: { productVariantId, quantity } },
      ['INSUFFICIENT_STOCK_ERROR'],
      signal,
    )
  await api.run(operations.setCustomer, { orderId, ...(await buyerOf(shop, order, signal)) }, signal)
  const shipping = shippingOf(order)
  if (shipping) await api.run(operations.setShippingAddress, { orderId, input: shipping }, signal)
  const billing = billingOf(order)
  if (billing) await api.run(operations.setBillingAddress, { orderId, input: billing }, signal)
  const shippingMethodId = await shippingMethodOf(shop, orderId, signal)
  await api.run(operations.setShippingMethod, { orderId, shippingMethodId }, signal)
}

export async function deleteDraft({ api, operations }: Shop, { id }: ShopOrder, { signal }: Step): Promise<void> {
  await api.run(operations.deleteDraft, { orderId: id }, signal)
}

async function shippingMethodOf(shop: Shop, orderId: string, signal: AbortSignal): Promise<string> {
  const { shippingMethod: code } = shop.options
  const eligible = await shop.api.run(shop.operations.shippingMethods, { orderId }, signal)
  const [cheapest] = eligible.toSorted((one, other) => one.priceWithTax - other.priceWithTax)
  const chosen = code === undefined ? cheapest : eligible.find((method) => method.code === code)
  if (chosen) return chosen.id
  const found = eligible.map((method) => method.code).join(', ') || 'none'
  const wanted = code === undefined ? '' : ` ${code}`
  throw new PermanentError(
    `${shop.api.destination}: the shop has no shipping method${wanted} for this order (it offers: ${found})`,
    { code: 'no-shipping-method' },
  )
}

/** For `setCustomerForDraftOrder`: a customer of the shop, else a guest. */
async function buyerOf(shop: Shop, { customer }: TillOrder, signal: AbortSignal): Promise<object> {
  const emailAddress = (customer?.email ?? shop.options.guestEmail)?.toLowerCase()
  if (emailAddress === undefined)
    throw new PermanentError(
      `${shop.api.destination}: the order has no e-mail address, without which Vendure takes none: guestEmail in config can stand for it`,
      { code: 'no-email' },
    )
  const known = await customerByEmail(shop, emailAddress, signal)
  if (known) return { customerId: known.id }
  return {
    input: {
      ...given({ phoneNumber: customer?.phone }),
      emailAddress,
      firstName: customer?.firstName ?? '',
      lastName: customer?.lastName ?? customer?.companyName ?? '',
    },
  }
}

async function customerByEmail(
  { api, operations }: Shop,
  email: string,
  signal: AbortSignal,
): Promise<ShopCustomer | null> {
  const options = { filter: { emailAddress: { eq: email } }, take: 1 }
  const { items } = await api.run(operations.customers, { options }, signal)
  return items[0] ?? null
}

/** The note that tells people in the shop where an order comes from, and what they must look at. */
function noteOf(order: TillOrder, { others }: Basket): string {
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
