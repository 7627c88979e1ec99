import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { Actions } from '../actions/all.ts'
import { AskedGiftCard } from '../actions/asked.ts'
import { toText } from '../sales/amounts.ts'
import type { GiftCard } from '../sales/gift-cards.ts'
import type { Store } from '../stores.ts'
import type { Door } from './door.ts'
import { type Frame, storeHere, to } from './frame.ts'
import { choice, table, textField } from './parts.ts'
import { ask, tell } from './tell.ts'

interface Means {
  actions: Pick<Actions, 'sellGiftCard'>
  /** Every gift card, in the order in which they were sold. */
  giftCards: () => readonly GiftCard[]
}

/** The gift cards of the company: what is left on each, and selling one. */
export function createGiftCardsPage({ actions, giftCards }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/gift-cards', (request, response) =>
    frame(request, response, 'Gift cards', giftCardsPage(giftCards(), storeHere(request))),
  )
  door.on('/gift-cards/sell', '/gift-cards', (store, form) =>
    tell('Gift card sold', actions.sellGiftCard(ask(AskedGiftCard, { store: store.StoreNo, ...form.all() }))),
  )
  return router
}

function giftCardsPage(cards: readonly GiftCard[], store: Store): Markup {
  return html`<form method="post" action="${to('/gift-cards/sell', store)}" class="line">
${textField(`Amount in ${store.Currency}`, 'amount', { type: 'number', min: 1, max: 50_000, step: '0.01', value: 500, required: 'required' })}
${choice('Paid', 'payment', [
  ['card', 'Card'],
  ['cash', 'Cash'],
])}
<button class="strong">Sell a gift card</button>
</form>
<h2>Gift cards</h2>
<p class="quiet">To pay with one, choose it on the <a href="${to('/', store)}">pos</a>.</p>
${table(
  'Gift cards',
  ['Number', '#Sold for', '#Left'],
  cards
    .toReversed()
    .map(({ token, currency, initial, balance }) => [
      token,
      `${toText(initial)} ${currency}`,
      `${toText(balance)} ${currency}`,
    ]),
)}`
}
