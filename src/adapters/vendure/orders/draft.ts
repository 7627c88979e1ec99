import type { TillOrder } from '../../../domain/orders/order.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { otherCurrency } from '../../../domain/values/other-currency.ts'
import { billingOf, shippingOf } from '../people/addresses.ts'
import { addNote, runOrder, type Shop, type Step } from '../shop.ts'
import type { Basket } from './basket.ts'
import { buyerOf } from './buyer.ts'
import { marked } from './mark.ts'
import { noteOf } from './notes.ts'
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
