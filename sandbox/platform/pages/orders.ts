import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { Actions } from '../actions/all.ts'
import { AskedOnlineOrder, AskedOrderReturn } from '../actions/asked-people.ts'
import type { OrderBook } from '../orders/book.ts'
import type { Order } from '../orders/order.ts'
import type { Store } from '../stores.ts'
import { type Articles, articleFields, proposals } from './articles.ts'
import type { Door } from './door.ts'
import { type Frame, storeHere, to } from './frame.ts'
import { orderSearch } from './lookups.ts'
import { orderCard } from './order-card.ts'
import { choice, counted, textField } from './parts.ts'
import { ask, tell } from './tell.ts'

/** The latest orders that are shown. */
const SHOWN = 20

interface Means {
  actions: Actions
  orders: Pick<OrderBook, 'all'>
  articles: Articles
}

/** The online orders that a store has, and what its staff does with them. */
export function createOrdersPage({ actions, orders, articles }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/orders', (request, response) => {
    const store = storeHere(request)
    const here = orders.all().filter((order) => order.store.StoreNo === store.StoreNo)
    return frame(request, response, `Orders of ${store.StoreName}`, ordersPage(here.toReversed(), articles, store))
  })

  const step = (path: string, words: string, act: (asked: { orderNo: string }) => object) =>
    door.on(`/orders/:orderNo/${path}`, '/orders', (_, __, { orderNo = '' }) => {
      act({ orderNo })
      return `Order ${orderNo}: ${words}.`
    })
  step('pick', 'ready for pickup', actions.pickOrder)
  step('collect', 'picked up', actions.collectOrder)
  step('pack', 'packed and shipped', actions.packOrder)
  step('expire', 'expired', actions.expireOrder)
  step('decline', 'declined', actions.declineOrder)
  door.on('/orders/:orderNo/decline-line', '/orders', (_, form, { orderNo = '' }) => {
    actions.declineOrder({ orderNo, sku: form.text('sku') })
    return `Order ${orderNo}: ${articles.nameOf(form.text('sku'))} declined.`
  })
  door.on('/orders/place', '/orders', (store, form) => {
    const { orderNo, total } = actions.placeOrder(ask(AskedOnlineOrder, { store: store.StoreNo, ...form.all() }))
    return `Order ${orderNo} came to the store: ${total}.`
  })
  door.on('/orders/return', '/orders', (store, form) => {
    const asked = { store: store.StoreNo, ...form.all() }
    return tell('Taken back', actions.returnOrder(ask(AskedOrderReturn, asked)))
  })
  return router
}

function ordersPage(orders: readonly Order[], articles: Articles, store: Store): Markup {
  const open = orders.filter(({ status }) => status === 'UnHandled' || status === 'Picked').length
  return html`<p>${counted(orders.length, 'order')}, ${open} to be worked on.</p>
${orders.length === 0 ? html`<p class="quiet">An order comes over the API (<code>POST /api/OmniChannel</code>), or from the form below.</p>` : ''}
<div class="cards wide">${orders.slice(0, SHOWN).map((order) => orderCard(order, articles, store))}</div>
${orders.length > SHOWN ? html`<p class="quiet">The latest ${SHOWN} of ${orders.length}.</p>` : ''}
<h2>An online order comes to this store</h2>
<form method="post" action="${to('/orders/place', store)}" class="line">
${articleFields()}
${choice('How', 'ship', [
  ['false', 'The customer comes'],
  ['true', 'The store ships it'],
])}
${choice('Paid', 'paid', [
  ['true', 'Online'],
  ['false', 'In the store'],
])}
<button>Place the order</button>
</form>
<h2>An online order comes back to this store</h2>
<p class="quiet">The POS looks it up in the OMS, or takes it back by its number alone.</p>
${orderSearch(store)}
<form method="post" action="${to('/orders/return', store)}" class="line">
${textField('Order number', 'orderNo', { required: 'required', autocomplete: 'off' })}
${articleFields()}
${choice('Money', 'isRefunded', [
  ['true', 'The POS gave it back'],
  ['false', 'The online store must refund it'],
])}
<button>Take it back</button>
</form>
${proposals(articles)}`
}
