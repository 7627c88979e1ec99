import { z } from 'zod'
import { PermanentError } from '../../../domain/values/errors.ts'
import { readable, word } from '../document.ts'
import type { ShopOrder } from '../people/shop-order.ts'
import { saysCode } from '../says-code.ts'
import type { OrderContext } from './order-context.ts'

const Gateway = z.object({ method_supports: readable(word) })

/**
 * Throws PermanentError `cannot-pay-back` where the way that an order was paid cannot be reversed by a program: cash, a
 * bank transfer, a till. Asked before anything is written.
 */
export async function checkGateway(
  { api, destination }: OrderContext,
  order: ShopOrder,
  signal: AbortSignal,
): Promise<void> {
  const method = order.payment_method ?? ''
  if (method !== '' && (await supportsRefunds())) return
  throw new PermanentError(
    `${destination}: order ${order.number} was paid by "${method || 'nothing known'}", which the shop cannot pay back by itself. Pay it back by hand and enter the refund in the shop, then skip this; or set refundPayments: false, so that refunds are entered here and people pay them back.`,
    { code: 'cannot-pay-back' },
  )

  async function supportsRefunds(): Promise<boolean> {
    try {
      const { value } = await api.get(`/payment_gateways/${encodeURIComponent(method)}`, {}, Gateway, signal)
      return value.method_supports.includes('refunds')
    } catch (error) {
      if (saysCode(error, 'woocommerce_rest_payment_gateway_invalid')) return false
      throw error
    }
  }
}
