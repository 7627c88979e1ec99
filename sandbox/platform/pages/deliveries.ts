import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { Actions } from '../actions/all.ts'
import { AskedCost, AskedDelivery } from '../actions/asked-goods.ts'
import type { Deliveries } from '../goods/deliveries.ts'
import type { Delivery } from '../goods/delivery.ts'
import { Refusal } from '../refusal.ts'
import { storeDay } from '../sales/clock.ts'
import type { Stock } from '../stores.ts'
import { type Articles, articleField, articleFields, proposals } from './articles.ts'
import type { Door } from './door.ts'
import { type Form, wholeNumber } from './form.ts'
import { type Frame, stockHere, to } from './frame.ts'
import { badge, choice, counted, table, textField } from './parts.ts'
import { ask, tell } from './tell.ts'

/** The latest deliveries that are shown. */
const SHOWN = 10

/** The most lines of each that are shown. */
const LINES = 50

interface Means {
  actions: Actions
  deliveries: Pick<Deliveries, 'of'>
  articles: Articles
}

/** The deliveries that are on their way to a stock, and that arrive. */
export function createDeliveriesPage({ actions, deliveries, articles }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/deliveries', (request, response) => {
    const stock = stockHere(request)
    const here = deliveries.of(stock.StockId).toReversed()
    return frame(request, response, `Deliveries to ${stock.StoreName}`, deliveriesPage(here, articles, stock))
  })

  door.on('/deliveries/announce', '/deliveries', (stock, form) =>
    tell('Announced', actions.announceDelivery(ask(AskedDelivery, { stock: stock.StoreNo, ...form.all() }))),
  )
  door.on('/deliveries/:id/receive', '/deliveries', (_, form, { id = '' }) => {
    const orderId = wholeNumber(id, 'The delivery', 1, 9_999_999)
    const lines = form.has('some') ? counts(form) : undefined
    return tell('Received', actions.receiveDelivery({ orderId, ...(lines && { lines }) }))
  })
  door.on('/deliveries/:id/close', '/deliveries', (_, __, { id = '' }) => {
    const orderId = wholeNumber(id, 'The delivery', 1, 9_999_999)
    return tell('Completed as it is', actions.receiveDelivery({ orderId, lines: [], close: true }))
  })
  door.on('/deliveries/:id/cost', '/deliveries', (_, form, { id = '' }) =>
    tell('Cost price', actions.changeDeliveryCost(ask(AskedCost, { orderId: id, ...form.all() }))),
  )
  return router
}

/** The numbers that people wrote into the lines; the fields are named after the GTIN. */
function counts(form: Form): { sku: string; quantity: number }[] {
  const lines = [...form.starting('line.')].map(([sku, text]) => ({
    sku,
    quantity: wholeNumber(text, `The pieces of ${sku}`, 0, 999),
  }))
  const some = lines.filter(({ quantity }) => quantity > 0)
  if (some.length === 0) throw new Refusal(400, 'Write how many pieces arrived.')
  return some
}

function deliveriesPage(deliveries: readonly Delivery[], articles: Articles, stock: Stock): Markup {
  const open = deliveries.filter(({ completed }) => !completed).length
  return html`<p>${counted(deliveries.length, 'delivery', 'deliveries')}, ${open} not complete.</p>
${deliveries.length === 0 ? html`<p class="quiet">A delivery comes over the API (<code>PUT /api/Delivery</code>), or from the form below.</p>` : ''}
<div class="cards wide">${deliveries.slice(0, SHOWN).map((delivery) => deliveryCard(delivery, articles, stock))}</div>
${deliveries.length > SHOWN ? html`<p class="quiet">The latest ${SHOWN} of ${deliveries.length}.</p>` : ''}
<h2>Announce a delivery</h2>
<form method="post" action="${to('/deliveries/announce', stock)}" class="line">
${articleFields()}
${textField('Cost of one', 'cost', { inputmode: 'decimal', autocomplete: 'off' })}
${textField('Reference', 'reference', { autocomplete: 'off' })}
${choice('How', 'direct', [
  ['false', 'Planned: the store receives it'],
  ['true', 'Direct: in the stock at once'],
])}
<button>Announce</button>
</form>
${proposals(articles)}`
}

function deliveryCard(delivery: Delivery, articles: Articles, stock: Stock): Markup {
  const { orderId, extRef, lines, completed, createdAt } = delivery
  const started = lines.some(({ received }) => received > 0)
  const state = completed ? badge('good', 'Delivered') : badge('wait', started ? 'Partly delivered' : 'Planned')
  return html`<section class="card">
<h2>Delivery ${orderId}</h2>
<p>${state} ${badge('plain', delivery.type === 'DirectDelivery' ? 'Direct' : 'Planned')}</p>
<p class="quiet">${extRef ? `${extRef}, ` : ''}${storeDay(createdAt, delivery.store)}</p>
${completed ? linesOf(delivery, articles) : receiving(delivery, articles, stock)}
</section>`
}

function linesOf({ orderId, lines }: Delivery, articles: Articles): Markup {
  return table(
    `Lines of delivery ${orderId}`,
    ['Article', '#Expected', '#Received', '#Cost'],
    lines
      .slice(0, LINES)
      .map(({ gtin, expected, received, cost }) => [articles.nameOf(gtin), expected, received, cost]),
  )
}

/** One form: what arrived is written beside each line, or all of it arrived. */
function receiving(delivery: Delivery, articles: Articles, stock: Stock): Markup {
  const { orderId, lines } = delivery
  const path = (step: string) => to(`/deliveries/${orderId}/${step}`, stock)
  return html`<form method="post" action="${path('receive')}">
${table(
  `Lines of delivery ${orderId}`,
  ['Article', 'Arrived', '#Expected', '#Received', '#Cost'],
  lines
    .slice(0, LINES)
    .map(({ gtin, expected, received, cost }) => [
      articles.nameOf(gtin),
      received < expected
        ? html`<input type="number" name="line.${gtin}" min="0" max="999" class="short" aria-label="Pieces of ${articles.nameOf(gtin)} that arrived">`
        : 'All',
      expected,
      received,
      cost,
    ]),
)}
<div class="actions">
<button name="some" value="yes">Receive these</button>
<button class="strong" formaction="${path('receive')}">Receive all</button>
<button formaction="${path('close')}">Nothing more comes</button>
</div>
</form>
<details class="more"><summary>Change a cost price</summary>
<form method="post" action="${path('cost')}" class="line">
${articleField()}
${textField('Cost of one', 'cost', { inputmode: 'decimal', required: 'required', autocomplete: 'off' })}
<button>Change it</button>
</form></details>`
}
