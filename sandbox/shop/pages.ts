import { Router } from 'express'
import { html } from 'hono/html'
import { sendPage } from '../page.ts'
import { checkoutForm } from './orders/checkout.ts'
import { STATUSES } from './orders/order.ts'
import type { Orders } from './orders/orders.ts'
import type { Catalogue } from './products/catalogue.ts'
import { orderRecord, productRecord, type ShopOrder, type ShopProductRecord } from './records.ts'
import type { SiteTime } from './site-time.ts'
import { webhookTable } from './webhooks/page.ts'
import type { Webhooks } from './webhooks/webhooks.ts'

interface Means {
  catalogue: Catalogue
  orders: Orders
  time: SiteTime
  webhooks: Pick<Webhooks, 'sent'>
}

/** The pages that people look at: all orders and products, and one order. */
export function createPages({ catalogue, orders, time, webhooks }: Means): Router {
  const local = (iso: string | null) => (iso === null ? '–' : time.local(Date.parse(iso)).replace('T', ' '))
  const router = Router()

  router.get('/', async (_, response) => {
    const all = orders.all().map((order) => orderRecord(order, catalogue))
    const products = catalogue.all().map(productRecord)
    const body = html`
      ${checkoutForm(products.filter(({ sku, type }) => sku && type !== 'variable').map(({ sku }) => sku))}
      <h2>Orders</h2>
      ${all.length === 0 ? html`<p class="quiet">No order yet.</p>` : orderTable(all.toReversed(), local)}
      <h2>Products</h2>
      ${products.length === 0 ? html`<p class="quiet">No product.</p>` : productTable(products)}
      ${webhookTable(webhooks.sent())}`
    await sendPage(response, 'Online shop', body)
  })

  router.get('/orders-page/:id', async (request, response, next) => {
    const order = orders.get(Number(request.params.id))
    if (order) await sendPage(response, `Order ${order.id}`, orderPage(orderRecord(order, catalogue), local))
    else next()
  })

  return router
}

type Local = (iso: string | null) => string

function orderTable(orders: ShopOrder[], local: Local) {
  return html`<div class="scroll" tabindex="0"><table>
    <thead><tr>
      <th scope="col">Order</th><th scope="col">Status</th><th scope="col">Customer</th>
      <th scope="col">Placed</th><th scope="col" class="number">Total</th>
    </tr></thead>
    <tbody>${orders.map(
      (order) => html`<tr>
        <td><a href="/orders-page/${order.id}">${order.number}</a></td>
        <td>${statusName(order)}</td>
        <td>${order.email || '–'}</td>
        <td>${local(order.createdAt)}</td>
        <td class="number">${order.total} ${order.currency}</td>
      </tr>`,
    )}</tbody>
  </table></div>`
}

function productTable(products: ShopProductRecord[]) {
  return html`<div class="scroll" tabindex="0"><table>
    <thead><tr>
      <th scope="col">Product</th><th scope="col">SKU</th><th scope="col">GTIN</th>
      <th scope="col" class="number">Price</th><th scope="col" class="number">In stock</th>
    </tr></thead>
    <tbody>${products.map(
      (product) => html`<tr>
        <td>${product.name}</td>
        <td>${product.sku || '–'}</td>
        <td>${product.globalUniqueId || '–'}</td>
        <td class="number">${product.price}</td>
        <td class="number">${product.stock ?? '–'}</td>
      </tr>`,
    )}</tbody>
  </table></div>`
}

function orderPage(order: ShopOrder, local: Local) {
  const rows = [
    ...order.lines.map((line) => ({ ...line, note: line.sku, count: line.quantity })),
    ...order.shipping.map((line) => ({ name: line.title, note: 'shipping', count: '', total: line.total })),
    ...order.fees.map((line) => ({ name: line.name, note: 'fee', count: '', total: line.total })),
  ]
  return html`
    <p><a href="/">All orders</a></p>
    <dl>
      <dt>Status</dt><dd>${statusName(order)}</dd>
      <dt>Placed</dt><dd>${local(order.createdAt)}</dd>
      <dt>Paid</dt><dd>${local(order.datePaid)}</dd>
      <dt>Transaction</dt><dd>${order.transactionId || '–'}</dd>
      <dt>Customer</dt><dd>${order.email || '–'}</dd>
      <dt>Tax</dt><dd>${order.totalTax} ${order.currency}</dd>
      <dt>Total</dt><dd>${order.total} ${order.currency}</dd>
    </dl>
    ${order.status === 'processing' ? html`<form method="post" action="/orders-page/${order.id}/complete"><button>Sent: complete it</button></form>` : ''}
    <h2>Lines</h2>
    <div class="scroll" tabindex="0"><table>
      <thead><tr>
        <th scope="col">Product</th><th scope="col">SKU</th>
        <th scope="col" class="number">Pieces</th><th scope="col" class="number">Without tax</th>
      </tr></thead>
      <tbody>${rows.map(
        (row) => html`<tr>
          <td>${row.name || '(no product of this shop)'}</td><td>${row.note || '–'}</td>
          <td class="number">${row.count}</td><td class="number">${row.total}</td>
        </tr>`,
      )}</tbody>
    </table></div>
    ${order.refunds.length === 0 ? '' : refundTable(order)}
    <h2>Meta data</h2>
    <pre>${JSON.stringify(order.meta, null, 2)}</pre>
    <h2>Notes</h2>
    <ul>${order.notes.map((note) => html`<li>${note}</li>`)}</ul>`
}

function refundTable({ refunds, currency }: ShopOrder) {
  return html`<h2>Refunds</h2>
    <div class="scroll" tabindex="0"><table>
      <thead><tr>
        <th scope="col">Refund</th><th scope="col">Reason</th><th scope="col">Money</th>
        <th scope="col" class="number">Pieces</th><th scope="col" class="number">Amount</th>
      </tr></thead>
      <tbody>${refunds.map(
        ({ id, reason, paidBack, lines, amount }) => html`<tr>
          <td>${id}</td><td>${reason || '–'}</td><td>${paidBack ? 'paid back' : 'noted only'}</td>
          <td class="number">${lines.reduce((count, { quantity }) => count + quantity, 0)}</td>
          <td class="number">${amount} ${currency}</td>
        </tr>`,
      )}</tbody>
    </table></div>`
}

function statusName({ status }: ShopOrder): string {
  return STATUSES[status as keyof typeof STATUSES] ?? status
}
