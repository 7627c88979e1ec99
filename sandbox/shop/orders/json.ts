import { amountText } from '../amount.ts'
import type { Catalogue } from '../products/catalogue.ts'
import type { SiteTime } from '../site-time.ts'
import type { LineTax, Note, Order, ProductLine } from './order.ts'
import { needsPayment, needsProcessing } from './payment.ts'
import { type AppliedRate, ratesOf, type Taxes } from './tax.ts'

/** The WooCommerce whose answers these are like. */
const VERSION = '10.0.0'

interface Means {
  catalogue: Catalogue
  taxes: Taxes
  time: SiteTime
  /** `https://shop.example/wp-json/wc/v3` */
  api: string
  base: string
}

/** An order as `GET /orders/{id}` shows it. */
export function orderJson(order: Order, means: Means): Record<string, unknown> {
  const { totals } = order
  return {
    id: order.id,
    parent_id: order.parentId,
    status: order.status,
    currency: order.currency,
    version: VERSION,
    prices_include_tax: order.pricesIncludeTax,
    ...dates('date_created', order.createdAt, means.time),
    ...dates('date_modified', order.modifiedAt, means.time),
    discount_total: amountText(totals.discountTotal),
    discount_tax: amountText(totals.discountTax),
    shipping_total: amountText(totals.shippingTotal),
    shipping_tax: amountText(totals.shippingTax),
    cart_tax: amountText(totals.cartTax),
    total: amountText(totals.total),
    total_tax: amountText(totals.cartTax.plus(totals.shippingTax)),
    customer_id: order.customerId,
    order_key: order.key,
    billing: order.billing,
    shipping: order.shipping,
    payment_method: order.paymentMethod,
    payment_method_title: order.paymentMethodTitle,
    transaction_id: order.transactionId,
    customer_ip_address: '',
    customer_user_agent: '',
    created_via: order.createdVia,
    customer_note: order.customerNote,
    ...dates('date_completed', order.completedAt, means.time),
    ...dates('date_paid', order.paidAt, means.time),
    cart_hash: '',
    number: order.number,
    meta_data: order.meta,
    ...lines(order, means),
    coupon_lines: [],
    refunds: order.refunds.map(({ id, reason, amount }) => ({ id, reason, total: `-${amountText(amount)}` })),
    payment_url: `${means.base}/checkout/order-pay/${order.id}/?pay_for_order=true&key=${order.key}`,
    is_editable: ['pending', 'on-hold', 'auto-draft', 'checkout-draft'].includes(order.status),
    needs_payment: needsPayment(order),
    needs_processing: needsProcessing(order, means.catalogue),
    _links: {
      self: [{ href: `${means.api}/orders/${order.id}` }],
      collection: [{ href: `${means.api}/orders` }],
    },
  }
}

/** A note as `GET /orders/{id}/notes` shows it. */
export function noteJson(note: Note, order: Order, { api, time }: Means): Record<string, unknown> {
  const notes = `${api}/orders/${order.id}/notes`
  return {
    id: note.id,
    author: 'system',
    ...dates('date_created', note.createdAt, time),
    note: note.text,
    customer_note: note.forCustomer,
    _links: {
      self: [{ href: `${notes}/${note.id}` }],
      collection: [{ href: notes }],
      up: [{ href: `${api}/orders/${order.id}` }],
    },
  }
}

function lines(order: Order, means: Means) {
  const rates = ratesOf(means.taxes)
  return {
    line_items: order.lines.map((line) => productLineJson(line, means)),
    tax_lines: order.taxLines.map((line) => ({
      id: line.id,
      ...rateJson(rates.find((rate) => rate.id === line.rateId)),
      rate_id: line.rateId,
      compound: false,
      tax_total: amountText(line.taxTotal),
      shipping_tax_total: amountText(line.shippingTaxTotal),
      meta_data: [],
    })),
    shipping_lines: order.shippingLines.map((line) => ({
      id: line.id,
      method_title: line.methodTitle,
      method_id: line.methodId,
      instance_id: line.instanceId,
      total: amountText(line.total),
      total_tax: amountText(line.totalTax),
      taxes: taxesJson(line.taxes),
      meta_data: line.meta,
    })),
    fee_lines: order.feeLines.map((line) => ({
      id: line.id,
      name: line.name,
      tax_class: line.taxClass,
      tax_status: line.taxStatus,
      amount: line.total.toFixed(),
      total: amountText(line.total),
      total_tax: amountText(line.totalTax),
      taxes: taxesJson(line.taxes),
      meta_data: line.meta,
    })),
  }
}

function productLineJson(line: ProductLine, { catalogue }: Means) {
  const product = catalogue.get(line.variationId || line.productId)
  const parent = product && catalogue.get(product.parentId)
  return {
    id: line.id,
    name: line.name,
    product_id: line.productId,
    variation_id: line.variationId,
    quantity: line.quantity,
    tax_class: line.taxClass,
    subtotal: amountText(line.subtotal),
    subtotal_tax: amountText(line.subtotalTax),
    total: amountText(line.total),
    total_tax: amountText(line.totalTax),
    taxes: taxesJson(line.taxes),
    meta_data: line.meta.map((meta) => ({ ...meta, display_key: meta.key, display_value: meta.value })),
    sku: product ? product.sku : null,
    global_unique_id: product ? product.globalUniqueId : null,
    price: line.quantity === 0 ? 0 : Number(line.total.div(line.quantity).toFixed(10)),
    image: { id: 0, src: '' },
    parent_name: parent?.name ?? null,
  }
}

function taxesJson(taxes: LineTax[]) {
  return taxes.map((tax) => ({ id: tax.rateId, total: tax.total.toFixed(), subtotal: tax.subtotal.toFixed() }))
}

function rateJson(rate: AppliedRate | undefined) {
  const code = [rate?.country, rate?.name || 'TAX', '1'].filter((part) => part).join('-')
  return { rate_code: code.toUpperCase(), label: rate?.name ?? '', rate_percent: Number(rate?.percent ?? 0) }
}

function dates(name: string, at: number | null, time: SiteTime): Record<string, string | null> {
  return { [name]: at === null ? null : time.local(at), [`${name}_gmt`]: at === null ? null : time.gmt(at) }
}
