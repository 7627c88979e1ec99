import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import { isPickup, type Order } from '../orders/order.ts'
import type { Store } from '../stores.ts'
import type { Articles } from './articles.ts'
import { to } from './frame.ts'
import { badge, button, readable, table } from './parts.ts'

/** An online order with its lines, and a button for each thing that can be done with it now. */
export function orderCard(order: Order, articles: Articles, store: Store): Markup {
  const { body, lines, createdAt } = order
  const { firstName, lastName } = body.customer
  const customer = [firstName, lastName].filter(Boolean).join(' ') || 'No name'
  const canDecline = isOpen(order) && lines.length > 1
  return html`<section class="card">
<h2>Order ${body.orderNo}</h2>
<p>${stateOf(order)} ${badge('plain', isPickup(order) ? 'Pickup' : 'Ship from store')} ${badge('plain', isPaid(order) ? 'Paid online' : 'Paid in the store')}</p>
<p class="quiet">${customer}, ${readable(createdAt)}</p>
${table(
  `Lines of order ${body.orderNo}`,
  ['Article', '#Pieces', 'State', ...(canDecline ? ['Action'] : []), '#Price'],
  lines.map((line) => [
    articles.nameOf(line.gtin),
    line.quantity,
    LINES[line.status],
    ...(canDecline ? [line.status === 'Declined' ? '' : declineLine(order, line.gtin, articles, store)] : []),
    line.price.toFixed(2),
  ]),
)}
<div class="actions">${actionsOf(order, store)}</div>
</section>`
}

const LINES = { UnHandled: 'New', Picked: 'Picked', Declined: 'Declined' } as const

function stateOf(order: Order): Markup {
  const isFetched = isPickup(order)
  switch (order.status) {
    case 'UnHandled':
      return badge('wait', 'New')
    case 'Picked':
      return badge('wait', 'Ready for pickup')
    case 'Shipped':
      return badge('good', isFetched ? 'Picked up' : 'Shipped')
    case 'Rejected':
      return badge('bad', 'Declined')
    case 'Expired':
      return badge('bad', 'Expired')
  }
}

function isOpen({ status }: Order): boolean {
  return status === 'UnHandled' || status === 'Picked'
}

function isPaid({ body }: Order): boolean {
  return (body.paymentLines ?? []).length > 0
}

function actionsOf(order: Order, store: Store): Markup[] {
  const { orderNo } = order.body
  const does = (path: string, label: string, strong = false) =>
    button(to(`/orders/${encodeURIComponent(orderNo)}/${path}`, store), label, { said: `order ${orderNo}`, strong })
  if (!isOpen(order)) return []
  const next = !isPickup(order)
    ? does('pack', 'Pack and ship', true)
    : order.status === 'Picked'
      ? does('collect', 'Picked up', true)
      : does('pick', 'Ready for pickup', true)
  return [next, does('decline', 'Decline all'), does('expire', 'Let it expire')]
}

function declineLine({ body: { orderNo } }: Order, gtin: string, articles: Articles, store: Store): Markup {
  return html`<form method="post" action="${to(`/orders/${encodeURIComponent(orderNo)}/decline-line`, store)}">
<input type="hidden" name="sku" value="${gtin}"><button>Decline<span class="heard"> ${articles.nameOf(gtin)} of order ${orderNo}</span></button></form>`
}
