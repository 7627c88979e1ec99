/** How an order becomes paid. WooCommerce completes a paid order without a product of its own: nobody would send it. */
export function payment(hasProduct: boolean): { set_paid: true } | { status: 'processing' } {
  return hasProduct ? { set_paid: true } : { status: 'processing' }
}
