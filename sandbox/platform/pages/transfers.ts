import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { Actions } from '../actions/all.ts'
import { AskedArrival, AskedTransfer } from '../actions/asked-stock.ts'
import type { Transfer, Transfers } from '../goods/transfers.ts'
import { STOCKS, type Stock } from '../stores.ts'
import { type Articles, articleFields, labelOf, proposals } from './articles.ts'
import type { Door } from './door.ts'
import { type Frame, stockHere, to } from './frame.ts'
import { badge, button, choice, table } from './parts.ts'
import { ask, tell } from './tell.ts'

/** The latest transfers that are shown. */
const SHOWN = 15

interface Means {
  actions: Pick<Actions, 'createTransfer' | 'receiveTransfer'>
  /** In the order in which they were sent. */
  transfers: Pick<Transfers, 'all'>
  articles: Articles
}

/** Goods that go from one stock to another; those from or to the webshop's are virtual. */
export function createTransfersPage({ actions, transfers, articles }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/transfers', (request, response) => {
    const stock = stockHere(request)
    const here = transfers
      .all()
      .filter(({ from, to: goal }) => from.StockId === stock.StockId || goal.StockId === stock.StockId)
    return frame(request, response, `Transfers of ${stock.StoreName}`, transfersPage(here, articles, stock))
  })
  door.on('/transfers/send', '/transfers', (stock, form) =>
    tell('Sent', actions.createTransfer(ask(AskedTransfer, { from: stock.StoreNo, ...form.all() }))),
  )
  door.on('/transfers/:transferId/receive', '/transfers', (_, __, { transferId }) =>
    tell('Received', actions.receiveTransfer(ask(AskedArrival, { transferId }))),
  )
  return router
}

function transfersPage(transfers: readonly Transfer[], articles: Articles, stock: Stock): Markup {
  const others = STOCKS.filter((one) => one !== stock).map(({ StoreNo, StoreName }) => [StoreNo, StoreName] as const)
  return html`<form method="post" action="${to('/transfers/send', stock)}" class="line">
${articleFields()}
${choice('To', 'to', others)}
<button class="strong">Send from ${stock.StoreName}</button>
</form>
${proposals(articles)}
<h2>From here and to here</h2>
${transfers.length === 0 ? html`<p class="quiet">Nothing was sent yet.</p>` : transferTable(transfers, stock)}`
}

function transferTable(transfers: readonly Transfer[], stock: Stock): Markup {
  return table(
    'Transfers',
    ['Transfer', 'From', 'To', 'Goods', 'State', 'Action'],
    transfers
      .slice(-SHOWN)
      .toReversed()
      .map(({ transferId, from, to: goal, lines, received }) => [
        transferId,
        from.StoreName,
        goal.StoreName,
        lines.map(({ article, quantity }) => `${quantity} × ${labelOf(article)}`).join(', '),
        received ? badge('good', 'Received') : badge('wait', 'On its way'),
        received
          ? ''
          : button(to(`/transfers/${transferId}/receive`, stock), 'Receive', { said: `transfer ${transferId}` }),
      ]),
  )
}
