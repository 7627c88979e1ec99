import { PermanentError } from '../../../domain/values/errors.ts'
import type { Shop } from '../shop.ts'
import type { ShopPayment } from './shop-order.ts'

/**
 * Throws where `paymentMethod` in config is a payment method of the shop: what was paid at a till would be refunded by its
 * payment service then.
 */
export async function requireManualMethod(shop: Shop, signal: AbortSignal): Promise<void> {
  const { paymentMethod: code } = shop.options
  if (shop.known.has(code) || !(await isOfService(shop, code, signal))) return void shop.known.add(code)
  throw new PermanentError(
    `${shop.api.destination}: ${code} is a payment method of the shop: give paymentMethod in config another name`,
    { code: 'payment-method-taken' },
  )
}

/** Whether the shop has a payment service behind it, which a refund would ask for money. */
export async function hasService(shop: Shop, { method }: ShopPayment, signal: AbortSignal): Promise<boolean> {
  return await isOfService(shop, method, signal)
}

async function isOfService({ api, operations }: Shop, code: string, signal: AbortSignal): Promise<boolean> {
  const options = { filter: { code: { eq: code } }, take: 1 }
  return (await api.run(operations.paymentMethods, { options }, signal)).totalItems > 0
}
