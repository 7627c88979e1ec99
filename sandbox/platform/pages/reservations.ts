import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { Actions } from '../actions/all.ts'
import { AskedReservation } from '../actions/asked-stock.ts'
import type { Reservation, Reservations } from '../goods/reservations.ts'
import type { Stock } from '../stores.ts'
import { type Articles, articleFields, labelOf, proposals } from './articles.ts'
import type { Door } from './door.ts'
import { type Frame, stockHere, to } from './frame.ts'
import { badge, button, readable, table, textField } from './parts.ts'
import { ask, tell } from './tell.ts'

/** The latest reservations that are shown. */
const SHOWN = 15

interface Means {
  actions: Pick<Actions, 'reserveStock' | 'releaseReservation' | 'expireReservation'>
  /** In the order in which they were made. */
  reservations: Pick<Reservations, 'all'>
  articles: Articles
}

/** Goods that are kept for somebody. */
export function createReservationsPage({ actions, reservations, articles }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/reservations', (request, response) => {
    const stock = stockHere(request)
    const here = reservations.all().filter((one) => one.stock.StockId === stock.StockId)
    return frame(request, response, `Reservations in ${stock.StoreName}`, reservationsPage(here, articles, stock))
  })
  door.on('/reservations/keep', '/reservations', (stock, form) =>
    tell('Kept', actions.reserveStock(ask(AskedReservation, { stock: stock.StoreNo, ...form.all() }))),
  )
  door.on('/reservations/:id/release', '/reservations', (_, __, { id = '' }) =>
    tell('Released', actions.releaseReservation({ id })),
  )
  door.on('/reservations/:id/expire', '/reservations', (_, __, { id = '' }) =>
    tell('Its time has run out', actions.expireReservation({ id })),
  )
  return router
}

function reservationsPage(reservations: readonly Reservation[], articles: Articles, stock: Stock): Markup {
  return html`<form method="post" action="${to('/reservations/keep', stock)}" class="line">
${articleFields()}
${textField('For hours', 'hours', { type: 'number', min: 1, max: 999, value: 72, required: 'required' })}
<button class="strong">Keep</button>
</form>
${proposals(articles)}
<h2>What is kept, and what was</h2>
${reservations.length === 0 ? html`<p class="quiet">Nothing was kept yet.</p>` : reservationTable(reservations, stock)}`
}

function reservationTable(reservations: readonly Reservation[], stock: Stock): Markup {
  const does = (id: string, path: string, label: string) =>
    button(to(`/reservations/${id}/${path}`, stock), label, { said: `reservation ${id}` })
  return table(
    'Reservations',
    ['Goods', 'State', 'Until', 'For', 'Action', 'Reservation'],
    reservations
      .slice(-SHOWN)
      .toReversed()
      .map(({ id, article, quantity, extId, expiresAt, state }) => [
        `${quantity} × ${labelOf(article)}`,
        badge(state === 'Kept' ? 'wait' : 'plain', state),
        readable(expiresAt),
        extId,
        state === 'Kept'
          ? html`<div class="actions">${does(id, 'release', 'Release')}${does(id, 'expire', 'Time runs out')}</div>`
          : '',
        html`<code>${id}</code>`,
      ]),
  )
}
